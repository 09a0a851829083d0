/** What became of an attempt to hand a mail to the mail server. */
export type Delivery =
  | { readonly outcome: 'taken'; readonly messageId: string }
  /** Later it may be taken. `bounced`: there is no such recipient; `refused`: nobody there takes this mail. */
  | { readonly outcome: 'put_off' | 'bounced' | 'refused'; readonly reason: string };

/** What of an error of the mail library says why a mail was not taken. */
interface SmtpError {
  readonly code?: unknown;
  readonly command?: unknown;
  readonly responseCode?: unknown;
  readonly response?: unknown;
}

const LONGEST_REASON = 300;
/** Commands whose refusal is about this one mail; a refused greeting, sign-in or sender says nothing of it. */
const ABOUT_THE_MAIL = new Set(['RCPT TO', 'DATA']);
const TOO_LARGE = 552;
/**
 * Refusals that are about us or the way, although the answer is a 5xx: a connection, a quota (5.4.2, .3, .5 of RFC 3463; .1 and
 * .4 are often said of a mistyped domain), a policy (5.7, or a 554 that gives no such code), such as a relay that does not know
 * our address any more or a filter that takes our mails for spam. An operator mends these.
 */
const MENDABLE = /^(?:\d{3}[ -]5\.(?:1\.[78]|4\.[235]|7\.\d+)\b|554(?![ -]\d\.\d+\.\d+\b))/;
/** Of the sender's address, which many servers refuse only when they hear of a recipient (Postfix, unless told otherwise). */
const OF_THE_SENDER = /\bsender\b/i;

/**
 * Reads why a mail was not taken. The server's answer to the mail itself is given in its own words; of every other failure
 * only the kind, for an address or a name of ours in it would be nobody's business.
 */
export function notTaken(error: unknown): Delivery {
  const { code, command, responseCode, response } = (typeof error === 'object' && error !== null ? error : {}) as SmtpError;
  // What the library refuses by itself: an address that no server takes, a mail above the server's bound.
  if (code === 'EENVELOPE' && command === 'API') return { outcome: 'bounced', reason: 'the address cannot be written to' };
  if (code === 'EMESSAGE' && responseCode === undefined) return { outcome: 'refused', reason: 'the mail is too large for the mail server' };
  const isAboutTheMail = typeof responseCode === 'number' && (ABOUT_THE_MAIL.has(String(command)) || responseCode === TOO_LARGE);
  if (!isAboutTheMail) return { outcome: 'put_off', reason: `the mail server does not serve us now (${typeof code === 'string' ? code : 'unknown'})` };
  const reason = oneLine(typeof response === 'string' ? response : String(responseCode));
  if (responseCode < 500 || MENDABLE.test(reason) || OF_THE_SENDER.test(withoutMailboxes(reason))) return { outcome: 'put_off', reason };
  return { outcome: command === 'RCPT TO' ? 'bounced' : 'refused', reason };
}

/** The number or kind of a refusal, without the server's words: they may repeat the mail. */
export function codeOf(error: unknown): string {
  const { code, responseCode } = (typeof error === 'object' && error !== null ? error : {}) as SmtpError;
  if (typeof responseCode === 'number') return String(responseCode);
  return typeof code === 'string' ? code : 'unknown';
}

/** Words of a server on one line, cut, without control characters. */
export const oneLine = (text: string): string => Array.from(text.replace(/[\s\p{Cc}]+/gu, ' ').trim()).slice(0, LONGEST_REASON).join('');

/** Words of a server for the log: addresses in them are cut to their domains, also in that of a page. */
export const withoutMailboxes = (words: string): string => words.replace(/[^\s<>]+/g, (word) => word.replace(/^.+(?=@|%40)/, '…'));
