import { PRINTED_LETTERS } from './printed-letters.js';

/**
 * Where Unicode keeps what is written from right to left (UAX #9, DerivedBidiClass), as ranges of a character class. The library that
 * draws turns the whole text round for it, its words and numbers included: 1500 is printed as 0051.
 */
export const RIGHT_TO_LEFT = '\\u{590}-\\u{8ff}\\u{fb1d}-\\u{fdff}\\u{fe70}-\\u{feff}\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}';

/**
 * A letter, digit or accent that the fonts of printed documents do not have, or anything that is written from right to left. Other
 * signs and emoji are not looked at; without some of them a text says the same.
 */
const NOT_PRINTED = new RegExp(`(?=[\\p{L}\\p{N}\\p{Mn}\\p{Mc}${RIGHT_TO_LEFT}])[^${PRINTED_LETTERS}]`, 'u');

/** Whether anything lies beyond the usual Latin letters, all of which are printed: hardly ever, and found out in no time. */
const FAR = /[^\u0000-\u024f]/u;

/** The first letter of the text that a printed document shows as a box or out of order; null where all are printed as they are written. */
export function firstNotPrinted(text: string): string | null {
  return FAR.test(text) ? (NOT_PRINTED.exec(text)?.[0] ?? null) : null;
}
