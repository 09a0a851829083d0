import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Mailbox } from '../../src/local/mailbox.js';
import { awaitMail } from '../support/await-mail.js';
import { Business } from '../support/business.js';
import { newAddress } from '../support/callers.js';
import { call, type CallOptions } from '../support/http.js';
import { rsaPair } from '../support/pki.js';
import { type Stack, startStack } from '../support/stack.js';
import { container } from '../support/uploads.js';

/** Bytes of a secret that nothing else has: enough to know it by, from its middle. */
const MARK = 48;

describe('secrets', () => {
  let stack: Stack;
  let mailbox: Mailbox;
  let business: Business;
  /** Every secret that was sent or made, by what it is. */
  const secrets = new Map<string, Buffer>();
  const answers: string[] = [];
  const statuses: Record<string, number> = {};

  beforeAll(async () => {
    mailbox = await Mailbox.start();
    stack = await startStack({ env: { SMTP_URL: mailbox.smtpUrl, LOG_LEVEL: 'debug', LEASE_SECONDS: '10', SRI_TIMEOUT_SECONDS: '5' } });
    business = await Business.open(stack, { certificate: null });
    secrets.set('an API key', Buffer.from(business.apiKey));
  });
  afterAll(async () => {
    await stack.stop();
    await mailbox.stop();
  });

  /** A new secret; the name says where it is sent. */
  const secret = (name: string): string => {
    const text = `Canary${randomBytes(15).toString('hex')}9z`;
    secrets.set(name, Buffer.from(text));
    return text;
  };

  /** A call whose answer may hold no secret at all. */
  const ask = async (what: string, method: string, path: string, options: CallOptions = {}, apiUrl = stack.apiUrl): Promise<void> => {
    const { status, text, headers } = await call(apiUrl, method, path, options);
    statuses[what] = status;
    answers.push(`${what}\n${JSON.stringify([...headers])}\n${text}`);
  };

  /** The secrets that a text holds, in any of the forms in which it could. */
  const heldBy = (text: string): string[] => {
    const plain = text.replaceAll('\\', '');
    return [...secrets].filter(([, bytes]) => {
      const middle = bytes.length <= MARK ? bytes : bytes.subarray(bytes.length >> 1, (bytes.length >> 1) + MARK);
      const latin = middle.toString('latin1');
      // Three alignments of base64, without the characters at the ends that depend on their neighbours.
      const base64 = [0, 1, 2].flatMap((shift) => {
        const encoded = Buffer.concat([Buffer.alloc(shift), middle]).toString('base64').replaceAll('=', '').slice(shift === 0 ? 0 : 4, -4);
        return [encoded, encoded.replaceAll('+', '-').replaceAll('/', '_')];
      });
      return [latin, middle.toString('hex'), ...base64].some((form) => form.length > 12 && plain.includes(form));
    }).map(([name]) => name);
  };

  const rowsAsText = async (): Promise<string> => {
    const tables = await stack.database.query<{ name: string }>(`select quote_ident(table_name) as name from information_schema.tables where table_schema = 'sello' and table_type = 'BASE TABLE'`);
    const dumps = await Promise.all(tables.map(({ name }) => stack.database.query<{ row: string }>(`select t::text as row from sello.${name} t`)));
    expect(tables.length).toBeGreaterThan(20);
    return dumps.flat().map(({ row }) => row).join('\n');
  };

  const redisAsText = async (): Promise<string> => {
    const read = async (key: string): Promise<unknown> => {
      switch (await stack.redis.type(key)) {
        case 'string': return stack.redis.get(key);
        case 'hash': return stack.redis.hgetall(key);
        case 'list': return stack.redis.lrange(key, 0, -1);
        case 'set': return stack.redis.smembers(key);
        case 'zset': return stack.redis.zrange(key, 0, -1);
        default: return null;
      }
    };
    const keys = await stack.redis.keys('*');
    return JSON.stringify(await Promise.all(keys.map(async (key) => [key, await read(key)])));
  };

  const logsAsText = (): string => readdirSync(stack.logFolder).map((file) => readFileSync(join(stack.logFolder, file), 'utf8')).join('\n');

  it('would be found', () => {
    const [name, bytes] = ['a control', randomBytes(200)];
    secrets.set(name, bytes);
    for (const text of [bytes.toString('base64'), `x${Buffer.concat([Buffer.from('ab'), bytes]).toString('base64url')}`, `\\x${bytes.toString('hex')}`, `"${business.apiKey}"`]) {
      expect(heldBy(text)).toHaveLength(1);
    }
    secrets.delete(name);
  });

  it('are refused at every layer', async () => {
    const { apiKey } = business;
    const certificates = `/issuers/${business.issuerId}/certificates`;
    // The wire.
    await ask('a broken body', 'POST', '/auth/login', { body: `{"email":"a@b.co","password":"${secret('a password in broken JSON')}",}` });
    await ask('a body of another kind', 'POST', '/auth/login', { body: `password=${secret('a password in a form')}`, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } });
    await ask('a body too large', 'POST', '/auth/login', { body: { email: 'a@b.co', password: secret('a password in a large body'), x: 'x'.repeat(1_100_000) } });
    await ask('a key in the address', 'GET', `/issuers?api_key=${secret('a key in the address')}&token=${secret('a token in the address')}`);
    // Credentials.
    await ask('a wrong key', 'GET', '/issuers', { apiKey: `svc_test_${secret('a wrong key')}` });
    await ask('a wrong token', 'GET', '/issuers', { token: secret('a wrong token') });
    await ask('a wrong scheme', 'GET', '/issuers', { headers: { Authorization: `Basic ${Buffer.from(`user:${secret('basic credentials')}`).toString('base64')}` } });
    await ask('a wrong cookie', 'GET', '/issuers', { cookie: `service_access_token=${secret('a wrong cookie')}` });
    await ask('a key and a token', 'GET', '/issuers', { apiKey, token: secret('a token beside a key') });
    // Fields.
    await ask('a password that is a list', 'POST', '/auth/login', { body: { email: 'a@b.co', password: [secret('a password in a list')] } });
    await ask('a password too long', 'POST', '/auth/login', { body: { email: 'a@b.co', password: secret('a long password').padEnd(300, 'x') } });
    await ask('names that were mistyped', 'POST', '/auth/login', {
      body: { email: 'a@b.co', Password: secret('a password under another name'), api_key: secret('a key in a body'), refreshToken: secret('a token under another name'), client_secret: { value: secret('a secret in an object') } },
    });
    await ask('passwords under mistyped names', 'POST', '/auth/login', {
      body: { email: 'a@b.co', contrasena: secret('a password under a Spanish name'), pasword: secret('a password under a mistyped name'), x: secret('a password under any name') },
    });
    await ask('a password where no body is read', 'POST', '/auth/logout', { body: { clave: secret('a password under a Spanish name beside no body') } });
    await ask('a key beside a good one', 'GET', `/issuers?api_key=${secret('a key beside a good one')}`, { apiKey });
    await ask('a file that is none', 'POST', certificates, { apiKey, body: { file_base64: `${secret('a file that is no base64')}!`, password: secret('a password beside a broken file') } });
    for (const [what, url] of [['', '@example.com/'], [' of another scheme', '@example.com'], [' that is none', '/@'], [' too long', `@example.com/${'x'.repeat(2_100)}`]] as const) {
      const scheme = what.includes('scheme') ? 'ftp' : 'https';
      await ask(`an address with a password${what}`, 'POST', '/webhooks', { apiKey, body: { url: `${scheme}://user:${secret(`a password in an address${what}`)}${url}` } });
    }
    for (const [what, before] of [['no slashes', 'https:'], ['no scheme', ''], ['slashes alone', '//'], ['a tab in its scheme', 'ht\ttps://']] as const) {
      await ask(`an address with ${what}`, 'POST', '/webhooks', { apiKey, body: { url: `${before}user:${secret(`a password in an address with ${what}`)}@example.com/` } });
    }
    await ask('an address under another name', 'POST', '/webhooks', { apiKey, body: { address: `https://user:${secret('a password in an address under another name')}@example.com/` } });
    await ask('tokens too long', 'POST', '/auth/email/verify', { body: { token: secret('a long token').padEnd(200, 'x') } });
    // Rules.
    const file = container(business.ruc, { container: { password: secret('the password of a file') } });
    secrets.set('a file', file);
    secrets.set('a private key', rsaPair().privateKey.export({ format: 'der', type: 'pkcs8' }));
    await ask('a wrong password of a file', 'POST', certificates, { apiKey, body: { file_base64: file.toString('base64'), password: secret('a wrong password of a file') } });
    await ask('half a file', 'POST', certificates, { apiKey, body: { file_base64: file.subarray(0, 900).toString('base64'), password: secrets.get('the password of a file')!.toString() } });
    await ask('a file', 'POST', certificates, { apiKey, body: { file_base64: file.toString('base64'), password: secrets.get('the password of a file')!.toString() } });
    for (const path of ['/auth/password/reset', '/auth/email/verify', '/auth/invitations/look', '/auth/invitations/accept', '/auth/refresh']) {
      const tokens = path.endsWith('refresh') ? { refresh_token: secret(`a token of ${path}`) } : { token: secret(`a token of ${path}`) };
      await ask(path, 'POST', path, { body: { ...tokens, ...(/reset|accept/.test(path) ? { password: secret(`a password of ${path}`) } : {}), ...(path.endsWith('accept') ? { name: 'Ana' } : {}) } });
    }
    const { 'a file': taken, ...refused } = statuses;
    expect(taken).toBe(201);
    expect(Object.entries(refused).filter(([, status]) => status < 400 || status >= 500)).toEqual([]);
  });

  it('are made, mailed and used', async () => {
    const [email, password] = [newAddress(), secret('the password of an account')];
    const signedUp = await call(stack.apiUrl, 'POST', '/auth/signup', { body: { email, password, name: 'Ana', tenant_name: 'Andina' } });
    expect(signedUp.status).toBe(201);
    await ask('a wrong log-in', 'POST', '/auth/login', { body: { email, password: secret('a wrong password') } });
    const signedIn = await call(stack.apiUrl, 'POST', '/auth/login', { body: { email, password, cookie: true } });
    const token = signedUp.body.access_token as string;
    secrets.set('an access token', Buffer.from(token.split('.')[2] ?? ''));
    secrets.set('a refresh token', Buffer.from(signedUp.body.refresh_token as string));
    for (const cookie of signedIn.headers.getSetCookie()) {
      const value = (cookie.split(';')[0] ?? '').split('=')[1] ?? '';
      secrets.set(`the cookie ${cookie.split('=')[0]}`, Buffer.from(value.split('.').at(-1) ?? ''));
    }
    await ask('who it is', 'GET', '/auth/me', { token });
    await ask('a change by a wrong password', 'POST', '/auth/password/change', { token, body: { current_password: secret('a wrong present password'), password: secret('a password that was not set') } });
    await ask('a change of the password', 'POST', '/auth/password/change', { token, body: { current_password: password, password: secret('another password of the account') } });
    await ask('a forgotten password', 'POST', '/auth/password/forgot', { body: { email } });
    const made = await call(stack.apiUrl, 'POST', '/auth/api-keys', { token, body: { name: 'Shop' } });
    secrets.set('a key that was made', Buffer.from(made.body.key as string));
    await ask('the keys', 'GET', '/auth/api-keys', { token });
    await ask('the log', 'GET', '/tenant/audit-log', { token });
    await ask('a use of the key', 'GET', '/tenant', { apiKey: made.body.key as string });
    for (const letter of [0, 1]) {
      const mailed = /(?:Código|Code)[^:]*: (\S+)/.exec((await awaitMail(mailbox, email, letter)).text)?.[1] ?? '';
      expect(mailed.length).toBeGreaterThan(20);
      secrets.set(`a token of letter ${letter}`, Buffer.from(mailed));
    }
    expect(['who it is', 'a change of the password', 'a forgotten password', 'the keys', 'the log', 'a use of the key'].map((what) => statuses[what])).toEqual([200, 204, 202, 200, 200, 200]);
  });

  it('meet stores that fail', async () => {
    const broken = async (table: string, calls: () => Promise<void>): Promise<void> => {
      await stack.database.query(`alter table ${table} rename to broken_${table}`);
      await calls();
      await stack.database.query(`alter table broken_${table} rename to ${table}`);
    };
    const { apiKey } = business;
    const again = container(business.ruc, { key: rsaPair('b'), der: { key: rsaPair('b') }, container: { password: secret('the password of a file that is not stored') } });
    secrets.set('a file that is not stored', again);
    await broken('certificates', () => ask('a file without a table', 'POST', `/issuers/${business.issuerId}/certificates`, {
      apiKey, body: { file_base64: again.toString('base64'), password: secrets.get('the password of a file that is not stored')!.toString() },
    }));
    await broken('users', () => ask('a log-in without a table', 'POST', '/auth/login', { body: { email: 'a@b.co', password: secret('a password without a table') } }));
    await broken('api_keys', async () => {
      await ask('a key without a table', 'GET', '/issuers', { apiKey });
      await ask('a new key without a table', 'GET', '/issuers', { apiKey: `svc_test_${secret('a key without a table')}` });
    });
    await broken('one_time_tokens', () => ask('a reset without a table', 'POST', '/auth/password/reset', { body: { token: secret('a token without a table'), password: secret('a new password without a table') } }));
    const alone = await stack.startApi({ REDIS_URL: 'redis://127.0.0.1:9', SMTP_URL: 'smtp://127.0.0.1:9' });
    await ask('a log-in without Redis', 'POST', '/auth/login', { body: { email: 'a@b.co', password: secret('a password without Redis') } }, alone);
    expect(['a file without a table', 'a log-in without a table', 'a key without a table', 'a reset without a table', 'a log-in without Redis'].map((what) => statuses[what])).toEqual([500, 500, 500, 500, 503]);
  });

  it('meet a worker that fails, and one that signs', async () => {
    const signed = await business.accepted();
    expect((await business.settled(signed.document_id)).status).toBe('AUTHORIZED');
    const spoiled = await Business.open(stack);
    secrets.set('a second API key', Buffer.from(spoiled.apiKey));
    await stack.database.query(`update certificates set sealed_key = set_byte(sealed_key, length(sealed_key) - 1, 255 - get_byte(sealed_key, length(sealed_key) - 1)) where tenant_id = $1`, [spoiled.tenantId]);
    const { document_id } = await spoiled.accepted();
    let failed = await spoiled.document(document_id);
    for (const until = Date.now() + 60_000; failed['error'] === null && Date.now() < until; failed = await spoiled.document(document_id)) await sleep(100);
    expect(failed['error']).toMatchObject({ code: expect.any(String) });
    await ask('what is left', 'GET', '/documents', { apiKey: spoiled.apiKey });
  });

  it('are in no answer', () => {
    expect(answers.length).toBeGreaterThan(30);
    expect(answers.map((answer) => [answer.split('\n')[0], heldBy(answer)]).filter(([, held]) => held?.length !== 0)).toEqual([]);
  });

  it('are in no log', () => {
    const logs = logsAsText();
    for (const path of ['/auth/login', '/certificates', '/auth/password/forgot']) expect(logs).toContain(path);
    expect(logs.split('\n').map((line) => [heldBy(line), line.slice(0, 300)] as const).filter(([held]) => held.length > 0)).toEqual([]);
  });

  it('are not in Redis', async () => {
    const text = await redisAsText();
    expect(text.length).toBeGreaterThan(100);
    expect(heldBy(text)).toEqual([]);
  });

  it('are not in PostgreSQL', async () => {
    const text = await rowsAsText();
    expect(text).toContain(business.tenantId);
    expect(heldBy(text)).toEqual([]);
  });
});
