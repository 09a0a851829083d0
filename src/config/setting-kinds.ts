import { isIP, isIPv4 } from 'node:net';
import { z } from 'zod';
import { UUID } from '../shared/uuid.js';

export const LONGEST_TIMER_SECONDS = 2_000_000;
const LONGEST_TIMER_MS = LONGEST_TIMER_SECONDS * 1_000;

/** A hundred years. Now, with so much added or taken away, is still a date for JavaScript and PostgreSQL; with any number it is not. */
export const LONGEST_SPAN = { seconds: 3_155_760_000, hours: 876_600, days: 36_525, months: 1_200 } as const;

/** How long a timer is set for, in seconds: beyond 2,147,483,647 ms Node takes it for 1 ms, and a pause becomes a loop. */
export const seconds = (description: string) => z.coerce.number().int().positive().max(LONGEST_TIMER_SECONDS, `at most ${LONGEST_TIMER_SECONDS}`).describe(description);

/** As `seconds`, for timers that are shorter. */
export const milliseconds = (description: string) => z.coerce.number().int().min(10).max(LONGEST_TIMER_MS, `at most ${LONGEST_TIMER_MS}`).describe(description);

/** A span that is only compared with the clock: it may be months. */
export const span = (unit: keyof typeof LONGEST_SPAN, description: string, least = 1) => z.coerce.number().int().min(least).max(LONGEST_SPAN[unit], `at most ${LONGEST_SPAN[unit]}`).describe(description);

/** What browsers, the SRI and other services are reached under: no other scheme means anything there. */
export const webAddress = (options: { readonly abort?: boolean } = {}) => z.url({ protocol: /^https?$/, ...options, error: (issue) => whenGiven(issue, 'an address that begins with http:// or https://') });

/** Of a key of a Vault transit engine. A password in it would be told with every failure; Vault takes tokens. */
export const vaultKeyAddress = () => webAddress({ abort: true }).refine(isVaultKey, 'an address without user and password that ends in /keys/NAME');

function isVaultKey(address: string): boolean {
  const { username, password, pathname } = new URL(address);
  return username === '' && password === '' && !/[?#]/.test(address) && /\/keys\/[^/]+$/.test(pathname);
}

/** For addresses that hold a password. */
export const PERCENT_ENCODED = 'with special characters of its password percent-encoded (@ as %40, / as %2F, ? as %3F, # as %23, a comma as %2C)';

/**
 * Whether an address surely ends its password where it seems to. An @ behind the host says that a character of the password ended it
 * before: the rest would be taken for the host, and told to whoever reads that nobody answers there.
 */
function isWholeAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { pathname, search, hash } = new URL(address);
  return ![pathname, search, hash].some((part) => part.includes('@'));
}

/** Of Redis, perhaps with the number of a database. What is no number would be taken for database 0. */
export const isRedisAddress = (address: string): boolean => isWholeAddress(address) && /^rediss?:/.test(address) && /^\/?\d*$/.test(new URL(address).pathname);

/** Whether an address of Redis names a database other than 0, which a cluster does not have. */
export function namesRedisDatabase(address: string): boolean {
  const { pathname, searchParams } = new URL(address);
  return !/^\/?0*$/.test(pathname) || Number(searchParams.get('db') ?? 0) !== 0;
}

const DATABASE_PROBLEM = `an address that begins with postgresql://, ${PERCENT_ENCODED}`;

/** What the driver takes from an address in the place of what the service asks for itself: its role, row security, its bounds of time, its name. */
const ASKED_BY_THE_SERVICE = ['options', 'application_name', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'query_timeout'] as const;

/** Of PostgreSQL; kept out where a part of the password would pass for the host, or where it would undo what a session is to go by. */
export const databaseAddress = () =>
  z
    .url({ protocol: /^postgres(ql)?$/, abort: true, error: (issue) => whenGiven(issue, DATABASE_PROBLEM) })
    .refine(isWholeAddress, { message: DATABASE_PROBLEM, abort: true })
    .refine(asksForNothing, `an address without ?${ASKED_BY_THE_SERVICE.join('=, ?')}=, which would undo what the service sets for its sessions; what a login is to have besides is set by \`alter role … set\``);

