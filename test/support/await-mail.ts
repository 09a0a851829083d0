import { setTimeout as sleep } from 'node:timers/promises';
import type { Mail } from '../../src/local/mail-reader.js';
import type { Mailbox } from '../../src/local/mailbox.js';

const LOOK_MS = 10;

/**
 * The mail to an address that has this number among them (0 the first), as soon as it is there.
 * @throws Error when it does not come in time
 */
export async function awaitMail(mailbox: Mailbox, address: string, index = 0, milliseconds = 90_000): Promise<Mail> {
  const until = performance.now() + milliseconds;
  for (;;) {
    const mail = mailbox.mailsTo(address)[index];
    if (mail !== undefined) return mail;
    if (performance.now() >= until) throw new Error(`no mail number ${index} to ${address} within ${milliseconds} ms`);
    await sleep(LOOK_MS);
  }
}
