import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CryptoChance } from '../../src/platform/adapters/crypto-chance.js';
import { generateApiKey } from '../../src/platform/security/api-key.js';
import { type Stack, startStack } from '../support/stack.js';

/** S11, S33, S34, S41: what only a deployment in production shows. The SRI's addresses are those of the simulator; nothing is sent. */
describe('an API in production', () => {
  let stack: Stack;
  const keys = { TEST: '', PRODUCTION: '' };
  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> => fetch(`${stack.apiUrl}${path}`, { headers });
  const ofTenant = { 'x-api-key': '' };
  const logLines = (): string[] =>
    readdirSync(stack.logFolder).filter((file) => file.startsWith('api')).flatMap((file) => readFileSync(join(stack.logFolder, file), 'utf8').split('\n').filter((line) => line !== ''));

  beforeAll(async () => {
    stack = await startStack({ workers: 0, env: { APP_ENV: 'production', PUBLIC_URL: 'https://api.example.com', LOG_LEVEL: 'info' } });
    for (const environment of ['TEST', 'PRODUCTION'] as const) {
      const key = generateApiKey(new CryptoChance(), environment);
      const keyId = randomUUID();
      await stack.database.query(`select provision_tenant($1, 'Business', $2, 'key', $3, $4, 'PRODUCTION', now())`, [randomUUID(), keyId, key.prefix, key.hash]);
      // No act of the service leaves one of the other environment here.
      await stack.database.query('update api_keys set environment = $2 where id = $1', [keyId, environment]);
      keys[environment] = key.clear;
    }
    ofTenant['x-api-key'] = keys.PRODUCTION;
  });
  afterAll(() => stack.stop());

  it('says when it starts that documents will name no platform', () => {
    expect(logLines().filter((line) => line.includes('PROVIDER_RUC is not set'))).toHaveLength(1);
  });

  it('knows live keys only', async () => {
    expect((await get('/issuers', ofTenant)).status).toBe(200);
    expect((await get('/issuers', { 'x-api-key': keys.TEST })).status).toBe(401);
  });

  it.each(['/docs', '/docs/', '/openapi.json', '/docs-json', '/docs/swagger-ui-init.js'])('%s is closed', async (path) => {
    expect((await get(path)).status).toBe(404);
    expect((await get(path, ofTenant)).status).toBe(404);
  });

  it('protects its answers by headers and tells nothing of itself', async () => {
    const { headers } = await get('/issuers', ofTenant);
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-security-policy')).toContain("default-src 'self'");
    for (const name of ['x-powered-by', 'server', 'etag']) expect([name, headers.get(name)]).toEqual([name, null]);
  });

  it('says of its own faults no more than where they are logged', async () => {
    await stack.database.query('alter table issuers rename to issuers_elsewhere');
    try {
      const response = await get('/issuers', ofTenant);
      const text = await response.text();
      const { error } = JSON.parse(text) as { error: Record<string, unknown> };
      expect([response.status, Object.keys(error).sort(), error['code'], error['detail']]).toEqual([500, ['code', 'detail', 'message', 'request_id'], 'INTERNAL', null]);
      expect(text).not.toMatch(/issuers|relation|select|postgres|typeorm|node_modules|\.[jt]s\b|\bat /i);
      const logged = (): string => logLines().filter((line) => line.includes(String(error['request_id']))).join('\n');
      for (const until = Date.now() + 60_000; !logged().includes('issuers') && Date.now() < until; ) await sleep(50);
      expect(logged()).toContain('issuers');
    } finally {
      await stack.database.query('alter table issuers_elsewhere rename to issuers');
    }
  });

  it('writes one line of JSON per event, whatever a caller puts into path and headers', async () => {
    const before = logLines().length;
    const forged = '\u001b[2J%0a{"level":"fatal","msg":"forged"}%0d%0a';
    await get(`/issuers/${encodeURIComponent('x\r\n{"level":"fatal","msg":"forged"}')}?q=${forged}`, { ...ofTenant, 'user-agent': 'a\u0009{"level":"fatal","msg":"forged"}' });
    // The line is written after the answer.
    let lines = logLines().slice(before);
    for (const until = Date.now() + 60_000; lines.length === 0 && Date.now() < until; lines = logLines().slice(before)) await sleep(50);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      const entry = JSON.parse(line) as Record<string, unknown>;
      expect(entry['level']).not.toBe('fatal');
      expect(entry['service']).toBe('sello');
      expect(line).not.toMatch(/[\u0000-\u001f]/);
    }
  });
});
