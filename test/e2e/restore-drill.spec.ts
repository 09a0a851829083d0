import { execFile } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { loadBackup } from '../../src/platform/database/backup/load-backup.js';
import { readBackup } from '../../src/platform/database/backup/manifest.js';
import { writeBackup } from '../../src/platform/database/backup/write-backup.js';
import { type Accepted, Business } from '../support/business.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { checkLedgers } from '../support/ledger-checker.js';
import { type Stack, startStack } from '../support/stack.js';

interface Page<T> extends Record<string, unknown> {
  items: T[];
  next_cursor: string;
}

const sequential = ({ access_key: key }: { access_key?: unknown }): number => Number(String(key).slice(30, 39));

/** The drill that docs/operating.md asks for: what is restored is served, and nothing is issued twice. */
describe('a restored database', () => {
  let stack: Stack;
  let restored: TestDatabase;
  let business: Business;
  let folder: string;
  let api: string;
  let output: string;
  let cursor: string;
  const before: Accepted[] = [];
  const lost: Accepted[] = [];
  const kept: string[] = [];
  const run = async (program: string, ownerUrl: string, ...args: string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [join('dist', 'src', program), ...args], { env: { PATH: process.env['PATH'], DATABASE_OWNER_URL: ownerUrl, DATABASE_URL: ownerUrl } })).stdout;
  const events = async (query: string) => business.call<Page<{ id: string }>>('GET', `/events?limit=100${query}`, undefined, {}, api);
  const signedXml = async (id: string): Promise<string> => (await fetch(`${api}/documents/${id}/xml?kind=signed`, { headers: { 'x-api-key': business.apiKey } })).text();
  /** As the restored database has it, whose API has another address. */
  const settled = async (id: string): Promise<Record<string, unknown>> => {
    const until = Date.now() + 60_000;
    for (;;) {
      const { body } = await business.call('GET', `/documents/${id}`, undefined, {}, api);
      if (['AUTHORIZED', 'MANUAL_REVIEW_REQUIRED'].includes(String(body['status']))) return body;
      if (Date.now() > until) throw new Error(`${JSON.stringify(body)}\n${stack.logs()}`);
      await sleep(100);
    }
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sello-drill-'));
    restored = await createTestDatabase({ migrated: false });
    stack = await startStack();
    api = stack.apiUrl;
    business = await Business.open(stack);
    before.push(await business.accepted({ idempotency_key: 'sale-0' }), await business.accepted());
    for (const { document_id } of before) expect((await business.settled(document_id)).status).toBe('AUTHORIZED');
    kept.push(await signedXml(before[0]!.document_id));
    // One that is under way at the moment of the backup, and goes out after it.
    await stack.killWorker(0);
    before.push(await business.accepted());
    // And what then waits to be sent to others: this, and the mails of the documents, for there is no mail server.
    const { body: webhook } = await business.call('POST', '/webhooks', { url: 'http://127.0.0.1:1024/' });
    expect((await business.call('POST', `/webhooks/${String(webhook['id'])}/test`)).status).toBe(202);
    ({ next_cursor: cursor } = (await events('')).body);
    await run('backup.js', stack.ownerUrl, join(folder, 'backup'));

    await stack.startWorker();
    for (let i = 0; i < 2; i += 1) lost.push(await business.accepted());
    for (const { document_id } of [...before, ...lost]) expect((await business.settled(document_id)).status).toBe('AUTHORIZED');

    await Promise.all([stack.killApi(0, 'SIGTERM'), stack.killWorker(1, 'SIGTERM')]);
    output = await run('restore.js', restored.ownerUrl, join(folder, 'backup'));
    api = await stack.startApi({ DATABASE_URL: restored.url });
    await stack.startWorker({ DATABASE_URL: restored.url });
  });
  afterAll(async () => {
    await stack.stop();
    await restored.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('shows what was there, to the byte, and nothing of what came after', async () => {
    expect(await settled(before[0]!.document_id)).toMatchObject({ status: 'AUTHORIZED', access_key: before[0]!.access_key });
    expect(await signedXml(before[0]!.document_id)).toBe(kept[0]);
    const pdf = await fetch(`${api}/documents/${before[0]!.document_id}/ride`, { headers: { 'x-api-key': business.apiKey } });
    expect([pdf.status, Buffer.from(await pdf.arrayBuffer()).subarray(0, 5).toString()]).toEqual([200, '%PDF-']);
    for (const { document_id } of lost) expect((await business.call('GET', `/documents/${document_id}`, undefined, {}, api)).status).toBe(404);
  });

  it('hands to a person what was under way, and went out after the backup with another signature', async () => {
    expect(await settled(before[2]!.document_id)).toMatchObject({ status: 'MANUAL_REVIEW_REQUIRED', access_key: before[2]!.access_key, error: { code: 'ANSWER_MISMATCH' } });
  });

  it('gives out no number twice, and says which it leaves out and why', async () => {
    const answer = await business.issue({}, api);
    expect(answer.status).toBe(202);
    const next = await settled(answer.body.document_id);
    expect(next['status']).toBe('AUTHORIZED');
    expect(lost.map(sequential)).toEqual([4, 5]);
    expect(sequential(next)).toBe(1_004);
    expect(output).toContain(`emission point ${business.emissionPointId}, type 01: 4 to 1003 are left out`);
    const gaps = await business.call<Page<Record<string, unknown>>>('GET', `/emission-points/${business.emissionPointId}/sequences/01/gaps`, undefined, {}, api);
    expect(gaps.body.items).toMatchObject([{ kind: 'raised', from_number: 4, to_number: 1_003, reason: expect.stringMatching(/^The database was restored from the backup of 20\d\d-.*Z: these numbers may have been issued after it$/) as string }]);
    // A type that was never issued may have begun behind the backup.
    const sequences = await business.call<Page<{ document_type: string; next_number: number }>>('GET', `/emission-points/${business.emissionPointId}/sequences`, undefined, {}, api);
    expect(sequences.body.items.filter(({ document_type: type }) => type !== '01').map(({ next_number: number }) => number)).toEqual([1_001, 1_001, 1_001, 1_001, 1_001]);
  });

  it('answers a repeated call as before', async () => {
    const again = await business.issue({ idempotency_key: 'sale-0' }, api);
    expect([again.status, again.body.document_id]).toEqual([202, before[0]!.document_id]);
  });

  it('tells readers of events whose place is of the former life to start anew', async () => {
    for (const path of [`/events?cursor=${cursor}`, `/events/stream?cursor=${cursor}`]) {
      const { status, body } = await business.call<{ error: { detail: unknown[] } }>('GET', path, undefined, {}, api);
      expect([status, body.error.detail]).toEqual([422, [expect.objectContaining({ loc: ['query', 'cursor'], type: 'cursor_expired' })]]);
    }
    // The list waits for transactions that began before, also of other databases of the server.
    let anew = await events('');
    for (let waited = 0; waited < 1_200 && anew.body.items.length < 3; waited += 1, anew = await events('')) await sleep(50);
    expect(anew.body.items.length).toBeGreaterThanOrEqual(3);
    expect((await events(`&cursor=${anew.body.next_cursor}`)).status).toBe(200);
  });

  it('agrees with itself and with the SRI, but for what was sent after the backup', async () => {
    const violations = await checkLedgers({ query: (sql, parameters) => restored.query(sql, parameters) as never, simulatorUrl: stack.simulatorUrl, quiescent: true });
    expect(violations.filter((violation) => !violation.includes(before[2]!.document_id))).toEqual(['I4: the SRI was asked about 6 keys, the documents explain 4']);
  });

  it('sends nothing to others that the backup held, as a copy for a drill', async () => {
    const copy = await createTestDatabase({ migrated: false });
    try {
      const told = await run('restore.js', copy.ownerUrl, join(folder, 'backup'), '--drill');
      expect(told).toContain('for a drill: 1 webhooks were switched off; 1 deliveries and 2 mails that waited are not sent');
      const { index } = await stack.startWorker({ DATABASE_URL: copy.url });
      try {
        const underWay = async (): Promise<unknown> => (await copy.query('select status from documents where id = $1', [before[2]!.document_id]))[0]?.['status'];
        for (let waited = 0; (await underWay()) !== 'MANUAL_REVIEW_REQUIRED'; waited += 1) {
          if (waited > 600) throw new Error(`${String(await underWay())}\n${stack.logs()}`);
          await sleep(100);
        }
      } finally {
        await stack.killWorker(index, 'SIGTERM');
      }
      const sent = (database: TestDatabase) => database.query(
        `select (select array_agg(is_active) from webhooks) as webhooks, (select array_agg(status) from webhook_deliveries) as deliveries,
           (select count(*)::int from webhook_attempts) as attempts, (select count(*)::int from webhook_work) as due,
           (select array_agg(distinct status || ' ' || coalesce(failure, '')) from mails where document_id = any ($1)) as mails,
           (select count(*)::int from mail_outbox where kind = 'mail') as to_mail`, [before.slice(0, 2).map(({ document_id }) => document_id)]);
      expect(await sent(copy)).toEqual([{
        webhooks: [false], deliveries: ['failed'], attempts: 0, due: 0, mails: ['failed not sent: this database was restored for a drill'], to_mail: 0 }]);
      // As a copy that goes on in earnest it is sent.
      const [inEarnest] = await sent(restored);
      expect(inEarnest).toMatchObject({ webhooks: [true] });
      expect(inEarnest?.['attempts']).toBeGreaterThan(0);
      // Either may have been tried already.
      expect((inEarnest?.['mails'] as string[]).map((mail) => mail.split(' ')[0])).toContain('queued');
      expect((inEarnest?.['mails'] as string[]).join()).not.toMatch(/failed|drill/);
    } finally {
      await copy.drop();
    }
  });

  it('keeps what waits to be sent for webhooks that are held until somebody switches them on', async () => {
    const copy = await createTestDatabase({ migrated: false });
    try {
      expect(await run('restore.js', copy.ownerUrl, join(folder, 'backup'), '--hold-webhooks')).toContain('1 webhooks were switched off: each sends again once it is switched on');
      expect(await copy.query('select is_active, (select count(*)::int from webhook_work) as due, (select array_agg(status) from webhook_deliveries) as deliveries from webhooks')).toEqual([{
        is_active: false, due: 1, deliveries: ['pending'] }]);
      expect(await run('after-restore.js', copy.ownerUrl, '--skip', '0', '--hold-webhooks')).toContain('0 webhooks were switched off');
    } finally {
      await copy.drop();
    }
  });

  it('comes of a backup that only its owner may read', () => {
    const backup = join(folder, 'backup');
    for (const file of ['.', ...readdirSync(backup)]) expect([file, statSync(join(backup, file)).mode & 0o077]).toEqual([file, 0]);
  });

  it('is refused where a service is, and where a file of the backup was changed or is missing', async () => {
    await expect(loadBackup(stack.ownerUrl, join(folder, 'backup'), null, () => undefined)).rejects.toThrow('holds a service already');
    const damaged = mkdtempSync(join(folder, 'damaged-'));
    for (const file of readdirSync(join(folder, 'backup'))) copyFileSync(join(folder, 'backup', file), join(damaged, file));
    appendFileSync(join(damaged, 'documents.copy.gz'), 'x');
    await expect(readBackup(damaged)).rejects.toThrow('documents.copy.gz: is not as it was written');
    rmSync(join(damaged, 'documents.copy.gz'));
    await expect(readBackup(damaged)).rejects.toThrow('documents.copy.gz: is missing');
    rmSync(join(damaged, 'manifest.json'));
    await expect(readBackup(damaged)).rejects.toThrow('was not finished');
  });

  it('cannot come of a backup by a login from which rows are hidden', async () => {
    await expect(writeBackup(stack.databaseUrl, join(folder, 'blind'), new Date(), () => undefined)).rejects.toThrow('row security hides rows');
  });
});
