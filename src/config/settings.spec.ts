import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { readOwnerUrl, readSettings, SETTINGS_SCHEMA, SettingsError } from './settings.js';

const GIVEN = { DATABASE_URL: 'postgres://localhost/sello', REDIS_URL: 'redis://localhost', MAIL_FROM: 'no-reply@mail.example' };
const CELCER = 'https://celcer.sri.gob.ec/comprobantes-electronicos-ws/RecepcionComprobantesOffline';
const CEL = 'https://cel.sri.gob.ec/comprobantes-electronicos-ws/RecepcionComprobantesOffline';

describe('settings', () => {
  it('take the services of their own environment', () => {
    expect(readSettings({ ...GIVEN, APP_ENV: 'sandbox' })).toMatchObject({ SRI_RECEPTION_URL: CELCER });
    expect(readSettings({ ...GIVEN, APP_ENV: 'production' })).toMatchObject({ SRI_RECEPTION_URL: CEL });
  });

  it.each([['production', CELCER], ['sandbox', CEL]])('refuse in %s a service of the other environment', (APP_ENV, url) => {
    for (const name of ['SRI_RECEPTION_URL', 'SRI_AUTHORIZATION_URL', 'SRI_CONSULTATION_URL']) {
      const others = name === 'SRI_CONSULTATION_URL' ? {} : { SRI_RECEPTION_URL: 'https://sri.example/r', SRI_AUTHORIZATION_URL: 'https://sri.example/a' };
      expect(() => readSettings({ ...GIVEN, APP_ENV, ...others, [name]: url })).toThrow(new RegExp(`${name}.*other environment`));
    }
  });

  it.each(['SRI_RECEPTION_URL', 'SRI_AUTHORIZATION_URL'])('refuse %s alone: the other would be the SRI\'s own', (name) => {
    for (const APP_ENV of ['sandbox', 'production']) {
      expect(() => readSettings({ ...GIVEN, APP_ENV, [name]: 'https://sri.example/ws' })).toThrow(/SRI_RECEPTION_URL and SRI_AUTHORIZATION_URL: set both/);
    }
    expect(readSettings({ ...GIVEN, APP_ENV: 'sandbox', SRI_CONSULTATION_URL: 'https://sri.example/ws' })).toMatchObject({ SRI_RECEPTION_URL: CELCER });
  });

  it('refuse a lease that ends during a call to the SRI', () => {
    const read = (LEASE_SECONDS: string, SRI_TIMEOUT_SECONDS?: string): unknown => readSettings({ ...GIVEN, APP_ENV: 'sandbox', LEASE_SECONDS, SRI_TIMEOUT_SECONDS });
    for (const [lease, timeout] of [['2', undefined], ['30', '30'], ['60', '90']] as const) expect(() => read(lease, timeout)).toThrow(/LEASE_SECONDS and SRI_TIMEOUT_SECONDS/);
    expect(read('31', '30')).toMatchObject({ LEASE_SECONDS: 31 });
  });

  it('refuse a lease of mails that ends while the mail server may still answer', () => {
    const read = (MAIL_LEASE_SECONDS: string, SMTP_URL?: string): unknown => readSettings({ ...GIVEN, APP_ENV: 'sandbox', MAIL_LEASE_SECONDS, SMTP_URL });
    const quick = 'smtp://mail?connectionTimeout=1000&greetingTimeout=1000&socketTimeout=2000';
    for (const [lease, server, least] of [['56', 'smtp://mail', 57], ['56', 'smtp://mail?socketTimeout=0', 57], ['4', quick, 5], ['300', 'smtp://mail?socketTimeout=600000', 788]] as const) {
      expect(() => read(lease, server)).toThrow(new RegExp(`^  MAIL_LEASE_SECONDS and SMTP_URL: .* be ${least} s at least`, 'm'));
    }
    for (const [lease, server] of [['57', 'smtp://mail'], ['5', quick], ['1', undefined]] as const) expect(read(lease, server)).toMatchObject({ MAIL_LEASE_SECONDS: Number(lease) });
  });

  it('refuse to write mails in a name that nobody set, but on a machine of their own', () => {
    const read = (APP_ENV: string, given: object) => () => readSettings({ ...GIVEN, MAIL_FROM: undefined, APP_ENV, ...given });
    for (const APP_ENV of ['sandbox', 'production']) {
      expect(read(APP_ENV, { SMTP_URL: 'smtp://mail' })).toThrow(/^ {2}MAIL_FROM: required with SMTP_URL/m);
      expect(read(APP_ENV, {})).not.toThrow();
    }
    const simulator = { SRI_RECEPTION_URL: 'http://127.0.0.1/r', SRI_AUTHORIZATION_URL: 'http://127.0.0.1/a' };
    expect(read('local', { ...simulator, SMTP_URL: 'smtp://mail' })).not.toThrow();
  });

  it('name every wrong or missing setting at once and repeat no value', () => {
    const attempt = (): unknown => readSettings({ PORT: 'secret-port', LOG_LEVEL: 'loud' });
    expect(attempt).toThrow(SettingsError);
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'PORT', 'LOG_LEVEL']) expect(attempt).toThrow(new RegExp(name));
    expect(attempt).not.toThrow(/secret-port/);
  });

  it('name beside what is wrong what does not go together, and the keys that a process lacks', () => {
    const given = { DATABASE_URL: 'mysql://x', REDIS_URL: 'redis://one,redis://two', APP_ENV: 'sandbox', FAULTS: '', WEBHOOK_TARGETS: 'any', GOOGLE_CLIENT_ID: 'id', MAIL_BOUNCE_ADDRESS: 'b@mail.example', LEASE_SECONDS: '5', SRI_RECEPTION_URL: CEL };
    const attempt = (): unknown => readSettings({ ...given, MASTER_KEY: 'c2hvcnQ=', MASTER_KEY_FILE: '/run/key' }, ['master', 'token']);
    for (const told of ['DATABASE_URL: an address', 'REDIS_URL: several', 'WEBHOOK_TARGETS: ', 'GOOGLE_CLIENT_SECRET: required', 'MAIL_BOUNCE_SECRET: required', 'LEASE_SECONDS and SRI_TIMEOUT_SECONDS: ', 'SRI_RECEPTION_URL and SRI_AUTHORIZATION_URL: set both', 'SRI_RECEPTION_URL: .*other environment', 'MASTER_KEY or MASTER_KEY_FILE: give exactly one', 'TOKEN_KEYS or TOKEN_KEYS_FILE: set']) {
      expect(attempt).toThrow(new RegExp(`^  ${told}`, 'm'));
    }
  });

  it('tell of no setting that another lacks where it is there, and wrong', () => {
    const attempt = (): unknown => readSettings({ ...GIVEN, APP_ENV: 'sandbox', MAIL_BOUNCE_ADDRESS: 'b@mail.example', MAIL_BOUNCE_SECRET: 'short', SRI_RECEPTION_URL: 'https://sri.example', SRI_AUTHORIZATION_URL: 'ftp://sri.example' });
    expect(attempt).toThrow(/MAIL_BOUNCE_SECRET/);
    expect(attempt).not.toThrow(/required|set both/);
  });

  it('ask commands that use no key for none', () => {
    expect(readSettings({ ...GIVEN, APP_ENV: 'production' })).toMatchObject({ APP_ENV: 'production' });
  });

  it.each([
    ['DATABASE_URL', undefined, 'required'],
    ['REDIS_URL', undefined, 'required'],
    ['PORT', 'many', 'a number'],
    // PostgreSQL is asked for the mail so many before the last: more than an integer holds was a fault of its own.
    ['MAIL_RESENDS_PER_HOUR', '2147483648', '<=1000'],
    ['MAIL_RESENDS_PER_RECIPIENT_PER_DAY', '2147483648', '<=100000'],
    ['MAIL_FROM', 'xx', 'an address such as'],
    ['PROVIDER_RUC', '12', '13 digits'],
    ['TRUSTED_PROXIES', '300.1.1.1', 'IP addresses and networks'],
    ['TRUSTED_PROXIES', '10.0.0.0/8, 10.1.0.0/33', 'IP addresses and networks'],
    ['TRUSTED_PROXIES', '10.0.0.0/255.0.255.0', 'IP addresses and networks'],
    ['TRUSTED_PROXIES', '10.0.0.0/8,', 'IP addresses and networks'],
    ['TRUSTED_PROXIES', 'true', 'IP addresses and networks'],
    ['SRI_RECEPTION_URL', 'ftp://x', 'http:// or https://'],
    ['PUBLIC_URL', 'javascript:alert', 'http:// or https://'],
    ['MAIL_BOUNCE_ADDRESS', 'returned+sello@mail.example', 'no \\+ before the @'],
    ['SMTP_URL', 'smtp://', 'and a host'],
    ['SMTP_URL', 'http://mail.example', 'smtp:// or smtps://'],
    ['DATABASE_URL', 'mysql://localhost/sello', 'postgresql://'],
    ['DATABASE_URL', 'localhost', 'postgresql://'],
    ['DATABASE_OWNER_URL', 'localhost', 'postgresql://'],
  ])('tell of %s %p in words that it must be: %s', (name, value, told) => {
    const attempt = (): unknown => readSettings({ ...GIVEN, APP_ENV: 'sandbox', [name]: value });
    expect(attempt).toThrow(SettingsError);
    expect(attempt).toThrow(new RegExp(`^  ${name}: .*${told}.*$`, 'm'));
    expect(attempt).not.toThrow(/undefined|NaN|regular|pattern/);
  });

  /** What is only compared with the clock, and never waited for. */
  const COMPARED = ['ANSWER_DEADLINE_SECONDS', 'RECHECK_SECONDS', 'WEBHOOK_DISABLE_AFTER_SECONDS', 'DATABASE_REPLICA_MAX_LAG_SECONDS'];
  const measured = Object.keys(SETTINGS_SCHEMA.shape).filter((name) => /_(SECONDS|MS|LADDER)$/.test(name) && !COMPARED.includes(name));

  it.each(measured)('refuse for %s what is longer than a timer of the host may be', (name) => {
    const longest = name.endsWith('_MS') ? 2_000_000_000 : 2_000_000;
    const read = (value: number): unknown => readSettings({ ...GIVEN, APP_ENV: 'sandbox', LEASE_SECONDS: '2000000', [name]: `${value}` });
    expect(() => read(longest + 1)).toThrow(new RegExp(`^  ${name}: .*at most ${longest}$`, 'm'));
    // The lease lasts longer than a call to the SRI.
    const taken = name === 'SRI_TIMEOUT_SECONDS' ? longest - 1 : longest;
    expect(read(taken)).toMatchObject({ [name]: name.endsWith('_LADDER') ? [taken] : taken });
  });

  const HUNDRED_YEARS = { SECONDS: 3_155_760_000, HOURS: 876_600, DAYS: 36_525, MONTHS: 1_200 } as const;
  const spans = Object.keys(SETTINGS_SCHEMA.shape).filter((name) => COMPARED.includes(name) || /_(HOURS|DAYS|MONTHS)$/.test(name));

  it.each(spans)('take for %s a hundred years, and refuse more: now, so much earlier or later, would be no date', (name) => {
    const longest = HUNDRED_YEARS[name.split('_').at(-1) as keyof typeof HUNDRED_YEARS];
    const read = (value: number): unknown => readSettings({ ...GIVEN, APP_ENV: 'sandbox', [name]: `${value}` });
    expect(read(longest)).toMatchObject({ [name]: longest });
    expect(() => read(longest + 1)).toThrow(new RegExp(`^  ${name}: at most ${longest}$`, 'm'));
  });

  it.each(['10.0.0.0/8', '10.0.0.1, fd00::/8', '10.0.0.0/255.0.0.0', 'loopback,uniquelocal', '::1'])('take %p for proxies', (TRUSTED_PROXIES) => {
    expect(readSettings({ ...GIVEN, APP_ENV: 'sandbox', TRUSTED_PROXIES })).toMatchObject({ TRUSTED_PROXIES });
  });

  it('take a mail server by its name alone, and with all that leads to it', () => {
    for (const SMTP_URL of ['smtp://mail', 'smtps://user:p%40ss@mail.example:465/?pool=true']) expect(readSettings({ ...GIVEN, APP_ENV: 'sandbox', SMTP_URL })).toMatchObject({ SMTP_URL });
  });

  it.each([
    'owner:tail@of/secret@db.example:5432/sello', 'owner:tail/of@db.example/sello', 'owner:12/tail@db.example/sello', ':tail@of?secret@db.example', 'owner:tail@of#secret@db.example/sello',
  ])('refuse %s, whose password would go on in what is told of the host, and repeat nothing of it', (rest) => {
    const refused = (read: () => unknown, name: string): void => {
      expect(read).toThrow(new RegExp(`${name}: .*percent-encoded .@ as %40`));
      expect(read).not.toThrow(/tail|secret|db\.example/);
    };
    for (const name of ['DATABASE_URL', 'DATABASE_OWNER_URL', 'DATABASE_REPLICA_URL']) refused(() => readSettings({ ...GIVEN, APP_ENV: 'sandbox', [name]: `postgresql://${rest}` }), name);
    refused(() => readSettings({ ...GIVEN, APP_ENV: 'sandbox', REDIS_URL: `rediss://${rest}` }), 'REDIS_URL');
    refused(() => readOwnerUrl({ DATABASE_OWNER_URL: `postgresql://${rest}` }), 'DATABASE_OWNER_URL');
  });

  it('take a password with an @ where it is sure what the host is', () => {
    for (const rest of ['owner:p@ss@localhost/sello', 'owner:p%40ss%2Fword@localhost/sello?sslmode=verify-full']) {
      expect(readSettings({ ...GIVEN, APP_ENV: 'sandbox', DATABASE_URL: `postgresql://${rest}`, REDIS_URL: `redis://${rest.replace('/sello', '/2')}` })).toMatchObject({ DATABASE_URL: `postgresql://${rest}` });
    }
  });

  it.each(['options=-c%20jit%3Don', '%6fptions=', 'sslmode=verify-full&application_name=mine', 'statement_timeout=0', 'lock_timeout=0', 'idle_in_transaction_session_timeout=0', 'query_timeout=1'])(
    'refuse an address of a database that ends in ?%s: the driver would take it in the place of what the service sets', (query) => {
      const refused = /(DATABASE_URL|DATABASE_OWNER_URL|DATABASE_REPLICA_URL): an address without \?options=, .*`alter role … set`$/m;
      const address = `postgresql://owner:secret@localhost/sello?${query}`;
      for (const name of ['DATABASE_URL', 'DATABASE_OWNER_URL', 'DATABASE_REPLICA_URL']) {
        const read = (): unknown => readSettings({ ...GIVEN, APP_ENV: 'sandbox', [name]: address });
        expect(read).toThrow(new RegExp(`^  ${name}: `, 'm'));
        expect(read).toThrow(refused);
        expect(read).not.toThrow(/secret|jit/);
      }
      expect(() => readOwnerUrl({ DATABASE_OWNER_URL: address })).toThrow(refused);
    },
  );

  it('take in an address of a database how to come there', () => {
    const DATABASE_URL = 'postgresql://localhost/sello?sslmode=verify-full&sslrootcert=/run/authority.pem&host=/run/postgresql&port=5433';
    expect(readSettings({ ...GIVEN, APP_ENV: 'sandbox', DATABASE_URL })).toMatchObject({ DATABASE_URL });
  });

  it.each(['http://u:PW@vault.example/v1/transit/keys/sello', 'http://u@vault.example/v1/transit/keys/sello', 'https://vault.example/v1/transit/keys/sello/', 'https://vault.example/v1/transit', 'https://vault.example/v1/transit/keys/sello?PW'])(
    'refuse %s for a key of Vault, and repeat nothing of it', (MASTER_KEY_VAULT_URL) => {
      const read = (): unknown => readSettings({ ...GIVEN, APP_ENV: 'sandbox', MASTER_KEY_VAULT_URL });
      expect(read).toThrow(/^ {2}MASTER_KEY_VAULT_URL: an address without user and password that ends in \/keys\/NAME$/m);
      expect(read).not.toThrow(/PW|vault\.example/);
    },
  );

  it('take the address of a key of Vault', () => {
    const MASTER_KEY_VAULT_URL = 'https://vault.example:8200/v1/transit/keys/sello';
    expect(readSettings({ ...GIVEN, APP_ENV: 'sandbox', MASTER_KEY_VAULT_URL })).toMatchObject({ MASTER_KEY_VAULT_URL });
    expect(() => readSettings({ ...GIVEN, APP_ENV: 'sandbox', MASTER_KEY_VAULT_URL: 'vault' })).toThrow(/^ {2}MASTER_KEY_VAULT_URL: an address that begins with http/m);
  });

  it('refuse for what the owner does an address of another database', () => {
    for (const name of ['DATABASE_OWNER_URL', 'DATABASE_URL']) expect(() => readOwnerUrl({ [name]: 'mysql://localhost/sello' })).toThrow(new RegExp(`^${name}: .*postgresql://`));
  });

  it.each(['local', 'sandbox', 'production'])('refuse in %s each secret that is left as the example has it, and repeat none', (APP_ENV) => {
    const secrets = parseAllDocuments(readFileSync('docker/kubernetes/secrets.example.yaml', 'utf8')).map((document) => (document.toJS() as { stringData: Record<string, string> }).stringData);
    const attempt = (): unknown => readSettings({ ...GIVEN, ...Object.assign({}, ...secrets), APP_ENV });
    expect(attempt).toThrow(SettingsError);
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'MASTER_KEY', 'TOKEN_KEYS', 'SMTP_URL', 'DATABASE_OWNER_URL']) {
      const left = new RegExp(`^ *${name}: still holds REPLACE`, 'm');
      expect(attempt).toThrow(left);
      const value = secrets.map((secret) => secret[name]).find((one) => one !== undefined);
      expect(() => readSettings({ ...GIVEN, APP_ENV, [name]: value })).toThrow(left);
    }
    expect(attempt).not.toThrow(/sello_service|redis\.example/);
  });

  it('refuse the login of an example for what the owner does, too', () => {
    for (const name of ['DATABASE_OWNER_URL', 'DATABASE_URL']) expect(() => readOwnerUrl({ [name]: 'postgresql://sello_owner:REPLACE@db/sello' })).toThrow(new RegExp(`^${name}: still holds REPLACE`));
    expect(readOwnerUrl({ DATABASE_OWNER_URL: 'postgresql://sello_owner:secret@db/sello', DATABASE_URL: 'postgresql://x:REPLACE@db/sello' })).toContain('secret');
  });

  it.each([
    ['MASTER_KEY', 'abREPLACEcd='], ['MASTER_KEY', 'REPLACE+b3Rz'], ['MASTER_KEY', 'b3Rz/REPLACE'], ['TOKEN_KEYS', 'MIIEREPLACE'], ['PUBLIC_URL', 'https://replace.example'], ['GOOGLE_CLIENT_SECRET', 'GOCSPX-REPLACE_it'],
  ])('take for %s letters that are a secret of their own: %s', (name, value) => {
    expect(readSettings({ ...GIVEN, APP_ENV: 'sandbox', [name]: value })).toMatchObject({ [name]: value });
  });

  it('look at nothing but settings', () => {
    expect(readSettings({ ...GIVEN, APP_ENV: 'sandbox', EDITOR_HINT: 'REPLACE' })).toMatchObject({ APP_ENV: 'sandbox' });
  });

  it.each(['production', 'sandbox'])('refuse in %s webhooks to private addresses', (APP_ENV) => {
    expect(readSettings({ ...GIVEN, APP_ENV }).WEBHOOK_TARGETS).toBe('public');
    expect(() => readSettings({ ...GIVEN, APP_ENV, WEBHOOK_TARGETS: 'any' })).toThrow(/WEBHOOK_TARGETS/);
  });

  it.each(['sello', '{}', 'sello{}', '{a b}', '{sello'])('refuse %p as a prefix: keys would lie in many slots of a Redis Cluster', (QUEUE_PREFIX) => {
    expect(() => readSettings({ ...GIVEN, APP_ENV: 'sandbox', QUEUE_PREFIX })).toThrow(/QUEUE_PREFIX.*hash tag/);
  });

  it('take several addresses of Redis for a cluster only', () => {
    const several = { ...GIVEN, APP_ENV: 'sandbox', REDIS_URL: 'redis://one:7000, redis://two:7000' };
    expect(() => readSettings(several)).toThrow(/REDIS_CLUSTER/);
    expect(readSettings({ ...several, REDIS_CLUSTER: 'true' }).REDIS_CLUSTER).toBe(true);
    expect(() => readSettings({ ...several, REDIS_CLUSTER: 'true', REDIS_URL: 'redis://one, http://two' })).toThrow(/REDIS_URL/);
  });

  it('refuse a database of Redis that is no number, and any but 0 of a cluster, which has no other', () => {
    const read = (REDIS_URL: string, REDIS_CLUSTER = 'false'): unknown => readSettings({ ...GIVEN, APP_ENV: 'sandbox', REDIS_URL, REDIS_CLUSTER });
    for (const path of ['/sello', '/1x', '/-1', '/1/2']) expect(() => read(`redis://one${path}`)).toThrow(/^ {2}REDIS_URL: .*number of a database/m);
    for (const path of ['', '/', '/0', '/2', '?db=2']) expect(() => read(`redis://one${path}`)).not.toThrow();
    for (const path of ['', '/', '/0', '?db=0']) expect(() => read(`redis://one,redis://two${path}`, 'true')).not.toThrow();
    for (const path of ['/2', '/10', '?db=2']) expect(() => read(`redis://one,redis://two${path}`, 'true')).toThrow(/^ {2}REDIS_URL: a Redis Cluster has database 0 alone/m);
    for (const path of ['', '/', '/0']) expect(() => read(`redis://one,redis://two${path}`, 'true')).not.toThrow();
  });

  it('refuse kill points in production', () => {
    expect(() => readSettings({ ...GIVEN, APP_ENV: 'production', FAULTS: 'after-claim:1:kill9' })).toThrow(/FAULTS/);
  });
});
