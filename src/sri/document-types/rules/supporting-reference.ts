import type { Finding } from '../../../shared/finding.js';
import { isAccessKey } from '../../access-key.js';
import { lookup } from '../../tables/code-table.js';
import { SUPPORTING_DOCUMENTS } from '../../tables/supporting-documents.js';
import type { DocumentContent } from '../document.js';
import { defineRules, finding } from './rule.js';

const RULES = defineRules({
  'support.document_type': {
    es: 'Tipo de documento de sustento desconocido',
    en: 'Unknown type of supporting document',
    reference: 'ATS catalogue, table 4; ficha técnica 2.32, message 64',
  },
  'support.number': {
    es: 'El número del documento de sustento tiene la forma 000-000-000000000',
    en: 'The number of the supporting document has the form 000-000-000000000',
    reference: 'Ficha técnica 2.32, annex 3',
  },
  'support.authorization_number': {
    es: 'El número de autorización tiene 10, 37 o 49 dígitos',
    en: 'The authorization number has 10, 37 or 49 digits',
    reference: 'Ficha técnica 2.32, annex 3',
  },
  'support.access_key': {
    severity: 'warning',
    es: 'El dígito verificador de la clave de acceso del documento de sustento no coincide',
    en: 'The check digit of the access key of the supporting document does not match',
    reference: 'Ficha técnica 2.32, table 1',
  },
  'support.date': {
    es: 'El documento de sustento es posterior a este documento',
    en: 'The supporting document is later than this document',
    reference: 'Ficha técnica 2.32, annex 3',
  },
});

const NUMBER = /^[0-9]{3}-[0-9]{3}-[0-9]{9}$/;
const AUTHORIZATION = /^([0-9]{10}|[0-9]{37}|[0-9]{49})$/;
const ACCESS_KEY_LENGTH = 49;

/** A document that another rests on; null where the request does not tell a part. */
export interface SupportParts {
  readonly documentType: string | null;
  readonly number: string | null;
  readonly authorizationNumber: string | null;
  readonly issueDate: string | null;
}

export type SupportPointers = Readonly<Record<keyof SupportParts, string>>;

export const supportPointers = (at: string): SupportPointers => ({
  documentType: `${at}/document_type`,
  number: `${at}/number`,
  authorizationNumber: `${at}/authorization_number`,
  issueDate: `${at}/issue_date`,
});

/** The modified document of a guide or a short withholding is what it rests on. */
export const modifiedAsSupport = (content: DocumentContent): SupportParts => ({
  documentType: content.modifiedDocumentType,
  number: content.modifiedDocumentNumber,
  authorizationNumber: null,
  issueDate: content.modifiedDocumentIssueDate,
});

export const MODIFIED_POINTERS: SupportPointers = {
  documentType: '/modified_document_type',
  number: '/modified_document_number',
  authorizationNumber: '',
  issueDate: '/modified_document_issue_date',
};

/**
 * Known type, number with hyphens, an authorization number of a length in use, not later than the document itself.
 *
 * @param issueDate day of the document that rests on it
 */
export function* checkSupport(parts: SupportParts, at: SupportPointers, issueDate: string): Generator<Finding> {
  const { documentType, number, authorizationNumber } = parts;
  if (documentType !== null && lookup(SUPPORTING_DOCUMENTS, documentType, issueDate) === undefined) {
    yield finding(RULES['support.document_type'], at.documentType, null, documentType);
  }
  if (number !== null && !NUMBER.test(number)) {
    yield finding(RULES['support.number'], at.number, '000-000-000000000', number);
  }
  if (authorizationNumber !== null) {
    if (!AUTHORIZATION.test(authorizationNumber)) {
      yield finding(RULES['support.authorization_number'], at.authorizationNumber, null, authorizationNumber);
    } else if (authorizationNumber.length === ACCESS_KEY_LENGTH && !isAccessKey(authorizationNumber)) {
      yield finding(RULES['support.access_key'], at.authorizationNumber, null, authorizationNumber);
    }
  }
  if (parts.issueDate !== null && parts.issueDate > issueDate) {
    yield finding(RULES['support.date'], at.issueDate, `≤ ${issueDate}`, parts.issueDate);
  }
}
