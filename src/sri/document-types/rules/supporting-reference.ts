import type { Finding } from '../../../shared/finding.js';
import { parseAccessKey, type ParsedAccessKey, printedNumberOf } from '../../access-key.js';
import { codesAsOf, isKnown, lookup } from '../../tables/code-table.js';
import { DOCUMENT_TYPES } from '../../tables/documents.js';
import { SUPPORTING_DOCUMENTS } from '../../tables/supporting-documents.js';
import type { DocumentContent } from '../content.js';
import { DOCUMENT_NUMBER, hasPartOfZeros } from './modified-document.js';
import { defineRules, finding } from './rule.js';

const RULES = defineRules({
  'support.document_type': {
    es: 'Tipo de documento de sustento desconocido',
    en: 'Unknown type of supporting document',
    reference: 'Catálogo del ATS, tabla 4; ficha técnica 2.32, mensaje 64',
  },
  'support.number': {
    es: 'El número del documento de sustento tiene la forma 000-000-000000000',
    en: 'The number of the supporting document has the form 000-000-000000000',
    reference: 'Ficha técnica 2.32, anexo 3',
  },
  // Papers without a number of their own, as those from abroad, may be given zeros.
  'support.number_zero': {
    severity: 'warning',
    es: 'El número del documento de sustento lleva ceros por establecimiento, punto de emisión o secuencial',
    en: 'The number of the supporting document has zeros for its establishment, emission point or sequential',
    reference: 'Ficha técnica 2.32, anexo 3',
  },
  'support.authorization_number': {
    es: 'El número de autorización tiene 10, 37 o 49 dígitos',
    en: 'The authorization number has 10, 37 or 49 digits',
    reference: 'Ficha técnica 2.32, anexo 3',
  },
  'support.access_key': {
    severity: 'warning',
    es: 'El dígito verificador de la clave de acceso del documento de sustento no coincide',
    en: 'The check digit of the access key of the supporting document does not match',
    reference: 'Ficha técnica 2.32, tabla 1',
  },
  'support.access_key_of_other': {
    severity: 'warning',
    es: 'La clave de acceso dice otro tipo, número, fecha o RUC que este documento de sustento: verifique cuál es el correcto',
    en: 'The access key tells another type, number, date or RUC than this supporting document: verify which is right',
    reference: 'Ficha técnica 2.32, tabla 1',
  },
  'support.date': {
    es: 'El documento de sustento es posterior a este documento',
    en: 'The supporting document is later than this document',
    reference: 'Ficha técnica 2.32, anexo 3',
  },
});

const AUTHORIZATION = /^([0-9]{10}|[0-9]{37}|[0-9]{49})$/;
const ACCESS_KEY_LENGTH = 49;

/** A document that another rests on; a part is null where the request does not give it. */
export interface SupportParts {
  readonly documentType: string | null;
  readonly number: string | null;
  readonly authorizationNumber: string | null;
  readonly issueDate: string | null;
  /** RUC of whom an invoice or a note of these comes from, where it is known. */
  readonly sellerRuc?: string | null;
}

export type SupportPointers = Readonly<Record<Exclude<keyof SupportParts, 'sellerRuc'>, string>>;

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
    yield finding(RULES['support.document_type'], at.documentType, codesAsOf(SUPPORTING_DOCUMENTS, issueDate), documentType);
  }
  if (number !== null) {
    if (!DOCUMENT_NUMBER.test(number)) yield finding(RULES['support.number'], at.number, '000-000-000000000', number);
    else if (hasPartOfZeros(number)) yield finding(RULES['support.number_zero'], at.number, null, number);
  }
  if (authorizationNumber !== null) {
    if (!AUTHORIZATION.test(authorizationNumber)) {
      yield finding(RULES['support.authorization_number'], at.authorizationNumber, null, authorizationNumber);
    } else if (authorizationNumber.length === ACCESS_KEY_LENGTH) {
      yield* checkAccessKey(authorizationNumber, parts, at.authorizationNumber);
    }
  }
  if (parts.issueDate !== null && parts.issueDate > issueDate) {
    yield finding(RULES['support.date'], at.issueDate, `≤ ${issueDate}`, parts.issueDate);
  }
}

/** Checks the key by its check digit, and against what the request says about its document. */
function* checkAccessKey(authorizationNumber: string, parts: SupportParts, pointer: string): Generator<Finding> {
  const key = parseAccessKey(authorizationNumber);
  if (key === null) {
    yield finding(RULES['support.access_key'], pointer, null, authorizationNumber);
    return;
  }
  const other = told(parts, key).filter(({ stated, ofKey }) => stated !== null && stated !== ofKey);
  const list = (side: 'stated' | 'ofKey'): string => other.map((part) => `${part.name} ${part[side]}`).join(', ');
  if (other.length > 0) yield finding(RULES['support.access_key_of_other'], pointer, list('stated'), list('ofKey'));
}

/** Types whose key carries the RUC of who sold; in a settlement (03) it is that of who bought. */
const OF_SELLER = ['01', '04', '05'];
/** First digits of a RUC, the taxpayer's own; then comes an establishment. */
const TAXPAYER_DIGITS = 10;

/** Facts about a document that both the request and its key give; null where the request does not, or not in a way to compare. */
function told({ documentType, number, issueDate, sellerRuc }: SupportParts, key: ParsedAccessKey): readonly { name: string; stated: string | null; ofKey: string }[] {
  // Many a supporting type, such as reimbursements (41), is none that a key knows.
  const type = documentType !== null && isKnown(DOCUMENT_TYPES, documentType) ? documentType : null;
  const taxpayer = OF_SELLER.includes(key.documentType) ? (sellerRuc?.slice(0, TAXPAYER_DIGITS) ?? null) : null;
  return [
    { name: 'document_type', stated: type, ofKey: key.documentType },
    { name: 'number', stated: number !== null && DOCUMENT_NUMBER.test(number) ? number : null, ofKey: printedNumberOf(key) },
    { name: 'issue_date', stated: issueDate, ofKey: key.issueDate },
    { name: 'ruc', stated: taxpayer, ofKey: key.ruc.slice(0, TAXPAYER_DIGITS) },
  ];
}
