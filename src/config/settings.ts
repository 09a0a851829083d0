import { z } from 'zod';
import { KEY_PROBLEMS, type KeyKind } from './key-settings.js';
import { shortestMailLease } from './mail-lease.js';
import { databaseAddress, days, flag, isMailServer, isProxy, isRedisAddress, ladder, LONGEST_BOUNCE_NAME, MAILBOX, milliseconds, MISSING, namedValues, namesRedisDatabase, origins, PERCENT_ENCODED, seconds, span, uuids, vaultKeyAddress, webAddress } from './setting-kinds.js';

/** What a step needs of its lease besides the one call to the SRI that it makes: it signs, and writes before and after. */
const LEASE_MARGIN_SECONDS = 1;

const SRI_TEST = 'https://celcer.sri.gob.ec/comprobantes-electronicos-ws';
const SRI_PRODUCTION = 'https://cel.sri.gob.ec/comprobantes-electronicos-ws';

/**
 * Every setting of the service, validated once at start. The service reads
 * `process.env` in this folder only; the programs around it (local, embedded
 * servers, simulator, identity provider) read their own. `docs/configuration.md`
 * is generated from this schema, so each setting carries its description.
 */
export const SETTINGS_SCHEMA = z.object({
  APP_ENV: z
    .enum(['local', 'sandbox', 'production'])
    .default('local')
    .describe('production: SRI production environment and svc_live_ keys; sandbox and local: test environment and svc_test_ keys'),
  HOST: z.string().default('127.0.0.1').describe('Address the API listens on'),
  PORT: z.coerce.number().int().min(0).max(65535).default(3000).describe('Port the API listens on; 0 picks a free one'),
  PUBLIC_URL: webAddress().optional().describe('Address under which callers reach the API, for links and sign-in; default the address it listens on, so set it behind a proxy'),
  PANEL_URL: webAddress().optional().describe('Address of the management panel, where links in mails lead; default PUBLIC_URL'),
  ALLOWED_ORIGINS: origins('Origins, besides that of PUBLIC_URL, whose pages may call; a comma list'),
  TRUSTED_PROXIES: z
    .string()
    .refine((list) => list.split(',').every((part) => isProxy(part.trim())), 'a comma list of IP addresses and networks such as 10.0.0.0/8')
    .default('')
    .describe('Addresses or networks of the proxies whose X-Forwarded-For is believed, a comma list; others may not say where a call comes from'),
  DATABASE_URL: databaseAddress().describe('PostgreSQL the service works on, on another machine with ?sslmode=verify-full; the login must be a member of the role sello_app'),
  DATABASE_OWNER_URL: databaseAddress().optional().describe('Login that owns the schema and runs migrations; default DATABASE_URL'),
  DATABASE_REPLICA_URL: databaseAddress().optional().describe('Replica of the database, with the same login: lists of documents, exports and the audit log are read there while it answers and keeps up, else from DATABASE_URL'),
  DATABASE_REPLICA_MAX_LAG_SECONDS: span('seconds', 'How far the replica may be behind; further, it is not read from', 5).default(10),
  DATABASE_POOL_SIZE: z.coerce.number().int().min(1).max(200).default(20).describe('Connections per process; as many to the replica'),
  DATABASE_WAIT_SECONDS: seconds('How long a request waits for a free connection before it is answered with 503').default(2),
  REDIS_URL: z
    .string()
    .refine((list) => list.split(',').every((url) => isRedisAddress(url.trim())), `redis:// or rediss:// and an address, ${PERCENT_ENCODED}; behind it nothing or the number of a database (/2)`)
    .describe('Redis (6.2 or newer) for wake-up jobs and rate limits; may be lost at any moment. With REDIS_CLUSTER one node or several, separated by commas'),
  REDIS_CLUSTER: flag('Whether REDIS_URL names nodes of a Redis Cluster', 'false'),
  QUEUE_PREFIX: z
    .string()
    .regex(/^[^\s{}]*\{[^\s{}]+\}\S*$/, 'a text with a hash tag in braces, such as {sello}')
    .default('{sello}')
    .describe('Prefix of every Redis key and channel; its part in braces, the hash tag, keeps all keys in one slot of a Redis Cluster'),
  SRI_RECEPTION_URL: webAddress().optional().describe('Reception service; default by APP_ENV, required for local. Set with SRI_AUTHORIZATION_URL, or neither'),
  SRI_AUTHORIZATION_URL: webAddress().optional().describe('Authorization service; default by APP_ENV, required for local. Set with SRI_RECEPTION_URL, or neither'),
  SRI_CONSULTATION_URL: webAddress().optional().describe('Consultation service (state after authorization); default beside SRI_AUTHORIZATION_URL'),
  SRI_REGISTRY_URL: webAddress().optional().describe("Public registry of taxpayers, up to `/rest`, for the look-up of buyers; the SRI promises nothing about it, so without a value nothing is asked and look-ups end with what is known"),
  SRI_REGISTRY_TIMEOUT_SECONDS: seconds('Total deadline of one question to the registry').default(3),
  SRI_REGISTRY_MAX_AGE_HOURS: span('hours', 'How long what the registry said of a taxpayer is taken for current; after it only while the registry is away').default(720),
  SRI_REGISTRY_NOT_FOUND_MAX_AGE_HOURS: span('hours', 'How long the registry is believed that there is no such taxpayer').default(24),
  SRI_TIMEOUT_SECONDS: seconds('Total deadline of one call to the SRI, in seconds').default(30),
  SRI_LONGEST_BREAK_SECONDS: seconds('Longest pause before a service of the SRI that does not answer is probed again').default(30),
  SRI_RAMP_SECONDS: seconds('After an outage: how long a worker uses a quarter of its concurrency, then as long half of it; documents that waited for the SRI may use half of that').default(60),
  MASTER_KEY: z.string().optional().describe('Master key that wraps the data keys of stored private keys: 32 bytes in base64; older keys behind it, separated by commas, until `npm run rotate-master-key` ran'),
  MASTER_KEY_FILE: z.string().optional().describe('File that holds the master key instead of MASTER_KEY, older ones on further lines; mode 0600, or 0440 for a group'),
  MASTER_KEY_VAULT_URL: vaultKeyAddress().optional().describe('Key of a Vault transit engine that keeps the master key instead, e.g. https://vault:8200/v1/transit/keys/sello'),
  MASTER_KEY_VAULT_TOKEN_FILE: z.string().optional().describe('File that holds the token for MASTER_KEY_VAULT_URL; there when a process starts, and read again at every call'),
  TOKEN_KEYS: z.string().optional().describe('RSA keys of access tokens in PEM, concatenated: the first, private, signs; the others, private or public, still verify'),
  TOKEN_KEYS_FILE: z.string().optional().describe('File that holds TOKEN_KEYS instead; mode 0600, or 0440 for a group. Without either a local process makes a key for itself; others do not start'),
  SMTP_URL: z
    .string()
    .refine(isMailServer, 'smtp:// or smtps:// and a host')
    .optional()
    .describe('Mail server, e.g. smtps://user:password@mail.example:465; without one mails are not sent: those of documents and to admins wait along MAIL_LADDER, saying so, the others are lost'),
  MAIL_FROM: z.string().regex(MAILBOX, 'an address such as no-reply@mail.example, or Name <no-reply@mail.example>').default('Sello <no-reply@sello.local>').describe("Sender of mails; of those to buyers the address, under the tenant's name. Required with SMTP_URL unless APP_ENV is local"),
  MAIL_CONCURRENCY: z.coerce.number().int().min(1).max(100).default(4).describe('Mails one worker process sends at once, each over a connection of its own'),
  MAIL_INTERVAL_MS: milliseconds('How often a worker looks for mails that are due').default(1_000),
  MAIL_LADDER: ladder('Seconds between attempts to send a mail that the mail server puts off, or that finds none; behind the last it has failed. The default covers three days', '60,300,900,3600,14400,43200,43200,43200,43200,43200,43200'),
  LETTER_LADDER: ladder('Seconds between attempts to send an invitation or a link to confirm or reset that the mail server puts off; behind the last it is lost. Keep it within the 30 minutes that the link of a reset is good for', '5,30,120,300'),
  MAIL_LEASE_SECONDS: seconds('How long a worker may take to send a mail before another sends it; four fifths of it must hold connectionTimeout, greetingTimeout and socketTimeout, 15000 ms each unless SMTP_URL sets them').default(300),
  MAIL_RESENDS_PER_HOUR: z.coerce.number().int().min(1).max(1_000).default(10).describe('POST /documents/{id}/email per document and hour'),
  MAIL_RESENDS_PER_RECIPIENT_PER_DAY: z.coerce.number().int().min(1).max(100_000).default(200).describe("POST /documents/{id}/email to one address other than the document's buyer_email, per tenant and 24 hours, over all documents"),
  MAIL_BOUNCE_ADDRESS: z
    .email()
    .refine((address) => address.indexOf('@') <= LONGEST_BOUNCE_NAME, `at most ${LONGEST_BOUNCE_NAME} characters before the @`)
    .refine((address) => !address.split('@')[0]?.includes('+'), 'no + before the @: what stands behind it names the mail')
    .optional()
    .describe('Where mails that cannot be delivered come back, e.g. bounces@mail.example; each names itself behind a +. Its mail server pipes them to `npm run mail-bounce`'),
  MAIL_BOUNCE_SECRET: z.string().min(16).optional().describe('Secret that proves that a mail that comes back was ours; required with MAIL_BOUNCE_ADDRESS'),
  GOOGLE_CLIENT_ID: z.string().optional().describe('Client of the sign-in with Google; without it that sign-in is off'),
  GOOGLE_CLIENT_SECRET: z.string().optional().describe('Secret of GOOGLE_CLIENT_ID'),
  GOOGLE_ISSUER: webAddress().default('https://accounts.google.com').describe('Issuer that ID tokens must name'),
  GOOGLE_AUTHORIZATION_URL: webAddress().default('https://accounts.google.com/o/oauth2/v2/auth').describe('Where browsers sign in'),
  GOOGLE_TOKEN_URL: webAddress().default('https://oauth2.googleapis.com/token').describe('Where codes are exchanged'),
  GOOGLE_JWKS_URL: webAddress().default('https://www.googleapis.com/oauth2/v3/certs').describe('Keys of ID tokens'),
  PROVIDER_RUC: z
    .string()
    .regex(/^\d{13}$/, '13 digits')
    .optional()
    .describe('RUC of the platform that issues for others, written into each document as RUC Proveedor, which is compulsory since 26 September 2026 (ficha técnica 2.34, annex 26). Leave it out if you issue only your own documents'),
  MAX_ISSUE_DATE_AGE_DAYS: span('days', 'Oldest accepted issue date, in days before today in Guayaquil', 0).default(90),
  CREDIT_NOTE_MAX_AGE_MONTHS: span('months', 'Oldest invoice that may be credited, in months').default(12),
  STRICT_RUC_CHECK: flag('Refuse company and public RUCs whose modulo-11 digit is wrong instead of warning', 'false'),
  WORKER_CONCURRENCY: z.coerce.number().int().min(1).max(500).default(24).describe('Documents one worker process handles at once. A third of it, 8 at least and 32 at most, is how many calls of each service of the SRI it has under way'),
  LEASE_SECONDS: seconds('How long a worker may hold a document before another takes over; longer than SRI_TIMEOUT_SECONDS').default(60),
  RELAY_INTERVAL_MS: milliseconds('How often a worker looks for due work that no bell announced').default(200),
  RELAY_PATIENCE_SECONDS: seconds('After this many seconds an announced but unclaimed document is announced again').default(5),
  RECEPTION_LADDER: ladder('Seconds between automatic attempts to deliver; the last step repeats', '2,5,15,60,300,900,3600'),
  AUTHORIZATION_LADDER: ladder('Seconds between questions for an authorization; the last step repeats', '2,5,15,60,300,900,3600'),
  ANSWER_DEADLINE_SECONDS: span('seconds', 'How long the SRI may take to answer before a person is asked').default(86_400),
  MAX_RECEPTION_ATTEMPTS: z.coerce.number().int().min(2).default(60).describe('Transmissions without a verdict before a person is asked'),
  RECHECK_SECONDS: span('seconds', 'How often a refused or stale document is compared with the SRI again; while the SRI says that it is at work on it at least hourly').default(86_400),
  RECHECK_DAYS: span('days', 'How long after its first transmission it is compared', 0).default(30),
  CANCELLATION_LADDER: ladder('Seconds between questions whether a document was annulled; the last step repeats', '60,300,900,3600,21600'),
  EXAMPLE_IDS_FILE: z.string().optional().describe('JSON file with ids that stand in the examples of /docs, by the name of the field, so that they can be tried out; `npm start` names that of the demo tenant'),
  WEBHOOK_TARGETS: z.enum(['public', 'any']).optional().describe('Where webhooks may lead: public (https to public addresses) or any (http and private addresses too, for development); default any for local, else public. any is refused outside local'),
  WEBHOOK_CONCURRENCY: z.coerce.number().int().min(2).max(1_000).default(128).describe('Webhook deliveries one worker process has under way at once'),
  WEBHOOK_PER_ENDPOINT: z.coerce.number().int().min(1).max(100).default(8).describe('Deliveries to one address under way at once, over all workers; one while it fails'),
  WEBHOOK_POLL_MS: milliseconds('How often a worker looks for due deliveries').default(100),
  WEBHOOK_TIMEOUT_SECONDS: seconds('Longest time for one delivery, from looking up the name to the end of the answer').default(10),
  WEBHOOK_LADDER: ladder('Seconds between attempts to deliver an event to a webhook; the first attempt comes at once', '5,300,1800,7200,18000,36000,36000,86400,86400'),
  WEBHOOK_DISABLE_AFTER_SECONDS: span('seconds', 'An address to which nothing arrived for so long is switched off').default(432_000),
  EVENT_STREAMS_PER_TENANT: z.coerce.number().int().min(1).default(10).describe('Streams of events that one tenant may hold open on one API process; one person may hold half of them'),
  EXPORTS_PER_TENANT: z.coerce.number().int().min(1).default(4).describe('Exports that one tenant may have under way on one API process'),
  NOTICE_INTERVAL_SECONDS: seconds('How often a worker looks for what is to be noticed: numbers that run low, and addresses of webhooks at which nothing arrived for WEBHOOK_DISABLE_AFTER_SECONDS').default(300),
  RATE_LIMIT_ISSUE_PER_MINUTE: z.coerce.number().int().positive().default(60).describe('POST /documents, /documents/{id}/issue and /correct together, per API key or person'),
  RATE_LIMIT_READ_PER_MINUTE: z.coerce.number().int().positive().default(300).describe('GET /documents/{id} per API key'),
  RATE_LIMIT_AUTH_PER_MINUTE: z.coerce.number().int().positive().default(10).describe('POST /auth/* per address; sign-in and sign-up per account five times as many'),
  RATE_LIMIT_RENAME_PER_HOUR: z.coerce.number().int().positive().default(10).describe('PATCH /auth/me per person, whatever becomes of the call; each change is a line in the audit log of all of their tenants'),
  RATE_LIMIT_OTHER_PER_MINUTE: z.coerce.number().int().positive().default(600).describe('Every other call per API key or person; and per address the calls whose API key is none'),
  WATCHDOG_SECONDS: seconds('A worker that takes no job for so long, although jobs wait and it has room, ends to be started anew').default(30),
  RETENTION_ARCHIVE_DIR: z.string().optional().describe('Folder to which `npm run retention -- --apply` archives documents before it removes them; it must be there'),
  RETENTION_DOCUMENT_YEARS: z.coerce.number().int().min(7).max(100).default(7).describe('Years after its issue that a document stays; the law and the database want seven at least'),
  RETENTION_HOLD_TENANTS: uuids('Tenants whose documents stay however old they are, as in a dispute; a comma list of ids'),
  RETENTION_EVENT_DAYS: days(30, 365, 'events stay, for `/events` and replays'),
  RETENTION_DELIVERY_DAYS: days(7, 90, 'finished deliveries to webhooks stay, with their attempts'),
  RETENTION_MAIL_DAYS: days(30, 365, 'it stays on record what became of a mail'),
  RETENTION_AUDIT_DAYS: days(365, 2_557, 'the audit log reaches back'),
  RETENTION_SIGN_IN_DAYS: days(1, 30, 'ended sessions stay, and expired links that no later one has cleared away'),
  METRICS_PORT: z.coerce.number().int().min(0).max(65535).optional().describe('Port on which a process tells operators its metrics and health (`/metrics`, `/health/live`, `/health/ready`), apart from the API; 0 picks a free one; without a value it tells nobody'),
  METRICS_HOST: z.string().default('127.0.0.1').describe('Address for METRICS_PORT; nobody is asked for a credential there, so only operators may reach it'),
  OTEL_EXPORTER_OTLP_ENDPOINT: webAddress().optional().describe('Where traces go: a collector that speaks OTLP/HTTP, e.g. http://collector:4318, `/v1/traces` is added; without a value nothing is traced'),
  OTEL_EXPORTER_OTLP_HEADERS: namedValues(/^[\w.-]+$/, 'Headers for OTEL_EXPORTER_OTLP_ENDPOINT, name=value in a comma list, percent-encoded; a secret where they hold a credential'),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.enum(['http/json']).default('http/json').describe('How traces are sent; no other way is offered'),
  OTEL_SERVICE_NAME: z.string().optional().describe('Name of a process in traces; default sello-api and sello-worker'),
  OTEL_RESOURCE_ATTRIBUTES: namedValues(/^[\w./-]+$/, 'What else traces tell of the process, name=value in a comma list, e.g. k8s.pod.name=…'),
  OTEL_TRACES_SAMPLER: z
    .enum(['always_on', 'always_off', 'traceidratio', 'parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'])
    .default('parentbased_traceidratio')
    .describe("Which traces are kept; with parentbased_ a caller's traceparent decides for the trace of its call, never for that of a document"),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1).describe('Share of traces that traceidratio keeps, by their ids: every process keeps the same documents'),
  OTEL_SDK_DISABLED: flag('Whether nothing is traced although OTEL_EXPORTER_OTLP_ENDPOINT is set', 'false'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info').describe('Least severe level that is logged'),
  SHUTDOWN_SECONDS: seconds('How long a stopping process may finish what it holds; what is left is then handed back or cut off').default(25),
  FAULTS: z.string().default('').describe('Kill points for tests, name:nth:action[@numeric code]; refused in production'),
});

