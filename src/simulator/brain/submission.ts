import { createHash } from 'node:crypto';
import { type Element, textAt } from './xml/element.js';

/** A signed document as it arrived, read once. */
export interface Submission {
  readonly bytes: Uint8Array;
  readonly root: Element;
  readonly header: Header;
}

/** `infoTributaria`, missing elements as empty text. */
export interface Header {
  readonly accessKey: string;
  readonly documentType: string;
  readonly ruc: string;
  readonly environment: string;
  readonly emissionType: string;
  readonly establishment: string;
  readonly emissionPoint: string;
  readonly sequential: string;
}

export function readHeader(root: Element): Header {
  const text = (name: string): string => textAt(root, 'infoTributaria', name) ?? '';
  return {
    accessKey: text('claveAcceso'),
    documentType: text('codDoc'),
    ruc: text('ruc'),
    environment: text('ambiente'),
    emissionType: text('tipoEmision'),
    establishment: text('estab'),
    emissionPoint: text('ptoEmi'),
    sequential: text('secuencial'),
  };
}

/** Who owns a number at the SRI: RUC, environment, type, establishment, emission point, sequential. */
export function numberOf(header: Header): string {
  return [
    header.ruc,
    header.environment,
    header.documentType,
    header.establishment,
    header.emissionPoint,
    header.sequential,
  ].join('-');
}

/** SHA-256 of bytes in lower-case hexadecimal. */
export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

const KEY_IN_TEXT = /<claveAcceso>\s*(\d{49})\s*<\/claveAcceso>/;

/** The key that a submission names, without parsing it; null when none is visible. */
export function glimpseAccessKey(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 8192)).toString('latin1');
  return KEY_IN_TEXT.exec(start)?.[1] ?? null;
}
