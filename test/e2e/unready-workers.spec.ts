import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/platform/embedded/free-port.js';
import { Business } from '../support/business.js';
import { type Stack, startStack } from '../support/stack.js';

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
