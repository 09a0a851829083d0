/** Text rules for everything that ends in a tax document, a printed page or a mail. */

export interface TextLimits {
  /** Fewest code points. Default 0. */
  readonly min?: number;
  /** Most code points. */
  readonly max: number;
}

export interface TextProblem {
  readonly type:
    | 'string_too_short'
    | 'string_too_long'
    | 'string_line_break'
    | 'string_control_character'
    | 'string_lone_surrogate'
    | 'string_invisible_character'
    | 'string_noncharacter';
  readonly ctx: Readonly<Record<string, string | number>>;
}

const SPACE = /^\p{Zs}$/u;
/**
 * Control (which includes tab and NEL), line and paragraph separators, lone
 * surrogates, noncharacters, and what nobody sees: bidirectional overrides, zero
 * width, soft hyphen, byte order mark, tags, joiners, fillers, the blank of Braille.
 * The SRI refuses or never answers the first ones; the last ones make a document read
 * differently from its bytes. Not so the selector behind an emoji or a sign, which keyboards write; behind a digit, # or * only in a
 * keycap, for two identifiers would read alike.
 */
const FORBIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Cf}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}\u2800](?<!(?!\p{ASCII})[\p{Emoji}\p{S}][\uFE0E\uFE0F]|[0-9#*][\uFE0E\uFE0F](?=\u20E3))/u;

const SPACES_AND_FORBIDDEN = new RegExp(`(?:${FORBIDDEN.source}|\\p{Zs})+`, 'gu');

/** Unicode NFC, spaces at both ends removed; nothing else is altered, so a line break at an end stays and is refused. */
export function normaliseText(text: string): string {
  const composed = text.normalize('NFC');
  // A loop, not a pattern: /\s+$/ takes quadratic time on long inner runs.
  let start = 0;
  let end = composed.length;
  while (start < end && SPACE.test(composed.charAt(start))) start += 1;
  while (end > start && SPACE.test(composed.charAt(end - 1))) end -= 1;
  return composed.slice(start, end);
}

/** Text of others as it may be taken: every run of spaces, and of what {@link textProblem} refuses wherever it stands, is one space. */
export const shownText = (text: string): string => normaliseText(text.replace(SPACES_AND_FORBIDDEN, ' '));

/** The form in which searches compare: lower case, without accents. */
export const searchForm = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** Length as XML Schema counts it: in code points. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** The first `most` code points of a text: no character is cut in two. */
export const beginningOf = (text: string, most: number): string => (text.length <= most ? text : Array.from(text.slice(0, most * 2)).slice(0, most).join(''));

/**
 * The first reason why normalised text cannot be taken, or null.
 * `ctx` gives the bound, or the offending code point (`U+202E`) and its position in code points, counted from 0.
 */
export function textProblem(text: string, limits: TextLimits): TextProblem | null {
  const forbidden = FORBIDDEN.exec(text);
  if (forbidden !== null) {
    return {
      type: kindOf(forbidden[0]),
      ctx: {
        code_point: `U+${(forbidden[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
        position: codePoints(text.slice(0, forbidden.index)),
      },
    };
  }
  const min = limits.min ?? 0;
  if (text.length > limits.max || text.length < 2 * min) {
    const length = codePoints(text);
    if (length > limits.max) return { type: 'string_too_long', ctx: { max_length: limits.max } };
    if (length < min) return { type: 'string_too_short', ctx: { min_length: min } };
  }
  return null;
}

function kindOf(character: string): TextProblem['type'] {
  if (/[\n\r\u0085\p{Zl}\p{Zp}]/u.test(character)) return 'string_line_break';
  if (/\p{Cc}/u.test(character)) return 'string_control_character';
  if (/\p{Cs}/u.test(character)) return 'string_lone_surrogate';
  if (/\p{Noncharacter_Code_Point}/u.test(character)) return 'string_noncharacter';
  return 'string_invisible_character';
}
