import type { DocumentStatus } from './lifecycle.js';

/** What narrows a list of documents; null: does not. */
export interface DocumentFilter {
  readonly status: DocumentStatus | null;
  readonly documentType: string | null;
  readonly issuerId: string | null;
  readonly buyerId: string | null;
  /** First and last issue date, `YYYY-MM-DD`. */
  readonly issuedFrom: string | null;
  readonly issuedTo: string | null;
  readonly accessKey: string | null;
  /** Id of the document that those wanted refer to: the notes of an invoice, say. */
  readonly modifiedDocumentId: string | null;
  /** What somebody typed into a search box. */
  readonly text: string | null;
}

/** The 15 digits of a document number (`001-001-000000123`, leading zeros of the last part may be missing); null for other texts. */
export function seriesOf(text: string): string | null {
  const [, establishment, point, sequential] = /^([0-9]{3})-([0-9]{3})-([0-9]{1,9})$/.exec(text) ?? /^([0-9]{3})([0-9]{3})([0-9]{9})$/.exec(text) ?? [];
  return establishment === undefined || point === undefined || sequential === undefined ? null : establishment + point + sequential.padStart(9, '0');
}
