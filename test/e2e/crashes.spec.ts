import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { addFaults, Business, simulatorAccount } from '../support/business.js';
import { checkLedgers } from '../support/ledger-checker.js';
import { type Stack, startStack } from '../support/stack.js';

/** Between any two steps of a worker; the name says what had happened when it died. */
const WORKER_KILL_POINTS = [
  'after-claim',
  'after-xml',
  'after-sign',
  'after-attempt',
  'after-reception-answer',
  'after-reception-commit',
  'after-auth-answer',
  'after-auth-commit',
];

describe('a 202 survives', () => {
  let stack: Stack;
  let business: Business;

  beforeAll(async () => {
    stack = await startStack({ workers: 0, env: { LEASE_SECONDS: '2', SRI_TIMEOUT_SECONDS: '1', RELAY_PATIENCE_SECONDS: '1' } });
    business = await Business.open(stack);
  });
  afterAll(() => stack.stop());

  /** Authorized, once, with one set of signed bytes ever shown to the SRI. */
  const expectIssuedOnce = async (documentId: string, accessKey: string): Promise<void> => {
    const document = await business.settled(documentId);
    expect([document.status, document['authorization_number']]).toEqual(['AUTHORIZED', accessKey]);
    const account = await simulatorAccount(stack, accessKey);
    expect({ authorized: account.authorized, digests: account.digests.length, stored: account.stored_digests.length })
      .toEqual({ authorized: 1, digests: 1, stored: 1 });
    const moves = await stack.database.query<{ to_status: string }>(
      `select to_status from document_history where document_id = $1 and to_status = 'AUTHORIZED'`, [documentId]);
    expect(moves).toHaveLength(1);
    const events = await stack.database.query('select type from events where document_id = $1', [documentId]);
    expect(events).toEqual([{ type: 'document.authorized' }]);
  };

  it.each(WORKER_KILL_POINTS)('a worker killed with kill -9 %s', async (point) => {
    const doomed = await stack.startWorker({ FAULTS: `${point}:1:kill9` });
    const { document_id, access_key } = await business.accepted();
    await doomed.worker.ended;
    const healthy = await stack.startWorker();
    await expectIssuedOnce(document_id, access_key);
    await stack.killWorker(healthy.index, 'SIGTERM');
  });

  it('a worker killed with kill -9 while a signed document waits for an earlier number: the stored bytes are sent', async () => {
    const [earlierCode, waitingCode] = ['40000001', '40000002'];
    // A machine may be busy: the earlier one is still held when the other is signed.
    const doomed = await stack.startWorker({ LEASE_SECONDS: '8', FAULTS: `after-sign:1:hang@${earlierCode};after-signed-commit:1:kill9@${waitingCode}` });
    const earlier = await business.accepted({ numeric_code: earlierCode });
    const waiting = await business.accepted({ numeric_code: waitingCode });
    await doomed.worker.ended;
    const stored = await stack.database.query('select status, signing_no from documents where id = $1', [waiting.document_id]);
    expect(stored).toEqual([{ status: 'RECEPTION_PENDING', signing_no: 1 }]);
    const healthy = await stack.startWorker();
    for (const { document_id, access_key } of [earlier, waiting]) await expectIssuedOnce(document_id, access_key);
    expect(await stack.database.query('select signing_no from documents where id = $1', [waiting.document_id])).toEqual([{ signing_no: 1 }]);
    await stack.killWorker(healthy.index, 'SIGTERM');
  });

  it('an API killed with kill -9 after its commit: the document is issued, and a retry finds it', async () => {
    const healthy = await stack.startWorker();
    const doomedUrl = await stack.startApi({ FAULTS: 'after-reserve-commit:1:kill9' });
    const before = await business.lastNumber();
    await expect(business.issue({ idempotency_key: 'lost-answer' }, doomedUrl)).rejects.toThrow();
    const retry = await business.issue({ idempotency_key: 'lost-answer' });
    expect([retry.status, retry.headers.get('idempotent-replayed')]).toEqual([202, 'true']);
    expect(await business.lastNumber()).toBe(before + 1);
    await expectIssuedOnce(retry.body.document_id, retry.body.access_key);
    await stack.killWorker(healthy.index, 'SIGTERM');
  });

  it('an API killed with kill -9 before its commit: nothing is stored and no number is lost', async () => {
    const doomedUrl = await stack.startApi({ FAULTS: 'before-reserve-commit:1:kill9' });
    const before = await business.lastNumber();
    await expect(business.issue({ idempotency_key: 'never-stored' }, doomedUrl)).rejects.toThrow();
    expect(await business.lastNumber()).toBe(before);
    const rows = await stack.database.query('select id from documents where idempotency_key = $1', ['never-stored']);
    expect(rows).toEqual([]);
  });

  it.each([
    ['before its commit: it stays a draft and is issued later', 'before-reserve-commit', 'DRAFT', 0],
    ['after its commit: it is issued, once', 'after-reserve-commit', 'NUMBER_RESERVED', 1],
  ])('an API killed with kill -9 while it issues a draft, %s', async (_name, point, left, taken) => {
    const draft = await business.call<{ id: string }>('POST', '/documents/drafts', business.invoice());
    const issue = (apiUrl?: string) => business.call<{ error?: { code: string } }>('POST', `/documents/${draft.body.id}/issue`, undefined, {}, apiUrl);
    const doomedUrl = await stack.startApi({ FAULTS: `${point}:1:kill9` });
    const before = await business.lastNumber();
    await expect(issue(doomedUrl)).rejects.toThrow();
    expect([(await business.document(draft.body.id)).status, await business.lastNumber()]).toEqual([left, before + taken]);
    const again = await issue();
    expect([again.status, again.body.error?.code]).toEqual(taken === 0 ? [202, undefined] : [409, 'INVALID_STATE']);
    const healthy = await stack.startWorker();
    const { access_key } = (await business.document(draft.body.id)) as unknown as { access_key: string };
    await expectIssuedOnce(draft.body.id, access_key);
    expect(await business.lastNumber()).toBe(before + 1);
    await stack.killWorker(healthy.index, 'SIGTERM');
  });

  it.each([
    ['before its commit: it stays refused and is corrected later', 'before-correct-commit', 'REJECTED'],
    ['after its commit: it is corrected, once', 'after-correct-commit', 'NUMBER_RESERVED'],
  ])('an API killed with kill -9 while it corrects a document, %s', async (_name, point, left) => {
    const first = await stack.startWorker();
    await addFaults(stack, { match: { ruc: business.ruc, service: 'reception' }, times: 1, action: { kind: 'refuse', code: '52', at: 'authorization' } });
    const { document_id, access_key } = await business.accepted();
    expect((await business.settled(document_id)).status).toBe('REJECTED');
    await stack.killWorker(first.index, 'SIGTERM');
    const correct = (apiUrl?: string) =>
      business.call<{ error?: { code: string } }>('POST', `/documents/${document_id}/correct`, business.invoice({ buyer_name: 'Corregida' }), {}, apiUrl);
    const doomedUrl = await stack.startApi({ FAULTS: `${point}:1:kill9` });
    const before = await business.lastNumber();
    await expect(correct(doomedUrl)).rejects.toThrow();
    expect((await business.document(document_id)).status).toBe(left);
    const again = await correct();
    expect([again.status, again.body.error?.code]).toEqual(left === 'REJECTED' ? [202, undefined] : [409, 'INVALID_STATE']);
    const healthy = await stack.startWorker();
    expect(await business.settled(document_id)).toMatchObject({ status: 'AUTHORIZED', access_key, authorization_number: access_key, buyer_name: 'Corregida' });
    const moves = await stack.database.query<{ trigger: string; count: string }>(
      `select trigger, count(*) from document_history where document_id = $1 and trigger in ('refused', 'corrected', 'authorized') group by trigger order by trigger`, [document_id]);
    expect(moves.map(({ trigger, count }) => [trigger, Number(count)])).toEqual([['authorized', 1], ['corrected', 1], ['refused', 1]]);
    expect((await simulatorAccount(stack, access_key)).authorized).toBe(1);
    expect(await business.lastNumber()).toBe(before);
    await stack.killWorker(healthy.index, 'SIGTERM');
  });

  it('Redis flushed again and again while documents are under way', async () => {
    // Nobody dies here, and on a busy machine so many at once take their time.
    const healthy = await stack.startWorker({ LEASE_SECONDS: '30', SRI_TIMEOUT_SECONDS: '10' });
    const issued = [];
    for (let round = 0; round < 10; round += 1) {
      issued.push(...(await Promise.all(Array.from({ length: 4 }, () => business.accepted()))));
      await stack.redis.flushdb();
      await sleep(100);
    }
    await stack.redis.flushdb();
    for (const { document_id, access_key } of issued) await expectIssuedOnce(document_id, access_key);
    await stack.killWorker(healthy.index, 'SIGTERM');
  });

  it('Redis away from the API: documents are accepted promptly and issued by the relay', async () => {
    const healthy = await stack.startWorker();
    const url = await stack.startApi({ REDIS_URL: 'redis://127.0.0.1:1' });
    const answer = await business.issue({}, url);
    expect(answer.status).toBe(202);
    await expectIssuedOnce(answer.body.document_id, answer.body.access_key);
    await stack.killWorker(healthy.index, 'SIGTERM');
  });

  it('a document on which every worker dies goes to a person, and the others flow', async () => {
    const poisoned = await business.accepted();
    for (let death = 0; death < 3; death += 1) {
      const doomed = await stack.startWorker({ FAULTS: 'after-claim:1:kill9' });
      await doomed.worker.ended;
    }
    const healthy = await stack.startWorker();
    const document = await business.settled(poisoned.document_id);
    expect([document.status, (document['error'] as { code: string }).code]).toEqual(['MANUAL_REVIEW_REQUIRED', 'ATTEMPTS_EXHAUSTED']);
    const next = await business.accepted();
    await expectIssuedOnce(next.document_id, next.access_key);
    await stack.killWorker(healthy.index, 'SIGTERM');
  });

  it('a zombie: paused past its lease, overtaken, and without effect when it wakes', async () => {
    const zombie = await stack.startWorker({ FAULTS: 'after-attempt:1:sleep:10000' });
    const { document_id, access_key } = await business.accepted();
    /** Waits for a word of the zombie. */
    const told = async (words: string): Promise<void> => {
      const log = (): string => readFileSync(zombie.worker.logFile, 'utf8');
      for (const until = Date.now() + 60_000; !log().includes(words) && Date.now() < until;) await sleep(50);
      expect(log()).toContain(words);
    };
    await told('fault after-attempt sleep');
    zombie.worker.kill('SIGSTOP');
    expect((await business.document(document_id)).status).toBe('SUBMITTED_TO_SRI');
    const healthy = await stack.startWorker();
    await expectIssuedOnce(document_id, access_key);
    zombie.worker.kill('SIGCONT');
    await told('nothing was written');
    await expectIssuedOnce(document_id, access_key);
    await stack.killWorker(zombie.index, 'SIGTERM');
    await stack.killWorker(healthy.index, 'SIGTERM');
  });

  it('leaves every ledger in agreement', async () => {
    const query = <Row>(sql: string, parameters?: unknown[]): Promise<Row[]> => stack.database.query(sql, parameters) as Promise<Row[]>;
    expect(await checkLedgers({ query, simulatorUrl: stack.simulatorUrl, quiescent: true })).toEqual([]);
  });
});
