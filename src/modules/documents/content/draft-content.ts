import { ValidationFailure } from '../../../platform/http/validation-failure.js';
import { dec, isTooLarge, WHOLE_DIGITS } from '../../../shared/decimal.js';
import { hasComputableTotals, withComputedTotals } from '../../../sri/document-types/computed-totals.js';
import type { DocumentContent, IssuerSnapshot } from '../../../sri/document-types/content.js';
import { COMPUTABLE, MOST_TAXES } from '../documents.dto.js';
import { namedInFull } from '../domain/modified-document.js';
import type { CompleteDraft } from './catalogue-lines.js';
import { toContent } from './document-content.js';

/** The content of a draft or dry run. */
export interface DraftContent {
  /** As the caller gives it, with what was left to the service filled in. */
  readonly content: DocumentContent;
  /** `content` completed from its original: this is what is judged. It is not stored, for until the draft is issued the original may change. */
  readonly judged: DocumentContent;
}

/**
 * Totals and tax groups as given, or all computed from the lines when all four are absent.
 * @throws ValidationFailure naming them when they are neither given nor computable, and computed ones that no document has room for
 */
export function draftContent(body: CompleteDraft, issuer: IssuerSnapshot): DraftContent {
  const judged = withTotals(body, issuer);
  const told = {
    modifiedDocumentType: body.modified_document_type ?? null,
    modifiedDocumentNumber: body.modified_document_number ?? null,
    modifiedDocumentIssueDate: body.modified_document_issue_date ?? null,
  };
  return { judged, content: { ...judged, ...told } };
}

function withTotals(body: CompleteDraft, issuer: IssuerSnapshot): DocumentContent {
  const contentWith = (amounts: Required<Pick<CompleteDraft, (typeof COMPUTABLE)[number]>>): DocumentContent => {
    const told = toContent(Object.assign({}, body, amounts));
    return body.original === null ? told : namedInFull(told, body.original);
  };
  const { subtotal, total_tax, total, taxes } = body;
  if (subtotal !== undefined && total_tax !== undefined && total !== undefined && taxes !== undefined) {
    return contentWith({ subtotal, total_tax, total, taxes });
  }
  const content = contentWith({ subtotal: '0.00', total_tax: '0.00', total: '0.00', taxes: [] });
  if (!hasComputableTotals(content)) {
    throw new ValidationFailure(COMPUTABLE.map((field) => ({ loc: ['body', field], type: 'missing', input: null, ctx: {} })));
  }
  const computed = withComputedTotals(content, issuer);
  refuseTooManyGroups(computed);
  refuseTooLarge(computed);
  // A discount that the caller gave stands, to be checked against the lines.
  return dec(content.totalDiscount).isZero() ? computed : { ...computed, totalDiscount: content.totalDiscount };
}

/** Lines may itemise more taxes and rates than a body may give as groups. */
function refuseTooManyGroups({ taxes }: DocumentContent): void {
  if (taxes.length <= MOST_TAXES) return;
  throw new ValidationFailure([{ loc: ['body', 'taxes'], type: 'too_long', input: null, ctx: { max_length: MOST_TAXES } }]);
}

/** Amounts of lines that fit may add up to what does not. */
function refuseTooLarge({ subtotal, totalTax, total, taxes }: DocumentContent): void {
  const amounts = [
    [['subtotal'], subtotal], [['total_tax'], totalTax], [['total'], total],
    ...taxes.flatMap(({ taxableBase, taxAmount }, index) => [
      [['taxes', String(index), 'taxable_base'], taxableBase] as const, [['taxes', String(index), 'tax_amount'], taxAmount] as const,
    ]),
  ] as const;
  const tooLarge = amounts.filter(([, amount]) => isTooLarge(dec(amount)));
  if (tooLarge.length === 0) return;
  throw new ValidationFailure(tooLarge.map(([at, amount]) => ({ loc: ['body', ...at], type: 'decimal_whole_digits', input: amount, ctx: { whole_digits: WHOLE_DIGITS } })));
}
