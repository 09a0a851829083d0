import { isCalendarDay } from '../shared/guayaquil.js';

/** What an access key is made of (ficha técnica, tables 1 and 8). */
export interface AccessKeyParts {
  /** Guayaquil calendar day, `YYYY-MM-DD`. */
  readonly issueDate: string;
  /** SRI document type code, two digits. */
  readonly documentType: string;
  readonly ruc: string;
  /** 1 test, 2 production. */
  readonly environment: '1' | '2';
  readonly establishment: string;
  readonly emissionPoint: string;
  /** 1 to 999999999. */
  readonly sequential: number;
  /** Eight digits, free choice of the issuer. */
  readonly numericCode: string;
}

/** The segments as they stand in a key: digits whose meaning is not judged. */
export interface ParsedAccessKey extends Omit<AccessKeyParts, 'environment'> {
  readonly environment: string;
}

const KEY = /^[0-9]{49}$/;
/** Off-line issuing knows no other emission type. */
const EMISSION_TYPE = '1';
const ZERO = 48;

/**
 * Modulo 11 check digit of a run of digits (48 of them in an access key): weights
 * 2 to 7 from the right; 11 becomes 0 and 10 becomes 1 (ficha técnica, section 5.3).
 */
export function checkDigit(digits: string): number {
  let total = 0;
  let weight = 2;
  for (let index = digits.length - 1; index >= 0; index -= 1) {
    total += (digits.charCodeAt(index) - ZERO) * weight;
    weight = weight === 7 ? 2 : weight + 1;
  }
  const result = 11 - (total % 11);
  if (result === 11) return 0;
  return result === 10 ? 1 : result;
}

/** Builds the 49-digit key. Throws RangeError when a part has the wrong shape: callers validate first. */
export function buildAccessKey(parts: AccessKeyParts): string {
  if (!isCalendarDay(parts.issueDate)) throw new RangeError(`access key: issue date ${parts.issueDate}`);
  if (!Number.isInteger(parts.sequential) || parts.sequential < 1 || parts.sequential > 999_999_999) {
    throw new RangeError(`access key: sequential ${parts.sequential}`);
  }
  const digits = [
    segment('day', parts.issueDate.slice(8, 10) + parts.issueDate.slice(5, 7) + parts.issueDate.slice(0, 4), 8),
    segment('document type', parts.documentType, 2),
    segment('RUC', parts.ruc, 13),
    segment('environment', parts.environment, 1),
    segment('establishment', parts.establishment, 3),
    segment('emission point', parts.emissionPoint, 3),
    String(parts.sequential).padStart(9, '0'),
    segment('numeric code', parts.numericCode, 8),
    EMISSION_TYPE,
  ].join('');
  return `${digits}${checkDigit(digits)}`;
}

/** The parts of a key, by position; null unless it has 49 digits and the right check digit. */
export function parseAccessKey(key: string): ParsedAccessKey | null {
  if (!isAccessKey(key)) return null;
  return {
    issueDate: `${key.slice(4, 8)}-${key.slice(2, 4)}-${key.slice(0, 2)}`,
    documentType: key.slice(8, 10),
    ruc: key.slice(10, 23),
    environment: key.slice(23, 24),
    establishment: key.slice(24, 27),
    emissionPoint: key.slice(27, 30),
    sequential: Number(key.slice(30, 39)),
    numericCode: key.slice(39, 47),
  };
}

/** What a document is numbered by. */
export type NumberParts = Pick<AccessKeyParts, 'establishment' | 'emissionPoint' | 'sequential'>;

/** The number of a document as it is printed, `001-002-000000123`. */
export const printedNumberOf = ({ establishment, emissionPoint, sequential }: NumberParts): string => `${establishment}-${emissionPoint}-${String(sequential).padStart(9, '0')}`;

/** The printed number out of an access key, which is not checked. */
export const printedNumber = (accessKey: string): string => `${accessKey.slice(24, 27)}-${accessKey.slice(27, 30)}-${accessKey.slice(30, 39)}`;

/** Whether the text has 49 digits, the last of which checks the others. */
export function isAccessKey(text: string): boolean {
  return KEY.test(text) && checkDigit(text.slice(0, 48)) === text.charCodeAt(48) - ZERO;
}

function segment(name: string, digits: string, length: number): string {
  if (digits.length !== length || !/^[0-9]+$/.test(digits)) throw new RangeError(`access key: ${name} ${digits}`);
  return digits;
}
