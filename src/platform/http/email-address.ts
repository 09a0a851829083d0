import { isIP } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';
import { normaliseText } from '../../shared/text.js';

const LOCAL = /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?$/u;

/** Whether a text is one address `local@domain.tld` of a domain that there may be: no quotes, no lists, no spaces. */
export function isEmailAddress(text: string): boolean {
  const [local, domain, ...rest] = text.split('@');
  if (local === undefined || domain === undefined || rest.length > 0 || local.length > 64 || !LOCAL.test(local)) return false;
  const labels = domain.split('.');
  return labels.length >= 2 && labels.every((label) => label.length <= 63 && LABEL.test(label)) && domainForm(domain) !== null;
}

/**
 * The address of an account as it is kept and looked up, however it was written: one form, in lower case, for every spelling of a
 * domain that a mail would take to the same mailbox, which is the one of the wire where the Unicode form has signs that no address
 * may have here. A text that is no address is only normalised.
 */
export function accountAddress(text: string): string {
  const address = normaliseText(text.toLowerCase());
  if (!isEmailAddress(address)) return address;
  const [local = '', domain = ''] = address.split('@');
  // Of Cherokee the form has the capitals, whatever was written.
  const kept = `${local}@${domainForm(domain)?.toLowerCase() ?? ''}`;
  return isEmailAddress(kept) ? kept : `${local}@${domainToASCII(domain)}`;
}

/** A domain in its Unicode form; null where there can be none of that name, where the form would lead mails to another, or where the name is an IP address. */
function domainForm(domain: string): string | null {
  const onTheWire = domainToASCII(domain);
  const form = domainToUnicode(onTheWire);
  return onTheWire !== '' && isIP(onTheWire) === 0 && domainToASCII(form) === onTheWire ? form : null;
}
