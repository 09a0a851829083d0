import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Business } from '../support/business.js';
import { type Stack, startStack } from '../support/stack.js';

const HOUR_MS = 3_600_000;
const PAGE = readFileSync('docs/operating.md', 'utf8');
/** The statements of the page's block that holds `part`, as an operator copies them. */
const blockWith = (part: string): string => [...PAGE.matchAll(/```sql\n([^]*?)```/g)].map(([, block = '']) => block).find((block) => block.includes(part))!;

describe('a host whose clock is an hour ahead', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sello-clock-'));
  const ahead = join(folder, 'ahead.cjs');
  let stack: Stack;
  let business: Business;

  beforeAll(async () => {
    writeFileSync(ahead, `
      const Host = Date;
      globalThis.Date = class Date extends Host {
        constructor(...given) { if (given.length === 0) super(Host.now() + ${HOUR_MS}); else super(...given); }
        static now() { return Host.now() + ${HOUR_MS}; }
      };`);
    stack = await startStack({ workers: 0 });
    business = await Business.open(stack);
  });
  afterAll(async () => {
    await stack.stop();
    rmSync(folder, { recursive: true });
  });

  it('signs, leases and tries again by the time of PostgreSQL, and says so', async () => {
    await stack.startWorker({ NODE_OPTIONS: `--require ${ahead}` });
    const { body } = await business.call<{ document_id: string }>('POST', '/documents', business.invoice());
    const settled = await business.settled(body.document_id);
    expect(settled).toMatchObject({ status: 'AUTHORIZED' });
    const [row] = await stack.database.query<{ late: boolean }>(`select bool_or(greatest(updated_at, authorization_date) > now() + interval '1 minute') as late from documents`);
    expect(row?.late).toBe(false);
    const logs = readdirSync(stack.logFolder).map((file) => readFileSync(join(stack.logFolder, file), 'utf8')).join('\n');
    expect(logs).toMatch(/"ahead_seconds":3\d{3}/);
  });

  it('has what its API takes in issued at once, and the next number of another API too', async () => {
    const early = await stack.startApi({ NODE_OPTIONS: `--require ${ahead}` });
    const taken = [await business.issue({}, early), await business.issue()].map(({ body }) => body.document_id);
    for (const id of taken) expect(await business.settled(id)).toMatchObject({ status: 'AUTHORIZED' });
    const { body: stuck } = await business.issue({ additional_info: [{ name: 'Simulador', value: 'refuse:39' }] }, early);
    expect(await business.settled(stuck.document_id)).toMatchObject({ status: 'REJECTED' });
    expect((await business.call('POST', `/documents/${stuck.document_id}/retry`, {}, {}, early)).status).toBe(202);
    const [late] = await stack.database.query<{ due: boolean }>(`select bool_or(due_at > now() + interval '1 minute') as due from outbox where document_id = $1 and due_at < 'infinity' and step <> 'authorize'`, [stuck.document_id]);
    expect(late?.due).not.toBe(true);
  });

  it('leaves nothing behind that the page cannot bring back, and the page finds what waits for a person', async () => {
    const { body } = await business.call<{ document_id: string }>('POST', '/documents', business.invoice());
    await stack.database.query(`update outbox set due_at = now() + interval '1 year', lease_until = now() + interval '1 hour', lease_token = gen_random_uuid() where document_id = $1`, [body.document_id]);
    await stack.database.query(`update outbox set announced_at = now() + interval '20 days' where document_id <> $1`, [body.document_id]);
    await stack.database.query(blockWith('update sello.outbox o'));
    expect(await stack.database.query(`select from outbox where announced_at > now() + interval '1 minute'`)).toEqual([]);
    expect(await business.settled(body.document_id)).toMatchObject({ status: 'AUTHORIZED' });

    const taken = await business.call<{ document_id: string }>('POST', '/documents', business.invoice({ additional_info: [{ name: 'Simulador', value: 'tampered' }] }));
    expect(await business.settled(taken.body.document_id)).toMatchObject({ status: 'MANUAL_REVIEW_REQUIRED', error: { code: 'ANSWER_MISMATCH' } });
    const [waiting] = blockWith('sello.issuing_pauses').split(';');
    expect(await stack.database.query(waiting ?? '')).toEqual([expect.objectContaining({ tenant_id: business.tenantId, id: taken.body.document_id, error_code: 'ANSWER_MISMATCH' })]);
    for (const query of blockWith('sello.issuing_pauses').split(';').filter((one) => one.trim() !== '')) await stack.database.query(query);
    const logs = (): string => readdirSync(stack.logFolder).map((file) => readFileSync(join(stack.logFolder, file), 'utf8')).join('\n');
    // Told once it is on record.
    while (!logs().includes(`document ${taken.body.document_id} of tenant ${business.tenantId} met a fault of ours: document ANSWER_MISMATCH`)) await sleep(50);
  });
});
