const LONGEST = 80;
/** Text that a reader's program turns into a link: an address with its scheme, `www.`, or a name that ends like a domain. */
const LINK = /:\/\/|^www\.|[.\u3002\uFF0E\uFF61]\p{L}{2}/iu;
/** The one legal form that is written like a domain. */
const LIMITED_COMPANY = /(?<!\S)(c[i\u00ED]a)\.(?=ltda)/giu;

/**
 * A name that a user chose, as a mail to strangers shows it: on one line, within a bound, without anything that could be clicked.
 * Anybody may be written to under a name; it must not carry a message of its own. May be empty.
 */
export function shownName(name: string): string {
  const words = name.replace(LIMITED_COMPANY, '$1. ').replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim().split(' ');
  const shown = Array.from(words.filter((word) => !LINK.test(word)).join(' '));
  return shown.length > LONGEST ? `${shown.slice(0, LONGEST - 1).join('').trimEnd()}…` : shown.join('');
}
