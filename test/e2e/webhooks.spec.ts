import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { Business } from '../support/business.js';
import { inTransaction, lockAwaited } from '../support/held-transaction.js';
import { Sink } from '../support/sink.js';
import { type Stack, startStack } from '../support/stack.js';

interface Attempt {
  number: number;
  outcome: string | null;
  status_code: number | null;
}
interface Delivery extends Record<string, unknown> {
  id: string;
  event_id: string;
  event_type: string;
  status: string;
  next_attempt_at: string | null;
  attempts: Attempt[];
}
interface Made extends Record<string, unknown> {
  id: string;
  secret: string;
}

describe('webhooks', () => {
  let stack: Stack;
  let sink: Sink;
  let business: Business;
  /** The worker that runs throughout, unless a test kills it. */
  let workerIndex = 0;

  beforeAll(async () => {
    sink = await Sink.start();
    stack = await startStack({ env: { WEBHOOK_LADDER: '0.3,0.3,0.3', WEBHOOK_TIMEOUT_SECONDS: '3', WEBHOOK_PER_ENDPOINT: '2' } });
    business = await Business.open(stack);
  });
  afterAll(async () => {
    await stack.stop();
    await sink.stop();
  });

  const make = async (path: string, more: object = {}, owner = business): Promise<Made> => {
    const answer = await owner.call<Made>('POST', '/webhooks', { url: sink.url + path, ...more });
    if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const change = (id: string, body: object, owner = business) => owner.call('PATCH', `/webhooks/${id}`, body);
  const off = (id: string, owner = business) => change(id, { is_active: false }, owner);
  const test = async (id: string, owner = business): Promise<Delivery> => (await owner.call<Delivery>('POST', `/webhooks/${id}/test`)).body;
  const deliveries = async (id: string, owner = business): Promise<Delivery[]> => (await owner.call<{ items: Delivery[] }>('GET', `/webhooks/${id}/deliveries?page_size=100`)).body.items;
  const delivery = async (webhook: string, id: string, owner = business): Promise<Delivery> => (await owner.call<Delivery>('GET', `/webhooks/${webhook}/deliveries/${id}`)).body;
  /** Once nothing more happens to it. */
  const ended = async (webhook: string, id: string, owner = business): Promise<Delivery> => {
    for (let waited = 0; waited < 600; waited += 1) {
      const one = await delivery(webhook, id, owner);
      if (one.status !== 'pending') return one;
      await sleep(100);
    }
    throw new Error(`delivery ${id} is still pending\n${stack.logs()}`);
  };
  /** Once an event of the kind has a delivery to the webhook and nothing more happens to it. */
  const arrived = async (webhook: string, type: string, owner = business): Promise<Delivery> => {
    for (let waited = 0; waited < 600; waited += 1) {
      const found = (await deliveries(webhook, owner)).find(({ event_type }) => event_type === type);
      if (found !== undefined) return ended(webhook, found.id, owner);
      await sleep(100);
    }
    throw new Error(`no ${type} was sent\n${stack.logs()}`);
  };
  const outcomes = ({ attempts }: Delivery) => attempts.map(({ outcome, status_code }) => [outcome, status_code]);
  const authorized = async (owner = business): Promise<string> => {
    const { document_id } = await owner.accepted();
    expect((await owner.settled(document_id)).status).toBe('AUTHORIZED');
    return document_id;
  };

  it('bring what GET /events shows, with a record as of its version, signed so that it verifies by the public library', async () => {
    const { id, secret } = await make('/ok', { kinds: ['document.authorized'] });
    const documentId = await authorized();
    const { body, headers, event } = await sink.until(({ event: { type, data } }) => type === 'document.authorized' && data['document']?.['id'] === documentId);
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(event);
    expect(() => new Webhook(secret).verify(body.replace('AUTHORIZED', 'AUTHORIZEd'), headers as Record<string, string>)).toThrow();
    expect(headers).toMatchObject({ 'webhook-id': event.id, 'content-type': 'application/json' });
    // The list keeps the order of commits: it waits for transactions that began before, also of other databases of the server.
    const listed = async (): Promise<unknown[]> => (await business.call<{ items: unknown[] }>('GET', `/events?document_id=${documentId}`)).body.items;
    for (let waited = 0; waited < 1_200 && (await listed()).length === 0; waited += 1) await sleep(50);
    expect(await listed()).toEqual([event]);
    const { next_attempt_at: _next, updated_at: _updated, email: _email, ...record } = await business.document(documentId);
    expect(event).toMatchObject({ version: record['version'], tenant_id: business.tenantId, data: { document: record } });
    const sent = await arrived(id, 'document.authorized');
    expect(sent).toMatchObject({ event_id: event.id, status: 'delivered', next_attempt_at: null, attempts: [{ number: 1, outcome: 'delivered', status_code: 204 }] });
    await off(id);
  });

  it('show their secret once, keep it sealed, and sign with both while it changes', async () => {
    const { id, secret } = await make('/ok?both');
    const verifies = async (...secrets: string[]): Promise<boolean[]> => {
      const { event_id } = await ended(id, (await test(id)).id);
      const { body, headers } = await sink.until(({ path, event }) => path === '/ok?both' && event.id === event_id);
      return secrets.map((one) => {
        try {
          return new Webhook(one).verify(body, headers as Record<string, string>) !== undefined;
        } catch {
          return false;
        }
      });
    };
    expect(await verifies(secret)).toEqual([true]);
    const second = (await business.call<{ secret: string; previous_valid_until: string }>('POST', `/webhooks/${id}/rotate-secret`)).body;
    expect(await verifies(secret, second.secret)).toEqual([true, true]);
    const third = (await business.call<{ secret: string }>('POST', `/webhooks/${id}/rotate-secret`)).body;
    expect(await verifies(secret, second.secret, third.secret)).toEqual([false, true, true]);
    await stack.database.query('update webhook_secrets set expires_at = now() where webhook_id = $1 and expires_at is not null', [id]);
    expect(await verifies(second.secret, third.secret)).toEqual([false, true]);
    const shown = JSON.stringify([(await business.call('GET', `/webhooks/${id}`)).body, (await business.call('GET', '/webhooks')).body, await deliveries(id), (await business.call('GET', '/events')).body]);
    const kept = JSON.stringify(await stack.database.query(`select w::text || coalesce((select string_agg(s::text, '') from webhook_secrets s where s.webhook_id = w.id), '') as row from webhooks w where id = $1`, [id]));
    for (const one of [secret, second.secret, third.secret]) {
      const bytes = Buffer.from(one.slice('whsec_'.length), 'base64');
      for (const form of [one.slice(6), bytes.toString('hex')]) expect([shown.includes(form), kept.includes(form), stack.logs().includes(form)]).toEqual([false, false, false]);
    }
    await off(id);
  });

  it.each([
    ['/refuses', 'refused', 500], ['/redirects', 'refused', 302], ['/hangs', 'timeout', null], ['/slow-body', 'timeout', null], ['/breaks-off', 'connection', null], ['/gone', 'refused', 410], ['/huge', 'delivered', 200],
  ] as const)('that answer as %s are judged so: %s, %p', async (path, outcome, status) => {
    const owner = await Business.open(stack, { certificate: null });
    const { id } = await make(path, {}, owner);
    const { status: end, attempts } = await ended(id, (await test(id, owner)).id, owner);
    // A test is made once.
    expect([end, attempts]).toEqual([outcome === 'delivered' ? 'delivered' : 'failed', [expect.objectContaining({ number: 1, outcome, status_code: status })]]);
    expect(sink.at('/ok', sink.at(path).at(-1)!.event.id)).toEqual([]);
  });

  it('that nobody listens at are told so, in words that say nothing of the network', async () => {
    const { id } = await make('', { url: 'http://127.0.0.1:1025/' });
    expect(outcomes(await ended(id, (await test(id)).id))).toEqual([['connection', null]]);
    await off(id);
  });

  it('shows nothing of what a receiver answered', async () => {
    const { id } = await make('/refuses?words');
    await ended(id, (await test(id)).id);
    expect(JSON.stringify(await deliveries(id))).not.toContain('own words');
    await off(id);
  });

  it('try again by the schedule with the same id, and leave a visible end when it is over', async () => {
    const [recovers, refuses] = [await make('/recovers', { kinds: ['document.authorized'] }), await make('/refuses', { kinds: ['document.authorized'] })];
    await authorized();
    expect(outcomes(await arrived(recovers.id, 'document.authorized'))).toEqual([['refused', 503], ['refused', 503], ['delivered', 200]]);
    const given = await arrived(refuses.id, 'document.authorized');
    expect([given.status, outcomes(given)]).toEqual(['failed', Array(4).fill(['refused', 500])]);
    const tries = sink.at('/refuses', given.event_id);
    expect([tries.length, new Set(tries.map(({ body }) => body)).size, new Set(tries.map(({ headers }) => headers['webhook-id'])).size]).toEqual([4, 1, 1]);

    sink.answer('/refuses', 200);
    const again = await business.call<Delivery>('POST', `/webhooks/${refuses.id}/deliveries/${given.id}/replay`);
    expect([again.status, again.body.status]).toEqual([202, 'pending']);
    const replayed = await ended(refuses.id, given.id);
    expect([replayed.status, replayed.attempts.length, sink.at('/refuses', given.event_id).length]).toEqual(['delivered', 5, 5]);
    expect((await business.call<Made>('GET', `/webhooks/${refuses.id}`)).body['failing_since']).toBeNull();
    sink.answer('/refuses', 500);
    await Promise.all([off(recovers.id), off(refuses.id)]);
  });

  it('send the events of a time again, also those that happened while they were off', async () => {
    const owner = await Business.open(stack);
    const from = new Date(Date.now() - 1_000);
    const { id } = await make('/ok?replay', { is_active: false, kinds: ['document.authorized'] }, owner);
    const [one, two] = [await authorized(owner), await authorized(owner)];
    const range = { from: from.toISOString(), to: new Date(Date.now() + 1_000).toISOString() };
    const replay = (body: object) => owner.call<{ events: number; error?: { detail: unknown } }>('POST', `/webhooks/${id}/replay`, body);
    const refused = await replay(range);
    expect([refused.status, refused.body.error?.detail, await deliveries(id, owner)]).toEqual([409, { reason: 'inactive', allowed_actions: ['activate'] }, []]);
    await change(id, { is_active: true }, owner);
    expect((await replay({ ...range, kinds: ['document.cancelled'] })).body).toEqual({ events: 0 });
    expect((await replay({ ...range, to: range.from, from: '2026-01-01T00:00:00Z' })).body).toEqual({ events: 0 });
    expect((await replay(range)).body).toEqual({ events: 2 });
    for (const document of [one, two]) await sink.until(({ path, event }) => path === '/ok?replay' && event.data['document']?.['id'] === document);
    // Twice is again the same two deliveries.
    expect((await replay(range)).body).toEqual({ events: 2 });
    for (const { id: sent } of await deliveries(id, owner)) expect((await ended(id, sent, owner)).status).toBe('delivered');
    expect((await deliveries(id, owner)).length).toBe(2);
  });

  it('are replayed one time at once by each tenant, and who asks for another meanwhile is told when to come again', async () => {
    const owner = await Business.open(stack, { certificate: null });
    const [one, two] = [await make('/refuses?one', { is_active: false }, owner), await make('/refuses?two', { is_active: false }, owner)];
    await Promise.all([one, two].map(({ id }) => change(id, { is_active: true }, owner)));
    await stack.database.query(`insert into events (tenant_id, id, type, created_at, data) values ($1, gen_random_uuid(), 'sequence.low', now(), '{"sequence": {}}')`, [owner.tenantId]);
    const range = { from: new Date(Date.now() - 60_000).toISOString(), to: new Date(Date.now() + 60_000).toISOString() };
    const replay = (id: string) => owner.call<{ error?: object }>('POST', `/webhooks/${id}/replay`, range);
    // Whoever replays the first one waits for this.
    await inTransaction(stack.database, async (holder) => {
      await holder.query('lock table webhook_work in exclusive mode');
      const first = replay(one.id);
      await lockAwaited(stack.database, 1, 'replay_events');
      for (const id of [one.id, two.id]) {
        const { status, headers, body } = await replay(id);
        expect([status, headers.get('retry-after'), body.error]).toEqual([429, '5', expect.objectContaining({ code: 'RATE_LIMITED', detail: { limit: 1, limits: 'replays', retry_after_seconds: 5 } })]);
      }
      await holder.query('commit');
      expect((await first).status).toBe(202);
      expect((await replay(two.id)).status).toBe(202);
    });
    await Promise.all([off(one.id, owner), off(two.id, owner)]);
  });

  it('send what fell due while they were off for a moment, and are at another address as if nothing had failed', async () => {
    const owner = await Business.open(stack, { certificate: null });
    const { id } = await make('/refuses?moment', {}, owner);
    await stack.database.query('update webhooks set failing_since = now() where id = $1', [id]);
    await inTransaction(stack.database, async (client) => {
      await client.query(`insert into events (tenant_id, id, type, created_at, data) values ($1, gen_random_uuid(), 'sequence.low', now(), '{"sequence": {}}')`, [owner.tenantId]);
      await client.query(`update webhook_work set due_at = now() + interval '1 hour' where tenant_id = $1`, [owner.tenantId]);
      await client.query(`update webhook_deliveries set next_attempt_at = now() + interval '1 hour' where tenant_id = $1 and status = 'pending'`, [owner.tenantId]);
      await client.query('commit');
    });
    await off(id, owner);
    // Due within the moment.
    await stack.database.query('update webhook_work set due_at = now() where tenant_id = $1', [owner.tenantId]);
    const parked = async (): Promise<Delivery | undefined> => (await deliveries(id, owner)).find(({ status, next_attempt_at }) => status === 'pending' && next_attempt_at === null);
    for (let waited = 0; waited < 600 && (await parked()) === undefined; waited += 1) await sleep(100);
    const [waiting, moved] = [(await parked())!, await change(id, { url: `${sink.url}/ok?moment` }, owner)];
    expect(moved.body).toMatchObject({ is_active: false, failing_since: null });
    await change(id, { is_active: true }, owner);
    const { status, attempts } = await ended(id, waiting.id, owner);
    expect([status, attempts.map(({ outcome }) => outcome)]).toEqual(['delivered', ['delivered']]);
    await off(id, owner);
  });

  it('hear only of the kinds they listen to, nothing of other tenants, and nothing once removed', async () => {
    const stranger = await Business.open(stack, { certificate: null });
    const elsewhere = await make('/ok?elsewhere', {}, stranger);
    const [all, rejected, removed] = [await make('/ok?all'), await make('/ok?rejected', { kinds: ['document.rejected'] }), await make('/hangs?removed')];
    const pending = await test(removed.id);
    expect((await business.call('DELETE', `/webhooks/${removed.id}`)).status).toBe(204);
    expect((await business.call('GET', `/webhooks/${removed.id}`)).status).toBe(404);
    expect((await business.call('POST', `/webhooks/${removed.id}/deliveries/${pending.id}/replay`)).status).toBe(404);
    await authorized();
    await arrived(all.id, 'document.authorized');
    expect([await deliveries(rejected.id), await deliveries(elsewhere.id, stranger), sink.at('/hangs?removed').filter(({ event }) => event.type !== 'ping')]).toEqual([[], [], []]);
    expect(await stack.database.query('select 1 from webhook_secrets where webhook_id = $1', [removed.id])).toEqual([]);
    await Promise.all([off(all.id), off(rejected.id)]);
  });

  it.each(['gone', 'failing'] as const)('are switched off when they are %s, which others are told', async (reason) => {
    const owner = await Business.open(stack);
    const watcher = await make('/ok?watcher', { kinds: ['webhook.disabled'] }, owner);
    const { id } = await make(reason === 'gone' ? '/gone' : '/refuses', {}, owner);
    if (reason === 'failing') await stack.database.query(`update webhooks set failing_since = now() - interval '5 days 1 second' where id = $1`, [id]);
    await authorized(owner);
    await arrived(watcher.id, 'webhook.disabled', owner);
    expect(await owner.listed('type=webhook.disabled')).toMatchObject([{ version: null, data: { webhook: { id, url: new URL(sink.url).origin, disabled_reason: reason } } }]);
    expect((await owner.call('GET', `/webhooks/${id}`)).body).toMatchObject({ is_active: false, disabled_reason: reason });
    await authorized(owner);
    expect((await deliveries(id, owner)).filter(({ event_type }) => event_type === 'document.authorized').length).toBe(1);
    expect((await change(id, { is_active: true }, owner)).body).toMatchObject({ is_active: true, disabled_reason: null, disabled_at: null, failing_since: null });
    await off(id, owner);
  });

  it('have at most so many deliveries under way, of all workers together, and hold up no others', async () => {
    const owner = await Business.open(stack, { certificate: null });
    const { index } = await stack.startWorker();
    const [slow, quick] = [await make('/hangs?slow', {}, owner), await make('/ok?quick', {}, owner)];
    await stack.database.query(
      `insert into events (tenant_id, id, type, created_at, data) select $1, gen_random_uuid(), 'sequence.low', now(), '{"sequence": {}}' from generate_series(1, 40)`, [owner.tenantId]);
    const busy: number[] = [];
    for (;;) {
      const [row] = await stack.database.query<{ held: number; quick: number }>(
        `select (select count(*)::int from webhook_work where webhook_id = $1 and lease_token is not null and due_at > now()) as held,
           (select count(*)::int from webhook_deliveries where webhook_id = $2 and status = 'delivered') as quick`, [slow.id, quick.id]);
      busy.push(row!.held);
      if (row!.quick === 40) break;
      await sleep(20);
    }
    expect(Math.max(...busy)).toBeLessThanOrEqual(2);
    // Its deliveries take more than a minute: the others did not wait for them.
    expect((await deliveries(slow.id, owner)).filter(({ status }) => status === 'pending').length).toBeGreaterThan(20);
    expect((await deliveries(slow.id, owner)).some(({ status }) => status === 'delivered')).toBe(false);
    await Promise.all([off(slow.id, owner), off(quick.id, owner)]);
    await stack.killWorker(index);
  });

  it('lose nothing to a worker that is killed in the middle, nor to a database that goes away', async () => {
    const owner = await Business.open(stack, { certificate: null });
    const { id } = await make('/hangs-once', {}, owner);
    const killed = await test(id, owner);
    await sink.until(({ path, event }) => path === '/hangs-once' && event.id === killed.event_id);
    await stack.killWorker(workerIndex);
    workerIndex = (await stack.startWorker()).index;
    const resumed = await ended(id, killed.id, owner);
    expect([resumed.status, resumed.attempts.map(({ outcome }) => outcome)]).toEqual(['delivered', ['interrupted', 'delivered']]);

    const name = new URL(stack.databaseUrl).pathname.slice(1);
    const cut = await test(id, owner);
    await sink.until(({ path, event }) => path === '/hangs-once' && event.id === cut.event_id);
    await stack.database.query(`alter database ${name} with connection limit 0`);
    await stack.database.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()`, [name]);
    await sleep(1_500);
    await stack.database.query(`alter database ${name} with connection limit -1`);
    const after = await ended(id, cut.id, owner);
    expect(after.attempts.at(0)?.outcome).toMatch(/^(timeout|interrupted)$/);
    await authorizedLater();
  });

  it('are handed back by a worker that has no time for a receiver that hangs', async () => {
    await stack.killWorker(workerIndex, 'SIGTERM');
    const stopping = await stack.startWorker({ WEBHOOK_TIMEOUT_SECONDS: '600', SHUTDOWN_SECONDS: '1' });
    const owner = await Business.open(stack, { certificate: null });
    const { id } = await make('/hangs-once', {}, owner);
    const cutOff = await test(id, owner);
    await sink.until(({ path, event }) => path === '/hangs-once' && event.id === cutOff.event_id);
    await stack.killWorker(stopping.index, 'SIGTERM');
    workerIndex = (await stack.startWorker()).index;
    const resumed = await ended(id, cutOff.id, owner);
    expect([resumed.status, resumed.attempts.map(({ outcome }) => outcome)]).toEqual(['delivered', ['interrupted', 'delivered']]);
  });

  it.each([
    { point: 'before-webhook', calls: 1 },
    { point: 'after-webhook', calls: 2 },
  ])('tell of a document though a worker is killed with kill -9 $point, with one id', async ({ point, calls }) => {
    const owner = await Business.open(stack);
    const path = `/ok?${point}`;
    const { id } = await make(path, { kinds: ['document.authorized'] }, owner);
    await stack.killWorker(workerIndex, 'SIGTERM');
    const doomed = await stack.startWorker({ FAULTS: `${point}:1:kill9` });
    const { document_id } = await owner.accepted();
    await doomed.worker.ended;
    workerIndex = (await stack.startWorker()).index;
    const told = await arrived(id, 'document.authorized', owner);
    expect([told.status, told.attempts.map(({ outcome }) => outcome)]).toEqual(['delivered', ['interrupted', 'delivered']]);
    const received = sink.received.filter((call) => call.path === path);
    expect(received.map(({ event }) => [event.id, event.data])).toEqual(
      Array.from({ length: calls }, () => [told.event_id, expect.objectContaining({ document: expect.objectContaining({ id: document_id }) })]),
    );
  });

  /** The service as a whole has survived. */
  const authorizedLater = async (): Promise<void> => {
    const { id } = await make(`/ok?${randomUUID()}`, { kinds: ['document.authorized'] });
    await authorized();
    expect((await arrived(id, 'document.authorized')).status).toBe('delivered');
  };
});