function asksForNothing(address: string): boolean {
  const { searchParams } = new URL(address);
  return !ASKED_BY_THE_SERVICE.some((name) => searchParams.has(name));
}

/** What is not there is missing, whatever else it would have to be. */
const whenGiven = ({ input }: { readonly input?: unknown }, problem: string): string => (input === undefined ? MISSING : problem);
/** What is said of a setting that is not there. */
export const MISSING = 'required';

/** How long to wait before each next try: `60,300,900`. */
export const ladder = (description: string, fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform((list) => list.split(',').map((part) => Number(part.trim())))
    .refine((steps) => steps.every((step) => step > 0 && step <= LONGEST_TIMER_SECONDS), `a comma list of seconds, each at most ${LONGEST_TIMER_SECONDS}`)
    .describe(description);

/** `true` or `false`, and no other word. */
export const flag = (description: string, fallback: 'true' | 'false') =>
  z
    .enum(['true', 'false'])
    .default(fallback)
    .transform((value) => value === 'true')
    .describe(description);

/** How long rows are kept; `what` completes "Days that". */
export const days = (least: number, fallback: number, what: string) => span('days', `Days that ${what}; removed by \`npm run retention\``, least).default(fallback);

/** A comma list of ids; none is an empty one. */
export const uuids = (description: string) =>
  z
    .string()
    .default('')
    .transform((list) => list.split(',').map((part) => part.trim().toLowerCase()).filter((part) => part !== ''))
    .refine((list) => list.every((part) => UUID.test(part)), 'a comma list of ids')
    .describe(description);

/** As OpenTelemetry writes lists of names and values: `name=value,name=value`, what is special percent-encoded. */
export const namedValues = (name: RegExp, description: string) =>
  z
    .string()
    .default('')
    .refine((list) => readNamedValues(list, name) !== null, 'a comma list of name=value')
    .transform((list) => readNamedValues(list, name) ?? [])
    .describe(description);

function readNamedValues(list: string, fits: RegExp): (readonly [name: string, value: string])[] | null {
  try {
    const pairs = list.split(',').map((part) => part.trim()).filter((part) => part !== '').map((part) => {
      const [name = '', ...value] = part.split('=');
      return [name.trim(), decodeURIComponent(value.join('=').trim())] as const;
    });
    return pairs.every(([name, value]) => fits.test(name) && /^[\x20-\x7e]+$/.test(value)) ? pairs : null;
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

/** Characters before the @ that leave room for the name of a mail within the 64 that are allowed. */
export const LONGEST_BOUNCE_NAME = 14;
/** An address of mail, alone or after a name: `Sello <no-reply@sello.example>`. */
export const MAILBOX = /^(?:[^<>"\r\n]*<[^<>\s@]+@[^<>\s@]+>|[^<>\s@]+@[^<>\s@]+)$/;

/** As nodemailer takes it; one without a host would be noticed with the first mail. */
export const isMailServer = (address: string): boolean => /^smtps?:\/\//.test(address) && URL.canParse(address) && new URL(address).hostname !== '';

/** Names that Express knows for networks. */
const PROXY_NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];

/** What Express takes for a proxy: it would end the start at any other, without a word of the setting. */
export function isProxy(part: string): boolean {
  if (PROXY_NETWORKS.includes(part)) return true;
  const [address = '', range, ...rest] = part.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  if (range === undefined) return true;
  if (version === 4 && isIPv4(range)) return /^1+0*$/.test(range.split('.').map((octet) => Number(octet).toString(2).padStart(8, '0')).join(''));
  return /^\d+$/.test(range) && Number(range) >= 1 && Number(range) <= (version === 4 ? 32 : 128);
}

/** A comma list of origins as browsers send them: scheme, host and port alone. */
export const origins = (description: string) =>
  z
    .string()
    .default('')
    .transform((list) => list.split(',').map((part) => part.trim()).filter((part) => part !== ''))
    .refine((list) => list.every((part) => URL.canParse(part) && new URL(part).origin === part), 'a comma list of origins such as https://panel.example')
    .describe(description);
