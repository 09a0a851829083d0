import type { Finding } from '../../../shared/finding.js';
import type { DocumentContent } from '../../../sri/document-types/content.js';
import { defineRules, finding } from '../../../sri/document-types/rules/rule.js';
import { isKnown } from '../../../sri/tables/code-table.js';
import { DOCUMENT_TYPES } from '../../../sri/tables/documents.js';
import type { Charged, NamingField, Original } from './credit-note.js';
import { isMoving } from './lifecycle.js';
import { personOf } from './person.js';

/** What a document writes of the one that it modifies or supports. */
export interface OriginalIdentity {
  readonly id: string;
  readonly documentType: string;
  /** `001-002-000000003`; null for a draft. */
  readonly number: string | null;
  /** `YYYY-MM-DD`. */
  readonly issueDate: string;
}

/** One of the issuer's own documents, as what modifies it or rests on it needs to know it. */
export interface ModifiedDocument extends Original, OriginalIdentity, Charged {
  readonly buyerId: string | null;
  readonly accessKey: string | null;
  readonly authorizationNumber: string | null;
}

const NOTE_ANNEX = 'Ficha técnica 2.32, anexo de la nota de crédito';

const RULES = defineRules({
  'modified.mismatch': { es: 'No coincide con el documento modificado', en: 'Differs from the modified document', reference: NOTE_ANNEX },
  'modified_document.number_not_issued': {
    severity: 'warning',
    es: 'El punto de emisión, que es propio, aún no ha dado este número: `expected` llega hasta el último que dio',
    en: "The emission point, which is the issuer's own, has not given out this number yet: `expected` ends with the last that it gave",
    reference: 'Consejo de este servicio; el SRI no lo exige',
  },
  'modified.credited_in_full': {
    severity: 'warning',
    es: 'Las notas de crédito del documento modificado ya llegan a su total',
    en: 'The credit notes of the modified document reach its total already',
    reference: 'Consejo de este servicio; el SRI no lo exige',
  },
  'modified.other_buyer': {
    severity: 'warning',
    es: 'El comprador no es el del documento modificado',
    en: 'The buyer is not that of the modified document',
    reference: 'Consejo de este servicio; el SRI no lo exige',
  },
});

/**
 * Fills `modifiedDocument…` fields that the caller left out from the original. Types that refer to no single document are
 * returned unchanged.
 */
export function namedInFull(content: DocumentContent, original: OriginalIdentity): DocumentContent {
  if (!isNote(content) && !restsOnOne(content)) return content;
  return {
    ...content,
    modifiedDocumentId: original.id,
    modifiedDocumentType: content.modifiedDocumentType ?? original.documentType,
    modifiedDocumentNumber: content.modifiedDocumentNumber ?? original.number,
    modifiedDocumentIssueDate: content.modifiedDocumentIssueDate ?? original.issueDate,
  };
}

/**
 * Findings where the given type, number or date differs from that of the document that was found: by one it would modify
 * another document than by the other.
 */
export function misnamed(content: DocumentContent, original: ModifiedDocument): Finding[] {
  if (!isNote(content) && !restsOnOne(content)) return [];
  const parts: readonly (readonly [string, string | null, string | null])[] = [
    ['/modified_document_type', original.documentType, content.modifiedDocumentType],
    ['/modified_document_number', original.number, content.modifiedDocumentNumber],
    ['/modified_document_issue_date', original.issueDate, content.modifiedDocumentIssueDate],
  ];
  // A guide or withholding may give its supporting document another code than its own: a settlement for reimbursements is 41.
  const isOtherName = (pointer: string, actual: string): boolean => restsOnOne(content) && pointer === '/modified_document_type' && !isKnown(DOCUMENT_TYPES, actual);
  return parts
    .filter(([pointer, expected, actual]) => actual !== null && actual !== expected && !isOtherName(pointer, actual))
    .map(([pointer, expected, actual]) => finding(RULES['modified.mismatch'], pointer, expected, actual));
}

/**
 * The authorization number that a guide (06) writes beside the number of its supporting document. While that document is on its
 * way this is its access key, which becomes the number (ficha técnica, section 5.2) unless the SRI refuses it and it is corrected
 * to another day: then its correction warns of the guide (`referredTo`). Null for other types, and if the outcome is not known.
 */
export function supportAuthorization({ documentType }: DocumentContent, { status, accessKey, authorizationNumber }: ModifiedDocument): string | null {
  if (documentType !== '06') return null;
  return authorizationNumber ?? (isMoving(status) ? accessKey : null);
}

/** A number that nothing has is most often a slip, and such a note is held against no balance. @param last of those given out, where the note's comes after it */
export function notIssued({ modifiedDocumentNumber }: DocumentContent, last: string | null): Finding[] {
  return last === null ? [] : [finding(RULES['modified_document.number_not_issued'], '/modified_document_number', `≤ ${last}`, modifiedDocumentNumber)];
}

/** What is credited in full is still valid, and seldom meant to be debited or carried. */
export function creditedInFull(content: DocumentContent, { status }: ModifiedDocument, field: NamingField): Finding[] {
  return restsOnStanding(content) && status === 'VOIDED_BY_NC' ? [finding(RULES['modified.credited_in_full'], `/${field}`, 'AUTHORIZED', status)] : [];
}

/** A note to somebody else than its original is legal and seldom meant: a warning, not a refusal. */
export function otherBuyer(content: DocumentContent, original: ModifiedDocument): Finding[] {
  const [theirs, mine] = [original.buyerId, content.buyerId];
  if (!isNote(content) || theirs === null || mine === null) return [];
  return personOf(theirs) === personOf(mine) ? [] : [finding(RULES['modified.other_buyer'], '/buyer_id', theirs, mine)];
}

/** A credit or debit note, which goes by what its original says. */
export const isNote = ({ documentType }: Pick<DocumentContent, 'documentType'>): boolean => documentType === '04' || documentType === '05';

/**
 * Types whose original must be valid, or still able to become so: debit note, guide, withholding. Credit notes have their own rule
 * (`refuseUncreditable`).
 */
export const restsOnStanding = ({ documentType }: DocumentContent): boolean => documentType === '05' || documentType === '06' || documentType === '07';

/** A guide, and a withholding in its short form, whose one supporting document stands in the same fields. */
const restsOnOne = ({ documentType, withholding }: DocumentContent): boolean => documentType === '06' || (documentType === '07' && withholding === null);
