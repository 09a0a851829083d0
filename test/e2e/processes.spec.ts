import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Load } from '../chaos/load.js';
import { Business } from '../support/business.js';
import { checkLedgers, type Query } from '../support/ledger-checker.js';
import { SeededRandom } from '../support/seeded-random.js';
import { Sink } from '../support/sink.js';
import { type Stack, startStack } from '../support/stack.js';
import { openTenant, type Place } from '../support/tenants.js';

const READS_PER_MINUTE = 90;

/** Nothing is kept in a process: any may die, and others join, while documents flow. */
describe('three API and three worker processes', () => {
  let stack: Stack;
  let sink: Sink;

  beforeAll(async () => {
    sink = await Sink.start();
    stack = await startStack({
      api: 3, workers: 3,
      env: {
        // So many documents at once may take a busy machine a while: only the killed lose what they hold.
        LEASE_SECONDS: '12', SRI_TIMEOUT_SECONDS: '8', RELAY_PATIENCE_SECONDS: '2', SHUTDOWN_SECONDS: '3',
        WEBHOOK_LADDER: '0.3,0.3,0.3', RATE_LIMIT_READ_PER_MINUTE: String(READS_PER_MINUTE),
      },
    });
  });
  afterAll(async () => {
    await stack.stop();
    await sink.stop();
  });

  const until = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
    for (let tries = 0; tries < 300; tries += 1) {
      if (await holds()) return;
      await sleep(200);
    }
    throw new Error(`${what}: not within a minute\n${stack.logs()}`);
  };

  it('count calls together: exactly as many are let through as one process would let, also when one of them dies', async () => {
    const business = await Business.open(stack, { certificate: null });
    const apis = [...stack.apiUrls];
    const read = async (apiUrl: string): Promise<number> => (await business.call('GET', `/documents/${randomUUID()}`, undefined, {}, apiUrl)).status;
    const calls = (many: number, from: readonly string[]): Promise<number[]> => Promise.all(Array.from({ length: many }, (_, index) => read(from[index % from.length]!)));
    const before = await calls(60, apis);
    await stack.killApi(stack.apiUrls.indexOf(apis[2]!));
    const after = await calls(60, apis.slice(0, 2));
    const statuses = [...before, ...after];
    // Let through is 404: nobody has that document.
    expect([404, 429].map((status) => statuses.filter((one) => one === status).length)).toEqual([READS_PER_MINUTE, 120 - READS_PER_MINUTE]);
  });

  it('lose no document, no number and no notification while processes are killed, stopped and added', async () => {
    await stack.startApi();
    const [one, other] = await Promise.all([openTenant(stack.ownerUrl, stack.apiUrl, 2), openTenant(stack.ownerUrl, stack.apiUrl, 1)]);
    const answer = await fetch(`${stack.apiUrl}/webhooks`, {
      method: 'POST',
      headers: { 'x-api-key': one[0]!.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ url: `${sink.url}/ok`, kinds: ['document.authorized'] }),
    });
    expect([answer.status, await answer.json()]).toEqual([201, expect.anything()]);

    const places: Place[] = [...one, ...other];
    const load = new Load(() => stack.apiUrls, places, new SeededRandom(7), { rate: 12, timeoutMs: 5_000 });
    load.start();
    await sleep(2_000);
    await Promise.all([stack.killApi(0), stack.killWorker(0)]);
    await Promise.all([stack.startApi(), stack.startWorker()]);
    // Asked to end, they finish or hand back what they hold.
    await Promise.all([stack.killApi(1, 'SIGTERM'), stack.killWorker(1, 'SIGTERM')]);
    await Promise.all([stack.startApi(), stack.startWorker()]);
    await sleep(2_000);
    await load.finish(30_000);

    const query = stack.database.query.bind(stack.database) as Query;
    await until('every document is decided', async () => (await query('select 1 from outbox where due_at < now() + interval \'1 hour\' limit 1')).length === 0);
    expect(load.violations).toEqual([]);
    expect(await checkLedgers({ query, simulatorUrl: stack.simulatorUrl, client: load.records, quiescent: true })).toEqual([]);
    const odd = await query(
      `select d.status, d.error_code, d.sri_messages, array(select h.trigger from document_history h where h.document_id = d.id order by h.version) as moves
       from documents d where d.status <> 'AUTHORIZED'`);
    expect(odd).toEqual([]);
    expect(load.accepted).toBeGreaterThan(60);
    expect(load.statuses['none'] ?? 0).toBeGreaterThan(0);

    const due = await query<{ id: string }>('select id from documents where issuer_id = $1', [one[0]!.issuerId]);
    const told = (): Set<unknown> => new Set(sink.received.map(({ event }) => event.data['document']?.['id']));
    await until('every notification arrives', () => Promise.resolve(due.every(({ id }) => told().has(id))));
  }, 180_000);
});
