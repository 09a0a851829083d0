export const MIN_PASSWORD = 8;
export const MAX_PASSWORD = 256;

/** What is tried first. */
export interface CommonPasswords {
  /** As they are tried, in lower case. */
  readonly whole: ReadonlySet<string>;
  /** Words that passwords are made of by adding digits and signs. */
  readonly words: ReadonlySet<string>;
}

export type PasswordProblem = 'common' | 'repetitive' | 'sequence' | 'like_own_data';

const SEQUENCES = ['01234567890', 'abcdefghijklmnopqrstuvwxyz', 'qwertyuiop', 'asdfghjklñ', 'zxcvbnm', '1qaz2wsx3edc4rfv5tgb'];
const LEAST_DIFFERENT = 4;

/**
 * Why a password of sufficient length may not be chosen, or null. Nothing is trimmed and no kind of character is
 * demanded, for that makes passwords predictable, not strong.
 *
 * @param own e-mail address, name and the like: what everybody tries first
 */
export function passwordProblem(password: string, own: readonly string[], common: CommonPasswords): PasswordProblem | null {
  const plain = plainForm(password);
  if (common.whole.has(password.toLowerCase()) || common.words.has(plain)) return 'common';
  if (new Set(password.toLowerCase()).size < LEAST_DIFFERENT) return 'repetitive';
  if (isSequence(password.toLowerCase())) return 'sequence';
  return own.some((text) => resembles(plain, text)) ? 'like_own_data' : null;
}

/** Without the decorations that people add to a word: digits and signs at its ends, digits for letters. */
function plainForm(password: string): string {
  const bare = password.toLowerCase().replace(/^[^\p{L}]{1,64}/u, '').replace(/[^\p{L}]{1,64}$/u, '');
  const letters: Readonly<Record<string, string>> = { '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', $: 's', '!': 'i' };
  return Array.from(bare, (character) => letters[character] ?? character).join('');
}

/** So many characters between or around stretches do not make a password of them. */
const MOST_STRAY = 2;

/** Made of stretches of the alphabet or of the keyboard, and hardly anything else. */
function isSequence(text: string): boolean {
  const runs = SEQUENCES.flatMap((one) => [one, Array.from(one).reverse().join('')]);
  let index = 0;
  let stray = 0;
  while (index < text.length) {
    const longest = Math.max(...runs.map((run) => sharedRun(run, text.slice(index))));
    if (longest >= 3) index += longest;
    else {
      index += 1;
      stray += 1;
    }
    if (stray > MOST_STRAY) return false;
  }
  return true;
}

function sharedRun(run: string, text: string): number {
  let longest = 0;
  for (let start = 0; start < run.length; start += 1) {
    let length = 0;
    while (start + length < run.length && length < text.length && run[start + length] === text[length]) length += 1;
    longest = Math.max(longest, length);
  }
  return longest;
}

function resembles(plain: string, own: string): boolean {
  const words = [own, ...own.split(/[^\p{L}\p{N}]+/u)].map((word) => plainForm(word)).filter((word) => word.length >= 4);
  return words.includes(plain);
}
