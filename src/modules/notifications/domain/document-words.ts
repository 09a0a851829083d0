import type { Language } from '../../../shared/language.js';
import type { DocumentTypeCode } from '../../../sri/document-types/content.js';

/** How mails speak of each document type. */

interface Words {
  /** Begins a line. */
  readonly name: string;
  /** Within a sentence, with its article. */
  readonly phrase: string;
  /** What its total is; null where it carries no money. */
  readonly total: string | null;
}

const WORDS: Readonly<Record<DocumentTypeCode, Readonly<Record<Language, Words>>>> = {
  '01': {
    es: { name: 'Factura', phrase: 'la factura electrónica', total: 'Valor total' },
    en: { name: 'Invoice', phrase: 'the electronic invoice', total: 'Total' },
  },
  '03': {
    es: { name: 'Liquidación de compra', phrase: 'la liquidación de compra electrónica', total: 'Valor total' },
    en: { name: 'Purchase settlement', phrase: 'the electronic purchase settlement', total: 'Total' },
  },
  '04': {
    es: { name: 'Nota de crédito', phrase: 'la nota de crédito electrónica', total: 'Valor acreditado' },
    en: { name: 'Credit note', phrase: 'the electronic credit note', total: 'Amount credited' },
  },
  '05': {
    es: { name: 'Nota de débito', phrase: 'la nota de débito electrónica', total: 'Valor debitado' },
    en: { name: 'Debit note', phrase: 'the electronic debit note', total: 'Amount debited' },
  },
  '06': {
    es: { name: 'Guía de remisión', phrase: 'la guía de remisión electrónica', total: null },
    en: { name: 'Delivery guide', phrase: 'the electronic delivery guide', total: null },
  },
  '07': {
    es: { name: 'Comprobante de retención', phrase: 'el comprobante de retención electrónico', total: 'Total retenido' },
    en: { name: 'Withholding certificate', phrase: 'the electronic withholding certificate', total: 'Total withheld' },
  },
};

export const wordsOf = (type: DocumentTypeCode, language: Language): Words => WORDS[type][language];

/** The name of a type as another document refers to it; a code that the service does not issue stands for itself. */
export const nameOfType = (code: string, language: Language): string => (isIssued(code) ? WORDS[code][language].name : code);

const isIssued = (code: string): code is DocumentTypeCode => Object.hasOwn(WORDS, code);