type Parsed = z.infer<typeof SETTINGS_SCHEMA>;

export interface Settings extends Omit<Parsed, 'SRI_RECEPTION_URL' | 'SRI_AUTHORIZATION_URL' | 'SRI_CONSULTATION_URL' | 'DATABASE_OWNER_URL' | 'WEBHOOK_TARGETS'> {
  readonly SRI_RECEPTION_URL: string;
  readonly SRI_AUTHORIZATION_URL: string;
  readonly SRI_CONSULTATION_URL: string;
  readonly DATABASE_OWNER_URL: string;
  readonly WEBHOOK_TARGETS: 'public' | 'any';
}

export const SETTINGS = Symbol('Settings');

export class SettingsError extends Error {}

/** The word that stands for a secret in `docker/kubernetes/secrets.example.yaml`. Matched whole: a key in base64 may hold these letters by chance. */
const PLACEHOLDER = /(?<![\w+/=-])REPLACE(?![\w+/=-])/;

/** A setting that is still as an example has it, in words; it would be noticed late, as a mail that is not sent. */
function leftProblems(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(SETTINGS_SCHEMA.shape).filter((name) => PLACEHOLDER.test(environment[name] ?? '')).map((name) => `${name}: still holds REPLACE, as in the example`);
}

/** Plain words for what the library would say in terms of types; undefined leaves it its own words. */
function plainProblem({ code, input, expected }: { readonly code?: string; readonly input?: unknown; readonly expected?: unknown }): string | undefined {
  if (input === undefined) return MISSING;
  return code === 'invalid_type' && expected === 'number' ? 'a number' : undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** As `readSettings`, for those who use keys: API, worker, the rotation. */
export const readServiceSettings = (...keys: readonly KeyKind[]): Settings => readSettings(process.env, keys);

/** The settings that are well for themselves, where others are not. */
function readable(present: Environment): Partial<Parsed> {
  const entries = Object.entries(SETTINGS_SCHEMA.shape).map(([name, field]) => [name, field.safeParse(present[name]).data] as const);
  return Object.fromEntries(entries);
}

/** Settings that are well for themselves, and not beside each other. */
function* contradictions(settings: Partial<Parsed>, present: Environment): Generator<string> {
  const { APP_ENV: environment } = settings;
  const isGiven = (name: keyof Parsed): boolean => present[name] !== undefined;
  if (environment === 'production' && settings.FAULTS) yield 'FAULTS: kill points are for tests and are refused in production';
  if (environment !== undefined && environment !== 'local' && settings.WEBHOOK_TARGETS === 'any') {
    yield 'WEBHOOK_TARGETS: webhooks to private addresses are for development and are refused unless APP_ENV is local';
  }
  if (settings.REDIS_CLUSTER === false && settings.REDIS_URL?.includes(',')) yield 'REDIS_URL: several addresses are the nodes of a cluster, which REDIS_CLUSTER=true says';
  if (settings.REDIS_CLUSTER === true && settings.REDIS_URL?.split(',').some((url) => namesRedisDatabase(url.trim())) === true) {
    yield 'REDIS_URL: a Redis Cluster has database 0 alone: name no other (QUEUE_PREFIX keeps services apart)';
  }
  if (isGiven('GOOGLE_CLIENT_ID') && !isGiven('GOOGLE_CLIENT_SECRET')) yield 'GOOGLE_CLIENT_SECRET: required with GOOGLE_CLIENT_ID';
  if (isGiven('MAIL_BOUNCE_ADDRESS') && !isGiven('MAIL_BOUNCE_SECRET')) yield 'MAIL_BOUNCE_SECRET: required with MAIL_BOUNCE_ADDRESS';
  if (environment !== undefined && environment !== 'local' && isGiven('SMTP_URL') && !isGiven('MAIL_FROM')) {
    yield 'MAIL_FROM: required with SMTP_URL, an address that the mail server takes mails from';
  }
  if (environment === 'local' && (!isGiven('SRI_RECEPTION_URL') || !isGiven('SRI_AUTHORIZATION_URL'))) {
    yield 'SRI_RECEPTION_URL and SRI_AUTHORIZATION_URL: name the simulator (npm run simulator) when APP_ENV is local';
  } else if (isGiven('SRI_RECEPTION_URL') !== isGiven('SRI_AUTHORIZATION_URL')) {
    yield 'SRI_RECEPTION_URL and SRI_AUTHORIZATION_URL: set both, or none for the SRI of APP_ENV';
  }
  const { LEASE_SECONDS: lease, SRI_TIMEOUT_SECONDS: timeout } = settings;
  if (lease !== undefined && timeout !== undefined && lease < timeout + LEASE_MARGIN_SECONDS) {
    yield `LEASE_SECONDS and SRI_TIMEOUT_SECONDS: another worker would take a document over during a call to the SRI; let the lease be ${LEASE_MARGIN_SECONDS} s longer at least`;
  }
  const { MAIL_LEASE_SECONDS: mailLease, SMTP_URL: mailServer } = settings;
  if (mailLease !== undefined && mailServer !== undefined && mailLease < shortestMailLease(mailServer)) {
    yield `MAIL_LEASE_SECONDS and SMTP_URL: a mail would be given up while the mail server still has time to answer; let the lease be ${shortestMailLease(mailServer)} s at least, or the time-outs shorter`;
  }
  if (environment === undefined) return;
  const foreign = environment === 'production' ? SRI_TEST : SRI_PRODUCTION;
  for (const name of ['SRI_RECEPTION_URL', 'SRI_AUTHORIZATION_URL', 'SRI_CONSULTATION_URL'] as const) {
    const url = settings[name];
    if (url !== undefined && new URL(url).host === new URL(foreign).host) yield `${name}: that is the SRI's other environment, not that of APP_ENV ${environment}`;
  }
}

/**
 * Reads and validates the environment.
 * @param keys those that the process needs: where they are is to be said, too
 * @throws SettingsError naming every wrong or missing setting at once; values are not repeated, they may be secrets
 */
export function readSettings(environment: NodeJS.ProcessEnv = process.env, keys: readonly KeyKind[] = []): Settings {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== '' && value !== undefined));
  const parsed = SETTINGS_SCHEMA.safeParse(present, { error: plainProblem });
  const problems = [
    ...(parsed.error?.issues ?? []).map((issue) => `${issue.path.join('.')}: ${issue.message}`),
    ...leftProblems(present),
    ...keys.flatMap((kind) => KEY_PROBLEMS[kind](present) ?? []),
    ...contradictions(parsed.data ?? readable(present), present),
  ];
  if (!parsed.success || problems.length > 0) {
    throw new SettingsError(`Settings are wrong or missing (see .env.example):\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
  const settings = parsed.data;
  const base = settings.APP_ENV === 'production' ? SRI_PRODUCTION : SRI_TEST;
  const authorization = settings.SRI_AUTHORIZATION_URL ?? `${base}/AutorizacionComprobantesOffline`;
  return {
    ...settings,
    SRI_RECEPTION_URL: settings.SRI_RECEPTION_URL ?? `${base}/RecepcionComprobantesOffline`,
    SRI_AUTHORIZATION_URL: authorization,
    SRI_CONSULTATION_URL: settings.SRI_CONSULTATION_URL ?? new URL('ConsultaComprobante', authorization).href,
    DATABASE_OWNER_URL: settings.DATABASE_OWNER_URL ?? settings.DATABASE_URL,
    WEBHOOK_TARGETS: settings.WEBHOOK_TARGETS ?? (settings.APP_ENV === 'local' ? 'any' : 'public'),
  };
}

/** Which of the SRI's environments this deployment issues into. */
export function sriEnvironment(settings: Pick<Settings, 'APP_ENV'>): 'TEST' | 'PRODUCTION' {
  return settings.APP_ENV === 'production' ? 'PRODUCTION' : 'TEST';
}

/** The setting that names the owner's login: the service's own stands in for it. */
export function ownerSetting(environment: NodeJS.ProcessEnv = process.env): 'DATABASE_OWNER_URL' | 'DATABASE_URL' {
  return environment['DATABASE_OWNER_URL'] ? 'DATABASE_OWNER_URL' : 'DATABASE_URL';
}

/**
 * The database to migrate: the owner's login, else the service's.
 * @throws SettingsError when neither is set, it is still that of the example, or no address of PostgreSQL
 */
export function readOwnerUrl(environment: NodeJS.ProcessEnv = process.env): string {
  const name = ownerSetting(environment);
  const url = environment[name];
  if (!url) throw new SettingsError('DATABASE_OWNER_URL or DATABASE_URL: set the database to work on');
  const [left] = leftProblems({ [name]: url });
  if (left !== undefined) throw new SettingsError(left);
  const [wrong] = databaseAddress().safeParse(url).error?.issues ?? [];
  if (wrong !== undefined) throw new SettingsError(`${name}: ${wrong.message}`);
  return url;
}
