import { type SriMessage, sriMessage } from '../messages.js';
import type { SupportingDocument } from '../types/document-reading.js';

/** Kinds of documents that others may rest on: table 3 of the ficha and table 4 of the ATS. */
const KNOWN_CODES = new Set(
  (
    '01 02 03 04 05 06 07 08 09 11 12 15 16 18 19 20 21 41 42 43 44 45 47 48 49 50 51 52 ' +
    '294 344 364 370 371 372 373 374 375'
  ).split(' '),
);

/** Message 64: an unknown code of supporting document. */
export function supportRefusal(supports: readonly SupportingDocument[]): SriMessage | null {
  const unknown = supports.find(({ documentType }) => !KNOWN_CODES.has(documentType));
  return unknown ? sriMessage('64', `Código ${unknown.documentType}`) : null;
}

/**
 * Warning 68: an invoice that the SRI does not hold as electronic.
 *
 * @param isHeld whether an authorised document of that kind and number is held
 */
export function supportWarnings(
  supports: readonly SupportingDocument[],
  isHeld: (support: SupportingDocument) => boolean,
): readonly SriMessage[] {
  return supports
    .filter((support) => support.documentType === '01' && !isHeld(support))
    .map(({ number }) => sriMessage('68', `Documento ${number}`));
}
