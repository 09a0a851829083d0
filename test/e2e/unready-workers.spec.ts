import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/platform/embedded/free-port.js';
import { Business } from '../support/business.js';
import { type Stack, startStack } from '../support/stack.js';
import { TRANSIT_TOKEN, TransitEngine } from '../support/transit-engine.js';

const DOCUMENTS = 12;

describe('a worker that cannot sign, beside one that can', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sello-unready-'));
  const [preload, forbidden] = [join(folder, 'no-sha1.cjs'), join(folder, 'forbidden')];
  let stack: Stack;
  let business: Business;

  beforeAll(async () => {
    // As a host does whose cryptographic policy forbids SHA-1. A process reads that once; this one ends with its file, so that the
    // worker can be ended like any other.
    writeFileSync(preload, `
      const crypto = require('node:crypto');
      const { sign } = crypto;
      crypto.sign = (algorithm, ...given) => {
        if (algorithm === 'RSA-SHA1' && require('node:fs').existsSync(${JSON.stringify(forbidden)})) throw new Error('invalid digest');
        return sign(algorithm, ...given);
      };
      require('node:module').syncBuiltinESMExports();`);
    stack = await startStack({ workers: 0 });
    business = await Business.open(stack);
  });
  afterAll(async () => {
    await stack.stop();
    rmSync(folder, { recursive: true });
  });

  it.each<[string, Record<string, string>, () => unknown, () => unknown]>([
    ['its host forbids SHA-1', { NODE_OPTIONS: `--require ${preload}` }, () => writeFileSync(forbidden, ''), () => rmSync(forbidden)],
    ['it has another master key', { MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }, () => undefined, () => stack.database.query('update certificates set is_active = false')],
  ])('takes no documents, is not ready and says why: %s', async (_why, env, begins, ends) => {
    begins();
    const port = await freePort();
    const starting = stack.startWorker({ ...env, METRICS_PORT: String(port) });
    const ready = (): Promise<Response | null> => fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => null);
    while ((await ready()) === null) await sleep(50);
    const { index } = await stack.startWorker();
    const taken = await Promise.all(Array.from({ length: DOCUMENTS }, () => business.accepted()));
    for (const { document_id } of taken) expect(await business.settled(document_id)).toMatchObject({ status: 'AUTHORIZED' });
    const answer = await ready();
    expect([answer?.status, await answer?.json()]).toMatchObject([503, { checks: { process: 'ok', postgresql: 'ok', migrations: 'ok', signing: 'failing' } }]);
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).toContain('sello_ready{check="signing"} 0');
    expect(metrics).not.toContain('sello_saga_step_duration_seconds_count{');
    await stack.killWorker(index, 'SIGTERM');
    await ends();
    const { index: begun } = await starting;
    expect((await ready())?.status).toBe(200);
    await stack.killWorker(begun, 'SIGTERM');
  });
});

describe('a Vault that was set up anew under the same name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sello-vault-'));
  let vault: TransitEngine;
  let stack: Stack;
  let business: Business;

  beforeAll(async () => {
    vault = await TransitEngine.start();
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, TRANSIT_TOKEN);
    stack = await startStack({ workers: 1, env: { MASTER_KEY: '', MASTER_KEY_VAULT_URL: vault.url, MASTER_KEY_VAULT_TOKEN_FILE: tokenFile } });
    business = await Business.open(stack, { certificate: null });
    await business.uploadCertificate();
  });
  afterAll(async () => {
    await stack.stop();
    vault.stop();
    rmSync(folder, { recursive: true });
  });

  it('lets documents wait, and no further process become ready, until the former key is back', async () => {
    const former = vault.versions[0]!;
    vault.versions[0] = Buffer.alloc(32, 7);
    const { document_id } = await business.accepted();
    const state = (): Promise<Record<string, unknown>[]> => stack.database.query('select status, error_code from documents where id = $1', [document_id]);
    while ((await state())[0]?.['error_code'] === null) await sleep(50);
    expect(await state()).toEqual([{ status: 'NUMBER_RESERVED', error_code: 'SIGNING_KEY_UNAVAILABLE' }]);

    const port = await freePort();
    const starting = stack.startWorker({ METRICS_PORT: String(port) });
    const ready = (): Promise<Response | null> => fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => null);
    while ((await ready()) === null) await sleep(50);
    expect([(await ready())?.status, await (await ready())?.json()]).toMatchObject([503, { checks: { postgresql: 'ok', migrations: 'ok', signing: 'failing' } }]);

    vault.versions[0] = former;
    await starting;
    expect((await ready())?.status).toBe(200);
    await stack.database.query('update outbox set due_at = now()');
    expect(await business.settled(document_id)).toMatchObject({ status: 'AUTHORIZED' });
  });
});
