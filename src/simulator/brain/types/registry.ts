import { creditNote } from './credit-note.js';
import { debitNote } from './debit-note.js';
import { deliveryGuide } from './delivery-guide.js';
import type { DocumentReading } from './document-reading.js';
import { invoice } from './invoice.js';
import { purchaseSettlement } from './purchase-settlement.js';
import { withholding } from './withholding.js';

const READINGS: readonly DocumentReading[] = [
  invoice,
  purchaseSettlement,
  creditNote,
  debitNote,
  deliveryGuide,
  withholding,
];

/** How to read a document by its root element, or undefined when the SRI knows no such type. */
export function readingOf(rootElement: string): DocumentReading | undefined {
  return READINGS.find((reading) => reading.rootElement === rootElement);
}
