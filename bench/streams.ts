/**
 * `npm run bench:streams`: what streams of events cost while nothing happens (processor time of PostgreSQL and of the API that
 * holds them), of many beside a tenth of them; and how long after its commit an event arrives while all are open.
 *
 *   --tenants 20      --streams 10   each      --seconds 15   each reading
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { percentile } from './issue-load.js';
import { BenchStack } from './issue-stack.js';
import { createRequests } from './issue-tenants.js';
import { printFigures } from './table.js';

const { values } = parseArgs({
  options: { tenants: { type: 'string', default: '20' }, streams: { type: 'string', default: '10' }, seconds: { type: 'string', default: '15' } },
});
const [tenants, streams, seconds] = [Number(values.tenants), Number(values.streams), Number(values.seconds)];
/** Of ten times as many streams, by a tenth of them. */
const COST_AT_MOST = 5;
const CORES_OF_A_THOUSAND_AT_MOST = 0.5;
const ARRIVES_WITHIN_MS = 1_000;
const ROUNDS = 3;

/** When each event arrived first, by its id. */
const arrived = new Map<string, number>();
const closing = new AbortController();
/** Why a stream ended before its time. */
let broken: Error | null = null;

/** Opens a stream and reads it until the end. */
async function openStream(apiUrl: string, apiKey: string): Promise<void> {
  const answer = await fetch(`${apiUrl}/events/stream`, { headers: { 'x-api-key': apiKey }, signal: closing.signal });
  if (answer.status !== 200 || answer.body === null) throw new Error(`a stream was refused: ${answer.status}`);
  read(answer.body)
    .then(() => Promise.reject(new Error('the API ended it')))
    .catch((error: unknown) => {
      if (!closing.signal.aborted) broken = error as Error;
    });
}

async function read(body: ReadableStream<Uint8Array>): Promise<void> {
  for await (const text of body.pipeThrough(new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array>) as unknown as AsyncIterable<string>) {
    for (const [, id] of text.matchAll(/^data: \{"id":"([0-9a-f-]{36})"/gm)) if (id !== undefined && !arrived.has(id)) arrived.set(id, performance.now());
  }
}

/** Milliseconds from the commit of an event of each tenant to its arrival at a stream, p95. */
async function p95Arrival(owner: pg.Client, ids: readonly string[]): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const written = new Map<string, number>();
    for (const tenant of ids) {
      const id = randomUUID();
      await owner.query(`insert into events (tenant_id, id, type, created_at, data) values ($1, $2, 'certificate.expiring', now(), '{"certificate": {"id": "x"}}')`, [tenant, id]);
      written.set(id, performance.now());
    }
    for (let waited = 0; [...written.keys()].some((id) => !arrived.has(id)); waited += 1) {
      if (waited > 200) throw new Error('an event did not arrive');
      await sleep(50);
    }
    for (const [id, at] of written) times.push(arrived.get(id)! - at);
  }
  return percentile(times.sort((a, b) => a - b), 0.95);
}

let stack: BenchStack | null = null;
try {
  stack = await BenchStack.start((started) => (stack = started));
  await stack.startApi();
  const apiUrl = stack.apiUrls[0]!;
  const keys = (await createRequests(stack.ownerUrl, apiUrl, tenants, 1)).map(({ apiKey }) => apiKey);
  const owner = new pg.Client({ connectionString: stack.ownerUrl, options: '-c search_path=sello' });
  await owner.connect();
  const { rows } = await owner.query<{ id: string }>('select id from tenants order by created_at desc limit $1', [tenants]);
  const cores = async (): Promise<number> => {
    await sleep(3_000);
    return stack!.coresDuring('api', () => sleep(seconds * 1_000));
  };
  const none = await cores();
  // One of ten for each tenant, then the others.
  const lanes = Array.from({ length: streams }, () => keys).flat();
  const tenth = Math.ceil(lanes.length / 10);
  await Promise.all(lanes.slice(0, tenth).map((key) => openStream(apiUrl, key)));
  const few = (await cores()) - none;
  await Promise.all(lanes.slice(tenth).map((key) => openStream(apiUrl, key)));
  const many = (await cores()) - none;
  const p95 = await p95Arrival(owner, rows.map(({ id }) => id));
  await owner.end();
  closing.abort();
  if ((broken as Error | null) !== null) throw new Error('a stream broke', { cause: broken });
  if (few <= 0) throw new Error(`${tenth} streams cost nothing that could be measured: ask for more`);
  printFigures(`Streams of events; ${stack.description}`, [
    { bench: 'streams', name: 'no stream', value: none, unit: 'cores' },
    { bench: 'streams', name: `${lanes.length} idle streams`, value: many, unit: 'cores', baseline: { name: `${tenth} streams`, value: few }, ratio: many / few, atMost: COST_AT_MOST },
    { bench: 'streams', name: 'the same, of 1,000', value: (many * 1_000) / lanes.length, unit: 'cores', atMost: CORES_OF_A_THOUSAND_AT_MOST },
    { bench: 'streams', name: 'commit to arrival of an event, p95', value: p95, unit: 'ms', atMost: ARRIVES_WITHIN_MS },
  ]);
} catch (error) {
  process.stderr.write(`${(error as Error).stack ?? String(error)}\n${stack?.logs() ?? ''}\n`);
  process.exitCode = 1;
} finally {
  closing.abort();
  await stack?.stop();
}
