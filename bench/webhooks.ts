/**
 * `npm run bench:webhooks`: do receivers that hang hold up the others? Events of many tenants are delivered by a real
 * worker, first with receivers that all answer, then with `--hanging 0.1` of them never answering. Prints the p95 from
 * the event's commit to its arrival at the receivers that do answer, both ways, and the ratio; exits with 1 above 2.
 *
 *   --tenants 30   one receiver each      --rate 60   events a second      --seconds 20
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { ApiClient } from '../src/local/api-client.js';
import { percentile } from './issue-load.js';
import { type BenchStack, onBenchStack } from './issue-stack.js';
import { openTenant } from '../test/support/tenants.js';
import { printFigures } from './table.js';

const { values } = parseArgs({
  options: { tenants: { type: 'string', default: '30' }, rate: { type: 'string', default: '60' }, seconds: { type: 'string', default: '20' }, hanging: { type: 'string', default: '0.1' } },
});
const [tenants, rate, seconds, hanging] = [Number(values.tenants), Number(values.rate), Number(values.seconds), Number(values.hanging)];
const AT_MOST = 2;

interface Receiver {
  readonly tenantId: string;
  readonly hangs: boolean;
}

/** Takes what comes; under `/hang` it never answers. Notes when each event came. */
async function startSink(): Promise<{ url: string; arrivals: Map<string, number>; stop: () => void }> {
  const arrivals = new Map<string, number>();
  const server = createServer((request, response) => {
    request.resume();
    if (request.url === '/hang') return;
    arrivals.set(String(request.headers['webhook-id']), performance.now());
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrivals, stop: () => server.closeAllConnections() };
}

/** Writes events at the rate and waits for those that can arrive; the times from commit to arrival, in order. */
async function measure(client: pg.Client, receivers: readonly Receiver[], arrivals: Map<string, number>): Promise<number[]> {
  const committed = new Map<string, number>();
  const began = performance.now();
  for (let sent = 0; sent < rate * seconds; sent += 1) {
    const receiver = receivers[sent % receivers.length];
    if (receiver === undefined) throw new Error('there is no receiver');
    const id = randomUUID();
    await client.query(`insert into sello.events (tenant_id, id, type, created_at, data) values ($1, $2, 'sequence.low', now(), '{"sequence": {}}')`, [receiver.tenantId, id]);
    if (!receiver.hangs) committed.set(id, performance.now());
    await sleep(Math.max(0, began + ((sent + 1) * 1_000) / rate - performance.now()));
  }
  for (let waited = 0; waited < 600 && [...committed.keys()].some((id) => !arrivals.has(id)); waited += 1) await sleep(100);
  const lost = [...committed.keys()].filter((id) => !arrivals.has(id)).length;
  if (lost > 0) throw new Error(`${lost} of ${committed.size} events did not arrive within a minute`);
  return [...committed].map(([id, at]) => Math.max(0, (arrivals.get(id) ?? at) - at)).sort((a, b) => a - b);
}

async function run(stack: BenchStack): Promise<boolean> {
  await stack.startApi();
  await stack.startWorker();
  const sink = await startSink();
  const client = new pg.Client({ connectionString: stack.ownerUrl });
  await client.connect();
  const open = async (count: number, path: string): Promise<Receiver[]> => {
    const made: Receiver[] = [];
    for (let i = 0; i < count; i += 1) {
      const [place] = await openTenant(stack.ownerUrl, stack.apiUrls[0] ?? '', 1);
      if (place === undefined) throw new Error('no tenant was opened');
      const { id } = await new ApiClient(stack.apiUrls[0] ?? '', place.apiKey).post<{ id: string }>('/webhooks', { url: sink.url + path });
      const { rows } = await client.query<{ tenant_id: string }>('select tenant_id from sello.webhooks where id = $1', [id]);
      made.push({ tenantId: rows[0]?.tenant_id ?? '', hangs: path === '/hang' });
    }
    return made;
  };
  const hang = Math.max(1, Math.round(tenants * hanging));
  const answering = await open(tenants - hang, '/ok');
  await measure(client, answering, sink.arrivals);
  const calm = percentile(await measure(client, answering, sink.arrivals), 0.95);
  const mixed = percentile(await measure(client, [...(await open(hang, '/hang')), ...answering], sink.arrivals), 0.95);
  await client.end();
  sink.stop();
  const ratio = mixed / calm;
  printFigures(`webhooks: ${tenants} receivers, ${rate} events/s; ${stack.description}`, [
    { bench: 'webhooks', name: 'P7 commit to arrival of the webhook, p95', value: calm, unit: 'ms', atMost: 1_000 },
    { bench: 'webhooks', name: `the same, ${hang} of ${tenants} hang`, value: mixed, unit: 'ms', baseline: { name: 'all answer', value: calm }, ratio, atMost: AT_MOST },
  ]);
  return ratio <= AT_MOST;
}

await onBenchStack(async (stack) => {
  process.exitCode = (await run(stack)) ? 0 : 1;
});
process.exit();
