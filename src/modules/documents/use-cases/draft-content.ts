import { ValidationFailure } from '../../../platform/http/validation-failure.js';
import { dec } from '../../../shared/decimal.js';
import { hasComputableTotals, withComputedTotals } from '../../../sri/document-types/computed-totals.js';
import type { DocumentContent, IssuerSnapshot } from '../../../sri/document-types/document.js';
import type { CompleteDraft } from './catalogue-lines.js';
import { toContent } from './document-content.js';

const COMPUTABLE = ['subtotal', 'total_tax', 'total', 'taxes'] as const;

/**
 * The content of a draft or dry run: totals and tax groups as given, or all
 * computed from the lines when all four are absent.
 * @throws ValidationFailure naming those absent when only some are, or when nothing tells them
 */
export function draftContent(body: CompleteDraft, issuer: IssuerSnapshot): DocumentContent {
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
  // A discount that the caller told stands, to be checked against the lines.
  return dec(content.totalDiscount).isZero() ? computed : { ...computed, totalDiscount: content.totalDiscount };
}
