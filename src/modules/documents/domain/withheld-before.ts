import { addDays } from '../../../shared/guayaquil.js';
import type { Finding } from '../../../shared/finding.js';
import type { DocumentContent } from '../../../sri/document-types/content.js';
import { standsForNone } from '../../../sri/document-types/rules/modified-document.js';
import { defineRules, finding } from '../../../sri/document-types/rules/rule.js';
import type { NamingField } from './credit-note.js';

const RULES = defineRules({
  'withholding.support_withheld': {
    severity: 'warning',
    es: 'Otra retención al mismo sujeto ya tiene este documento de sustento: verifique que no se retenga dos veces',
    en: 'Another withholding from the same subject has this supporting document already: verify that it is not withheld from twice',
    reference: 'Consejo de este servicio; el SRI no lo exige',
  },
});

/** How far back one looks for others. */
const DAYS_LOOKED_AT = 5 * 366;

/** A document from which a withholding (07) withholds. */
export interface WithheldSupport {
  readonly type: string;
  /** `001-002-000000003`. */
  readonly number: string;
}

/** A supporting document of a withholding that is asked for. */
export interface RequestedSupport extends WithheldSupport {
  /** That names it. */
  readonly field: NamingField;
  /** `YYYY-MM-DD`; null where it is not given. */
  readonly issueDate: string | null;
  /** Null where it is not given. */
  readonly authorizationNumber: string | null;
}

/** A supporting document of a withholding that was issued before. */
export interface EarlierSupport extends WithheldSupport {
  /** Number of the withholding. */
  readonly certificate: string;
}

/**
 * The supporting documents of a withholding in its short or full form; none of any other document, or where type or number is
 * missing, or where the number stands for none.
 */
export const supportsOf = (content: DocumentContent): readonly RequestedSupport[] => allSupportsOf(content).filter(({ number }) => !standsForNone(number));

function allSupportsOf({ documentType, withholding, modifiedDocumentType: type, modifiedDocumentNumber: number, modifiedDocumentIssueDate: issueDate }: DocumentContent): readonly RequestedSupport[] {
  if (documentType !== '07') return [];
  if (withholding === null) return type === null || number === null ? [] : [{ field: 'modified_document_number', type, number, issueDate, authorizationNumber: null }];
  return withholding.supportingDocuments.map((support, index) => ({
    field: `withholding/supporting_documents/${index}/number`, type: support.documentType, number: support.number,
    issueDate: support.issueDate, authorizationNumber: support.authorizationNumber,
  }));
}

/** Nothing is withheld before its supporting document is issued. @param today Guayaquil day, `YYYY-MM-DD` @returns the first day to look at */
export function firstDayOf(supports: readonly RequestedSupport[], today: string): string {
  const earliest = addDays(today, -DAYS_LOOKED_AT);
  const first = supports.map(({ issueDate }) => issueDate ?? earliest).reduce((one, other) => (other < one ? other : one), today);
  return first < earliest ? earliest : first;
}

/** A second withholding from one document is seldom meant: a warning, not a refusal. @param earlier the newest first */
export function withheldBefore(supports: readonly RequestedSupport[], earlier: readonly EarlierSupport[]): Finding[] {
  return supports.flatMap(({ field, type, number }) => {
    const other = earlier.find((one) => one.type === type && one.number === number);
    return other === undefined ? [] : [finding(RULES['withholding.support_withheld'], `/${field}`, null, other.certificate)];
  });
}
