import { text } from 'node:stream/consumers';
import { readSettings } from './config/settings.js';
import { BouncesStore } from './modules/notifications/public.js';
import { SystemClock } from './platform/adapters/system-clock.js';
import { BounceAddress } from './platform/mail/bounce-address.js';
import { givenUpReason } from './platform/mail/delivery-status.js';

/** What mail servers understand of a program that they hand a mail to (sysexits.h). */
const DONE = 0;
const WRONG_USE = 64;
const NO_SUCH_ADDRESS = 67;
const TRY_LATER = 75;

/**
 * `npm run mail-bounce -- <recipient>`: a mail server pipes a mail here that came back to MAIL_BOUNCE_ADDRESS. The mail that
 * it is about is marked as bounced once it was given up; what is only late changes nothing.
 */
async function run(recipient: string | undefined): Promise<number> {
  const { MAIL_BOUNCE_ADDRESS: address, MAIL_BOUNCE_SECRET: secret, DATABASE_URL: databaseUrl } = readSettings();
  if (recipient === undefined || address === undefined || secret === undefined) {
    return say(WRONG_USE, 'usage: mail-bounce <recipient> with the mail as input; MAIL_BOUNCE_ADDRESS and MAIL_BOUNCE_SECRET as the service has them');
  }
  const mailId = new BounceAddress(address, secret).mailOf(recipient);
  if (mailId === null) return say(NO_SUCH_ADDRESS, 'the recipient names no mail of ours');
  const reason = givenUpReason(await text(process.stdin));
  if (reason === null) return say(DONE, 'not given up: nothing changes');
  const bounces = await BouncesStore.open(databaseUrl);
  try {
    const known = await bounces.record(mailId, reason, new SystemClock().now());
    return known ? say(DONE, `mail ${mailId} bounced`) : say(NO_SUCH_ADDRESS, 'there is no such mail');
  } finally {
    await bounces.close();
  }
}

function say(code: number, line: string): number {
  process.stderr.write(`${line}\n`);
  return code;
}

process.exitCode = await run(process.argv[2]).catch((error: unknown) => say(TRY_LATER, error instanceof Error ? error.message : 'it failed'));
