import { PRINTED_LETTERS } from './printed-letters.js';

/**
 * A letter, digit or accent that the fonts of printed documents do not have. Signs and emoji are not looked at; without some of them a
 * text says the same.
 */
const NOT_PRINTED = new RegExp(`(?=[\\p{L}\\p{N}\\p{Mn}\\p{Mc}])[^${PRINTED_LETTERS}]`, 'u');

/** Whether anything lies beyond the usual Latin letters, all of which are printed: hardly ever, and found out in no time. */
const FAR = /[^\u0000-\u024f]/u;

/** The first letter of the text that a printed document shows as a box; null where all are printed. */
export function firstNotPrinted(text: string): string | null {
  return FAR.test(text) ? (NOT_PRINTED.exec(text)?.[0] ?? null) : null;
}
