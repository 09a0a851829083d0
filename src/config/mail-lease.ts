/** Share of MAIL_LEASE_SECONDS after which a sender gives up, so that nobody else has begun with the mail by then. */
export const SENDING_SHARE_OF_LEASE = 0.8;

/** How long a mail server is waited for at each of `SmtpTimeouts`, unless SMTP_URL says otherwise. */
const TIMEOUT_MS = 15_000;

/** For how many milliseconds a mail server may be silent: until there is a connection, until it greets, at anything after that. */
interface SmtpTimeouts {
  readonly connectionTimeout: number;
  readonly greetingTimeout: number;
  readonly socketTimeout: number;
}

/** The time-outs that hold for a mail server, under the names by which its address may set them. */
export function smtpTimeouts(address: string): SmtpTimeouts {
  const { searchParams } = new URL(address);
  // The mail library takes 0 for minutes of its own choice.
  const of = (name: keyof SmtpTimeouts): number => (Number(searchParams.get(name)) > 0 ? Number(searchParams.get(name)) : TIMEOUT_MS);
  return { connectionTimeout: of('connectionTimeout'), greetingTimeout: of('greetingTimeout'), socketTimeout: of('socketTimeout') };
}

/** The shortest lease, in seconds, within which a mail server may use each of its time-outs once. */
export function shortestMailLease(address: string): number {
  const { connectionTimeout, greetingTimeout, socketTimeout } = smtpTimeouts(address);
  return Math.ceil((connectionTimeout + greetingTimeout + socketTimeout) / SENDING_SHARE_OF_LEASE / 1_000);
}
