import type { Finding } from '../../../shared/finding.js';
import type { DocumentContent, IssuerSnapshot } from '../content.js';
import type { RuleContext } from '../document-type.js';
import { checkAdditionalInfo } from '../rules/additional-info.js';
import { checkIdentifiedBuyer } from '../rules/buyer.js';
import { checkCarriedFields, checkCarriedLineFields } from '../rules/carried-fields.js';
import { checkIssueDate } from '../rules/issue-date.js';
import { checkLines } from '../rules/lines.js';
import { checkModifiedDocument, checkReason, MODIFIED_DOCUMENT_FIELDS } from '../rules/modified-document.js';
import { checkTaxes } from '../rules/taxes.js';
import { checkTexts } from '../rules/texts.js';
import { checkTotals } from '../rules/totals.js';

/** Every rule of the credit note in one pass, except for the balance of the original, which only the service knows. */
export function checkCreditNote(
  content: DocumentContent,
  issuer: IssuerSnapshot,
  context: RuleContext,
): readonly Finding[] {
  return [
    ...checkIssueDate(content, context),
    ...checkIdentifiedBuyer(content, issuer),
    ...checkModifiedDocument(content),
    ...checkReason(content),
    ...checkLines(content),
    ...checkTaxes(content),
    ...checkTotals(content),
    ...checkTexts(content),
    ...checkAdditionalInfo(content, issuer),
    ...checkCarriedFields(content, [...MODIFIED_DOCUMENT_FIELDS, 'reason']),
    ...checkCarriedLineFields(content, ['unit_of_measure']),
  ];
}
