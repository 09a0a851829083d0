import { ValidationFailure } from '../../../platform/http/validation-failure.js';
import { withComputedTotals } from '../../../sri/document-types/computed-totals.js';
import type { DocumentContent, IssuerSnapshot } from '../../../sri/document-types/document.js';
import type { DocumentDraftDto } from '../documents.dto.js';
import { toContent } from './document-content.js';

const COMPUTABLE = ['subtotal', 'total_tax', 'total', 'taxes'] as const;

/**
 * The content of a draft or dry run: totals and tax groups as given, or all
 * computed from the lines when all four are absent.
 * @throws ValidationFailure naming those absent when only some are
 */
export function draftContent(body: DocumentDraftDto, issuer: IssuerSnapshot): DocumentContent {
  const { subtotal, total_tax, total, taxes } = body;
  if (subtotal !== undefined && total_tax !== undefined && total !== undefined && taxes !== undefined) {
    return toContent(Object.assign({}, body, { subtotal, total_tax, total, taxes }));
  }
  const absent = COMPUTABLE.filter((field) => body[field] === undefined);
  if (absent.length < COMPUTABLE.length) {
    throw new ValidationFailure(absent.map((field) => ({ loc: ['body', field], type: 'missing', input: null, ctx: {} })));
  }
  const blank = { subtotal: '0.00', total_tax: '0.00', total: '0.00', taxes: [] };
  return withComputedTotals(toContent(Object.assign({}, body, blank)), issuer);
}
