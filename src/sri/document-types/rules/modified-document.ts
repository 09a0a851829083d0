import type { Finding } from '../../../shared/finding.js';
import { lookup } from '../../tables/code-table.js';
import { DOCUMENT_TYPES } from '../../tables/documents.js';
import type { DocumentContent } from '../content.js';
import type { OptionalField } from './carried-fields.js';
import { defineRules, finding } from './rule.js';

const ANNEXES = 'Ficha técnica 2.32, anexos de las notas de crédito y débito';

const RULES = defineRules({
  'modified_document.missing': {
    es: 'La nota debe decir qué documento modifica: tipo, número y fecha de emisión',
    en: 'The note must tell which document it modifies: type, number and issue date',
    reference: ANNEXES,
  },
  'modified_document.type': {
    es: 'Tipo de documento modificado desconocido',
    en: 'Unknown type of modified document',
    reference: 'Ficha técnica 2.32, tabla 3 y mensaje 64',
  },
  'modified_document.type_unusual': {
    severity: 'warning',
    es: 'Las notas suelen modificar facturas (01)',
    en: 'Notes usually modify invoices (01)',
    reference: ANNEXES,
  },
  'modified_document.type_without_amounts': {
    es: 'Una guía de remisión o un comprobante de retención no tienen valor que una nota modifique',
    en: 'A delivery guide or a withholding has no amount that a note could modify',
    reference: ANNEXES,
  },
  'modified_document.number': {
    es: 'El número del documento modificado tiene la forma 000-000-000000000',
    en: 'The number of the modified document has the form 000-000-000000000',
    reference: ANNEXES,
  },
  'modified_document.number_zero': {
    severity: 'warning',
    es: 'El número del documento modificado lleva ceros por establecimiento, punto de emisión o secuencial',
    en: 'The number of the modified document has zeros for its establishment, emission point or sequential',
    reference: ANNEXES,
  },
  'modified_document.date': {
    es: 'El documento modificado no puede ser posterior a la nota',
    en: 'The modified document may not be later than the note',
    reference: ANNEXES,
  },
  'note.reason': {
    es: 'Una nota de crédito necesita un motivo',
    en: 'A credit note needs a reason',
    reference: ANNEXES,
  },
});

/** Fields that only notes carry; a debit note has its reasons in its lines. */
export const MODIFIED_DOCUMENT_FIELDS = [
  'modifiedDocumentId',
  'modifiedDocumentType',
  'modifiedDocumentNumber',
  'modifiedDocumentIssueDate',
] as const satisfies readonly OptionalField[];

/** `001-002-000000003`. */
export const DOCUMENT_NUMBER = /^[0-9]{3}-[0-9]{3}-[0-9]{9}$/;

/** Establishments, emission points and sequentials count from one. Expects a number of that form. */
export const hasPartOfZeros = (number: string): boolean => number.split('-').some((part) => /^0+$/.test(part));

/** Zeros or nines for the number of a paper that has none, as those from abroad: equal ones need not be the same paper. */
export const standsForNone = (number: string): boolean => hasPartOfZeros(number) || /^[9-]+$/.test(number);

const INVOICE_CODE = '01';
const WITHOUT_AMOUNTS = new Set(['06', '07']);

/** The document that a credit or debit note modifies: complete, of a known type, not later than the note. */
export function* checkModifiedDocument(content: DocumentContent): Generator<Finding> {
  const {
    modifiedDocumentType: type,
    modifiedDocumentNumber: number,
    modifiedDocumentIssueDate: date,
    issueDate,
  } = content;
  const parts = [
    ['/modified_document_type', type],
    ['/modified_document_number', number],
    ['/modified_document_issue_date', date],
  ] as const;
  for (const [pointer, value] of parts) {
    if (isMissing(value)) yield finding(RULES['modified_document.missing'], pointer);
  }
  if (type !== null && type !== '') {
    if (lookup(DOCUMENT_TYPES, type, issueDate) === undefined) {
      yield finding(RULES['modified_document.type'], '/modified_document_type', INVOICE_CODE, type);
    } else if (WITHOUT_AMOUNTS.has(type)) {
      yield finding(RULES['modified_document.type_without_amounts'], '/modified_document_type', INVOICE_CODE, type);
    } else if (type !== INVOICE_CODE) {
      yield finding(RULES['modified_document.type_unusual'], '/modified_document_type', INVOICE_CODE, type);
    }
  }
  if (number !== null && number !== '') {
    if (!DOCUMENT_NUMBER.test(number)) yield finding(RULES['modified_document.number'], '/modified_document_number', '000-000-000000000', number);
    else if (hasPartOfZeros(number)) yield finding(RULES['modified_document.number_zero'], '/modified_document_number', null, number);
  }
  if (date !== null && date > issueDate) {
    yield finding(RULES['modified_document.date'], '/modified_document_issue_date', `≤ ${issueDate}`, date);
  }
}

/** Why the original is modified; the XML of a credit note demands it. */
export function* checkReason(content: DocumentContent): Generator<Finding> {
  if (isMissing(content.reason)) yield finding(RULES['note.reason'], '/reason');
}

const isMissing = (value: string | null): boolean => value === null || value === '';
