import { ValidationFailure } from '../../../platform/http/validation-failure.js';
import { dec, isTooLarge, WHOLE_DIGITS } from '../../../shared/decimal.js';
import { hasComputableTotals, withComputedTotals } from '../../../sri/document-types/computed-totals.js';
import type { DocumentContent, IssuerSnapshot } from '../../../sri/document-types/document.js';
import type { CompleteDraft } from './catalogue-lines.js';
import { toContent } from './document-content.js';

const COMPUTABLE = ['subtotal', 'total_tax', 'total', 'taxes'] as const;

/** The content of a draft or dry run. */
export interface DraftContent {
  /** As the caller tells it, with what was left to the service. */
  readonly content: DocumentContent;
  /** The same with the day of its original, by which it is judged. It is not stored: until the draft is issued, that day may change. */
  readonly judged: DocumentContent;
}

/**
 * Totals and tax groups as given, or all computed from the lines when all four are absent.
 * @throws ValidationFailure naming those absent when only some are, or when nothing tells them, and those computed that no document has room for
 */
export function draftContent(body: CompleteDraft, issuer: IssuerSnapshot): DraftContent {
  const judged = withTotals(body, issuer);
  return { judged, content: { ...judged, modifiedDocumentIssueDate: body.modified_document_issue_date ?? null } };
}

function withTotals(draft: CompleteDraft, issuer: IssuerSnapshot): DocumentContent {
  const body = Object.assign({}, draft, { modified_document_issue_date: draft.modified_document_issue_date ?? draft.originalDay });
  const { subtotal, total_tax, total, taxes } = body;
  if (subtotal !== undefined && total_tax !== undefined && total !== undefined && taxes !== undefined) {
    return toContent(Object.assign({}, body, { subtotal, total_tax, total, taxes }));
  }
  const absent = COMPUTABLE.filter((field) => body[field] === undefined);
  const blank = { subtotal: '0.00', total_tax: '0.00', total: '0.00', taxes: [] };
  const content = toContent(Object.assign({}, body, blank));
  if (absent.length < COMPUTABLE.length || !hasComputableTotals(content)) {
    throw new ValidationFailure(absent.map((field) => ({ loc: ['body', field], type: 'missing', input: null, ctx: {} })));
  }
  const computed = withComputedTotals(content, issuer);
  refuseTooLarge(computed);
  // A discount that the caller told stands, to be checked against the lines.
  return dec(content.totalDiscount).isZero() ? computed : { ...computed, totalDiscount: content.totalDiscount };
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
