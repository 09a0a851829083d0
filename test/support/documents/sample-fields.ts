import { dec } from '../../../src/shared/decimal.js';
import { normaliseText } from '../../../src/shared/text.js';
import type { DocumentLine } from '../../../src/sri/document-types/content.js';
import { type Element, textAt } from '../../../src/simulator/brain/xml/element.js';

/** A line of a payload; what is not told has no value. */
export function line(index: number, own: Partial<DocumentLine>): DocumentLine {
  const made: DocumentLine = {
    lineNumber: index + 1,
    description: '',
    mainCode: null,
    auxCode: null,
    unitOfMeasure: null,
    quantity: '1',
    unitPrice: '0',
    discount: '0.00',
    subtotal: '0.00',
    taxCode: '2',
    taxRateCode: own.taxes === undefined || own.taxes === null ? '0' : null,
    taxes: null,
    additionalDetails: [],
    ...own,
  };
  return { ...made, quantity: dec(made.quantity).toFixed(6), unitPrice: dec(made.unitPrice).toFixed(6) };
}

/** A text as requests are read: NFC, without spaces at its ends. */
export function textOf(element: Element | null, name: string): string | null {
  const text = textAt(element, name);
  return text === null ? null : normaliseText(text);
}

export function need(element: Element | null, ...names: readonly string[]): string {
  const text = textAt(element, ...names);
  if (text === null) throw new Error(`no ${names.join('/')} in ${element?.name ?? 'nothing'}`);
  return text;
}

export const dayOf = (sriDate: string): string => sriDate.split('/').reverse().join('-');
export const dayOrNull = (sriDate: string | null): string | null => (sriDate === null ? null : dayOf(sriDate));
export const hyphenated = (number: string): string => `${number.slice(0, 3)}-${number.slice(3, 6)}-${number.slice(6)}`;
