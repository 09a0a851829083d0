import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { entryOf, sriUrls, surroundings } from '../../src/local/parts.js';
import type { ServiceProcess } from '../../src/local/service-process.js';
import { freePort } from '../../src/platform/embedded/free-port.js';
import { type MetricDeclaration, METRICS, RUNTIME_METRICS } from '../../src/platform/observability/metrics.js';
import { addFaults, Business, simulatorAccount } from '../support/business.js';
import { fromSetup } from '../support/database.js';
import { metricsOf, valueOf } from '../support/exposition.js';
import { type Stack, startStack } from '../support/stack.js';

interface Told<Body> {
  readonly status: number;
  readonly body: Body;
}

/** A page on the port for operators. */
async function told<Body>({ metricsUrl }: Pick<ServiceProcess, 'metricsUrl'>, path: string): Promise<Told<Body>> {
  const response = await fetch(`${metricsUrl}${path}`);
  return { status: response.status, body: (await response.json()) as Body };
}

describe('what operators see', () => {
  let stack: Stack;
  let business: Business;
  let worker: ServiceProcess;
  let workerIndex: number;

  beforeAll(async () => {
    stack = await startStack({ workers: 0, env: { METRICS_PORT: '0', RATE_LIMIT_AUTH_PER_MINUTE: '1', MAIL_RESENDS_PER_HOUR: '2', MAIL_RESENDS_PER_RECIPIENT_PER_DAY: '1' } });
    business = await Business.open(stack);
  });
  afterAll(() => stack.stop());

  const ages = async (seconds: number): Promise<Record<string, number>> => {
    const rows = await stack.database.query<{ kind: string; age: number | null }>(
      `select kind, extract(epoch from now() + $1 * interval '1 second' - oldest)::float as age from work_ages(now() + $1 * interval '1 second', 100)`, [seconds]);
    return Object.fromEntries(rows.map(({ kind, age }) => [kind, age ?? 0]));
  };

  it('for how long work has been due, though nobody does it', async () => {
    const { document_id } = await business.accepted();
    // Nobody settles it: the caller waits as long as it asked for.
    const waited = await business.call('POST', '/documents', business.invoice(), { prefer: 'wait=3' });
    expect([waited.status, waited.headers.get('preference-applied')]).toEqual([202, 'wait=3']);
    expect((await ages(100))['prepare']).toBeGreaterThanOrEqual(100);
    // What waits for an earlier number or a pause is not late.
    await stack.database.query('update outbox set ahead = true');
    expect(await ages(100)).toEqual({ prepare: 0, submit: 0, authorize: 0, watch: 0, webhook: 0, mail: 0 });
    await stack.database.query('update outbox set ahead = false where document_id = $1', [document_id]);
    expect(await ages(100)).toMatchObject({ prepare: expect.any(Number), submit: 0 });
    expect((await ages(100))['prepare']).toBeGreaterThanOrEqual(100);
    await stack.database.query('update outbox set ahead = false, announced_at = null');
    // A long queue is looked at in places; the row that nobody could miss is the oldest of its tenant that is in turn.
    await stack.database.query(`
      insert into outbox (tenant_id, document_id, step, due_at, announced_at, ahead, issuer_id, establishment_id, emission_point_id, document_type, sequential, unsent)
      select ('00000000-0000-4000-8000-00000000000' || i % 3)::uuid, gen_random_uuid(), 'submit', now() - i * interval '1 min', now(), i > 500,
        gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), '01', i, false
      from generate_series(1, 2901) i where i <= 1 or i > 300`);
    const long = await ages(0);
    expect(long['submit']).toBeGreaterThanOrEqual(500 * 60);
    expect(long['submit']).toBeLessThan(501 * 60);
    await stack.database.query(`delete from outbox where step = 'submit'`);
    expect(await stack.database.query('select * from moving_documents(1)')).toEqual([{ status: 'NUMBER_RESERVED', documents: 1 }]);
    expect(await stack.database.query('select * from moving_documents(10)')).toEqual([{ status: 'NUMBER_RESERVED', documents: 2 }]);
  });

  it('what became of documents, calls and steps, and which faults were ours', async () => {
    // Our schema should have caught what the SRI refuses with 35.
    await addFaults(stack, { match: { ruc: business.ruc, service: 'reception' }, times: 1, action: { kind: 'refuse', code: '35', at: 'reception' } });
    ({ worker, index: workerIndex } = await stack.startWorker());
    const waiting = await stack.database.query<{ id: string }>('select id from documents order by sequential');
    const statuses = await Promise.all(waiting.map(async ({ id }) => (await business.settled(id)).status));
    expect(statuses.sort()).toEqual(['AUTHORIZED', 'REJECTED']);
    for (const _twice of [1, 2]) await business.call('POST', '/auth/login', { email: 'nobody@example.com', password: 'wrong' });
    const [sent] = await stack.database.query<{ id: string }>(`select id from documents where status = 'AUTHORIZED'`);
    for (const [to, status] of [['ana@example.com', 202], ['ana@example.com', 429], ['eva@example.com', 202], ['eva@example.com', 429]]) {
      expect((await business.call('POST', `/documents/${sent?.id}/email`, { to })).status).toBe(status);
    }

    // Told from the first collection on, which each version of Node holds when it likes.
    const hasCollected = async (): Promise<boolean> => (await metricsOf(stack.apis[0]!)).some(({ name }) => name.startsWith('nodejs_gc_duration_seconds'));
    for (let calls = 0; calls < 2_000 && !(await hasCollected()); calls += 1) await fetch(`${stack.apiUrl}/openapi.json`).then((answer) => answer.text());

    const api = await metricsOf(stack.apis[0]!);
    expect(valueOf(api, 'sello_documents_accepted_total', { document_type: '01' })).toBe(2);
    expect(valueOf(api, 'sello_http_request_duration_seconds_count', { method: 'POST', route: '/documents', status: '2xx' })).toBe(2);
    // One of them waited for three seconds, which it had asked for.
    expect(valueOf(api, 'sello_http_request_duration_seconds_bucket', { method: 'POST', route: '/documents', status: '2xx', le: '2.5' })).toBe(2);
    expect(valueOf(api, 'sello_http_request_duration_seconds_count', { route: '/documents/:document_id' })).toBeGreaterThanOrEqual(2);
    expect(valueOf(api, 'sello_rate_limited_total', { bucket: 'auth' })).toBeGreaterThanOrEqual(1);
    for (const bucket of ['mail_resends', 'mail_recipient']) expect(valueOf(api, 'sello_rate_limited_total', { bucket })).toBe(1);
    expect(valueOf(api, 'sello_build_info', { process: 'api' })).toBe(1);
    // Only workers tell what is due.
    expect(valueOf(api, 'sello_outbox_lag_seconds')).toBeNull();

    const mine = await metricsOf(worker);
    expect(valueOf(mine, 'sello_documents_moved_total', { document_type: '01', status: 'AUTHORIZED' })).toBe(1);
    expect(valueOf(mine, 'sello_documents_moved_total', { document_type: '01', status: 'REJECTED' })).toBe(1);
    expect(valueOf(mine, 'sello_document_authorization_seconds_count', { document_type: '01' })).toBe(1);
    expect(valueOf(mine, 'sello_own_faults_total', { source: 'reception', code: '35' })).toBe(1);
    expect(valueOf(mine, 'sello_saga_step_duration_seconds_count', { step: 'prepare', outcome: 'advanced' })).toBe(2);
    expect(valueOf(mine, 'sello_sri_call_duration_seconds_count', { service: 'reception', outcome: 'answered' })).toBe(2);
    expect(valueOf(mine, 'sello_sri_answers_total', { service: 'reception', code: '35' })).toBe(1);
    expect(valueOf(mine, 'sello_sri_answers_total', { service: 'authorization', code: 'AUTORIZADO' })).toBe(1);
    expect(valueOf(mine, 'sello_sri_breaker_state', { service: 'reception' })).toBe(0);
    expect(valueOf(mine, 'sello_due_work_age_seconds', { kind: 'prepare' })).toBe(0);
    for (const table of ['outbox', 'mail_outbox', 'webhook_work']) expect(valueOf(mine, 'sello_queue_dead_rows', { table })).toBeGreaterThanOrEqual(0);
    expect(valueOf(mine, 'sello_database_pool_size', { database: 'primary' })).toBe(10);
    expect(valueOf(mine, 'sello_database_pool_size', { database: 'replica' })).toBeNull();
    expect([api, mine].map((samples) => valueOf(samples, 'sello_redis_reachable'))).toEqual([1, 1]);

    for (const samples of [api, mine]) expect(Math.abs(valueOf(samples, 'sello_clock_offset_seconds') ?? Infinity)).toBeLessThan(1);

    const declared = Object.values<MetricDeclaration>(METRICS);
    const all = [...api, ...mine];
    const ours = all.filter(({ name }) => !/^(process|nodejs)_/.test(name));
    const bare = (name: string): string => (declared.some((one) => one.name === name) ? name : name.replace(/_(bucket|sum|count)$/, ''));
    expect(ours.filter(({ name }) => !declared.some((one) => one.name === bare(name)))).toEqual([]);
    for (const name of Object.keys(RUNTIME_METRICS)) expect(all.map((sample) => sample.name.replace(/_(bucket|sum|count)$/, ''))).toContain(name);
    // No tenant, taxpayer or document, however it is written.
    const named = ours.flatMap(({ labels }) => Object.entries(labels)).filter(([label, value]) => label !== 'schema' && /[0-9a-f]{8}-[0-9a-f]{4}|\d{9}/i.test(value));
    expect(named).toEqual([]);
  });

  it('on a port of its own: the API tells nobody', async () => {
    expect((await fetch(`${stack.apiUrl}/metrics`)).status).toBe(404);
    expect((await fetch(`${worker.metricsUrl}/documents`)).status).toBe(404);
    expect((await fetch(`${worker.metricsUrl}/metrics`, { method: 'POST' })).status).toBe(405);
  });

  it('whether API and worker can serve: PostgreSQL, the migrations they need, signing', async () => {
    const fine = { status: 'ok', checks: { process: 'ok', postgresql: 'ok', migrations: 'ok', signing: 'ok', redis: 'ok' } };
    for (const process of [stack.apis[0]!, worker]) {
      expect(await told(process, '/health/live')).toEqual({ status: 200, body: { status: 'ok' } });
      expect(await told(process, '/health/ready')).toEqual({ status: 200, body: fine });
    }
    // A newer schema serves, an older one does not.
    const [newest] = await stack.database.query<{ name: string; timestamp: string }>('select name, timestamp from migrations order by timestamp desc limit 1');
    await stack.database.query(`insert into migrations (timestamp, name) values (9999999999999, 'Newer9999999999999')`);
    expect((await told(worker, '/health/ready')).status).toBe(200);
    await stack.database.query(`delete from migrations where name in ($1, 'Newer9999999999999')`, [newest!.name]);
    expect(await told(worker, '/health/ready')).toMatchObject({ status: 503, body: { status: 'failing', checks: { migrations: 'failing', postgresql: 'ok' } } });
    await stack.database.query('insert into migrations (timestamp, name) values ($1, $2)', [newest!.timestamp, newest!.name]);
    expect((await told(worker, '/health/ready')).status).toBe(200);
  });

  it('that a worker whose migrations are not applied yet begins no work until they are', async () => {
    await stack.killWorker(workerIndex, 'SIGTERM');
    const [newest] = await stack.database.query<{ name: string; timestamp: string }>('delete from migrations where timestamp = (select max(timestamp) from migrations) returning name, timestamp');
    const { document_id } = await business.accepted();
    const port = await freePort();
    const starting = stack.startWorker({ METRICS_PORT: String(port) });
    const waiting = { metricsUrl: `http://127.0.0.1:${port}` };
    const isAlive = (): Promise<boolean> => told(waiting, '/health/live').then(({ status }) => status === 200, () => false);
    while (!(await isAlive())) await sleep(50);
    expect(await told(waiting, '/health/ready')).toMatchObject({ status: 503, body: { checks: { migrations: 'failing' } } });
    await sleep(1_500);
    expect(await stack.database.query('select status from documents where id = $1', [document_id])).toEqual([{ status: 'NUMBER_RESERVED' }]);
    await stack.database.query('insert into migrations (timestamp, name) values ($1, $2)', [newest!.timestamp, newest!.name]);
    ({ worker, index: workerIndex } = await starting);
    expect((await business.settled(document_id)).status).toBe('AUTHORIZED');
    expect((await told(worker, '/health/ready')).status).toBe(200);
  });

  it.each<[string, (child: ChildProcess) => void]>([
    ['told to stop', (child) => child.kill('SIGTERM')],
    ['left by who started it', (child) => child.disconnect()],
  ])('a worker that waits for its migrations ends at once when it is %s', async (_how, leave) => {
    const port = await freePort();
    const [newest] = await stack.database.query<{ name: string; timestamp: string }>('delete from migrations where timestamp = (select max(timestamp) from migrations) returning name, timestamp');
    const child = fork(entryOf('worker'), {
      env: {
        ...surroundings(), ...sriUrls(stack.simulatorUrl), APP_ENV: 'local', DATABASE_URL: stack.databaseUrl, REDIS_URL: stack.redisUrl,
        MASTER_KEY: fromSetup('TEST_MASTER_KEY'), METRICS_PORT: String(port), METRICS_HOST: '127.0.0.1', DATABASE_WAIT_SECONDS: '15',
      },
      execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const ended = once(child, 'exit');
    try {
      const isAlive = (): Promise<boolean> => told({ metricsUrl: `http://127.0.0.1:${port}` }, '/health/live').then(() => true, () => false);
      while (!(await isAlive())) {
        expect(child.exitCode).toBeNull();
        await sleep(50);
      }
      leave(child);
      // By itself, as a process must that nobody kills for its deafness: the first one of a container.
      expect(await Promise.race([ended, sleep(60_000, 'it goes on', { ref: false })])).toEqual([0, null]);
    } finally {
      child.kill('SIGKILL');
      await stack.database.query('insert into migrations (timestamp, name) values ($1, $2)', [newest!.timestamp, newest!.name]);
    }
  });

  it('in every line of a request its id, and the document', async () => {
    const answer = await business.call<{ document_id: string }>('POST', '/documents', business.invoice(), { 'x-request-id': 'seen-by-operators' });
    const mine = async (): Promise<Record<string, unknown>[]> => {
      const lines = readFileSync(stack.apis[0]!.logFile, 'utf8').split('\n').filter((line) => line.includes('seen-by-operators'));
      return lines.length > 0 ? lines.map((line) => JSON.parse(line) as Record<string, unknown>) : sleep(20).then(mine);
    };
    expect(await mine()).toMatchObject([{ message: 'request', path: '/documents', status: 202, document_id: answer.body.document_id }]);
    await business.settled(answer.body.document_id);
  });

  it('a worker that is told to stop ends the step it is at, and hands the document to another at once', async () => {
    await addFaults(stack, { match: { ruc: business.ruc, service: 'reception' }, times: 1, action: { kind: 'delay', ms: 5_000 } });
    const { document_id, access_key } = await business.accepted();
    await untilSent(document_id);
    await stack.killWorker(workerIndex, 'SIGTERM');
    const [attempt] = await stack.database.query<{ outcome: string }>('select outcome from sri_attempts where document_id = $1', [document_id]);
    expect(attempt).toEqual({ outcome: 'received' });
    expect(await stack.database.query('select lease_token from outbox where document_id = $1', [document_id])).toEqual([{ lease_token: null }]);
    ({ worker, index: workerIndex } = await stack.startWorker({ SHUTDOWN_SECONDS: '1', LEASE_SECONDS: '600' }));
    expect((await business.settled(document_id)).status).toBe('AUTHORIZED');
    expect((await simulatorAccount(stack, access_key)).digests).toHaveLength(1);
  });

  it('one whose call hangs longer than there is time hands the document back before its lease runs out; nothing is sent twice', async () => {
    await addFaults(stack, { match: { ruc: business.ruc, service: 'reception' }, times: 1, action: { kind: 'hang', phase: 'after' } });
    const { document_id, access_key } = await business.accepted();
    await untilSent(document_id);
    await stack.killWorker(workerIndex, 'SIGTERM');
    expect(await stack.database.query('select lease_token, lease_until from outbox where document_id = $1', [document_id])).toEqual([{ lease_token: null, lease_until: null }]);
    ({ worker, index: workerIndex } = await stack.startWorker());
    expect((await business.settled(document_id)).status).toBe('AUTHORIZED');
    expect((await simulatorAccount(stack, access_key)).digests).toHaveLength(1);
  });

  it('an API that is told to stop takes no more, answers who waits, ends streams, and ends although a caller never finishes', async () => {
    await stack.killWorker(workerIndex, 'SIGTERM');
    const url = await stack.startApi({ SHUTDOWN_SECONDS: '4' });
    const stream = await fetch(`${url}/events/stream`, { headers: { 'x-api-key': business.apiKey } });
    const reading = stream.text();
    const endless = connect(Number(new URL(url).port), '127.0.0.1');
    const cutOff = new Promise<void>((resolve) => endless.once('close', () => resolve()));
    endless.on('error', () => undefined);
    endless.resume();
    // A body is waited for once it is known whose it is.
    endless.write(`POST /documents HTTP/1.1\r\nHost: x\r\nX-API-Key: ${business.apiKey}\r\nContent-Length: 1000\r\nContent-Type: application/json\r\n\r\n{`);
    const waiting = business.call('POST', '/documents', business.invoice(), { prefer: 'wait=30' }, url);
    await untilMoving(1);
    await stack.killApi(stack.apis.length - 1, 'SIGTERM');
    expect(await waiting).toMatchObject({ status: 202, body: { status: 'NUMBER_RESERVED', action_taken: 'pending' } });
    expect(await reading).toContain('retry:');
    await cutOff;
    await expect(fetch(`${url}/health/live`)).rejects.toThrow();
    expect(await stack.apis.at(-1)!.ended).toBe('signal SIGTERM');
  });

  async function untilSent(documentId: string): Promise<void> {
    while ((await business.document(documentId)).status !== 'SUBMITTED_TO_SRI') await sleep(20);
  }

  async function untilMoving(documents: number): Promise<void> {
    while ((await stack.database.query('select from documents where resting_status is null')).length < documents) await sleep(20);
  }
});
