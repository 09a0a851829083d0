/**
 * `npm run bench:guards` (P9): what two guards cost that are never off. Row security: the issuing function called by the
 * service's role, beside the same calls by a role that row security does not bind. Idempotency: POSTs that carry a key each,
 * beside POSTs that carry none. Both sides take turns once warm; medians over the rounds count.
 *
 *   --seconds 2   a slice      --rounds 6      --clients 16
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { type Request, run, untilSteady } from './issue-load.js';
import { type BenchStack, onBenchStack } from './issue-stack.js';
import { createRequests } from './issue-tenants.js';
import { median, printFigures } from './table.js';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '2' }, rounds: { type: 'string', default: '6' }, clients: { type: 'string', default: '16' } },
});
const [seconds, rounds, clients] = [Number(values.seconds), Number(values.rounds), Number(values.clients)];
const ROW_SECURITY_AT_LEAST = 1 - 0.15;
const IDEMPOTENCY_AT_LEAST = 1 - 0.1;

/** Parameters of `issue_document` as a real document left them, but for its own id. */
async function parametersOf(owner: pg.Pool): Promise<readonly unknown[]> {
  const { rows } = await owner.query<Record<string, unknown>>(
    `select d.tenant_id, k.id as key, to_jsonb(d) - 'id' as header, c.content, c.issuer_snapshot
     from documents d join document_contents c on c.tenant_id = d.tenant_id and c.document_id = d.id
     join api_keys k on k.tenant_id = d.tenant_id and k.revoked_at is null limit 1`);
  const row = rows[0];
  if (row === undefined) throw new Error('no document to imitate');
  const json = (name: string): string => JSON.stringify(row[name]);
  return [row['tenant_id'], row['key'], json('header'), json('content'), json('issuer_snapshot')];
}

/** Calls per second of the issuing function, over `clients` connections. */
async function reservations(pool: pg.Pool, [tenant, key, header, content, snapshot]: readonly unknown[]): Promise<number> {
  const started = performance.now();
  let calls = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() - started < seconds * 1_000) {
      await pool.query({
        name: 'issue',
        text: `select * from issue_document($1, $2, $3, now(), $4, $5, $6, '[]', null, 'v1:bench')`,
        values: [tenant, key, randomUUID(), header, content, snapshot],
      });
      calls += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, lane));
  return (calls * 1_000) / (performance.now() - started);
}

interface Cost {
  readonly guarded: number;
  readonly free: number;
  readonly ratio: number;
}

/** Both sides in turns, once each has stopped becoming faster; each is first in every other round, so that neither gains from what remains of the warm-up. */
async function inTurns(sides: Readonly<Record<'guarded' | 'free', () => Promise<number>>>): Promise<Cost> {
  await untilSteady(sides.guarded);
  await untilSteady(sides.free);
  const pairs: { guarded: number; free: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const pair = { guarded: 0, free: 0 };
    for (const side of round % 2 === 0 ? (['guarded', 'free'] as const) : (['free', 'guarded'] as const)) pair[side] = await sides[side]();
    pairs.push(pair);
  }
  return {
    guarded: median(pairs.map((pair) => pair.guarded)), free: median(pairs.map((pair) => pair.free)),
    ratio: median(pairs.map((pair) => pair.guarded / pair.free)),
  };
}

async function rowSecurity(stack: BenchStack): Promise<Cost> {
  const free = new pg.Pool({ connectionString: stack.ownerUrl, max: clients, options: '-c search_path=sello' });
  const bound = new pg.Pool({ connectionString: stack.ownerUrl, max: clients, options: '-c search_path=sello -c role=sello_app' });
  try {
    const parameters = await parametersOf(free);
    return await inTurns({ guarded: () => reservations(bound, parameters), free: () => reservations(free, parameters) });
  } finally {
    await Promise.all([free.end(), bound.end()]);
  }
}

async function idempotency(stack: BenchStack, requests: readonly Request[]): Promise<Cost> {
  const posts = async (keyed: boolean): Promise<number> => {
    const load = await run({ apiUrls: stack.apiUrls, requests, clients, seconds, keyed });
    if (load.failures.size > 0) throw new Error([...load.failures].map(([what, times]) => `${times} x ${what}`).join('; '));
    return load.accepted.length / load.seconds;
  };
  return inTurns({ guarded: () => posts(true), free: () => posts(false) });
}

await onBenchStack(async (stack) => {
  await stack.startApi();
  const requests = await createRequests(stack.ownerUrl, stack.apiUrls[0]!, 4, 25);
  const keys = await idempotency(stack, requests);
  const rows = await rowSecurity(stack);
  printFigures(`What row security and idempotency leave of the rate; ${stack.description}`, [
    { bench: 'guards', name: 'P9 issuing function under row security', value: rows.guarded, unit: '1/s', baseline: { name: 'not bound by it', value: rows.free }, ratio: rows.ratio, goal: ROW_SECURITY_AT_LEAST },
    { bench: 'guards', name: 'P9 POSTs with an idempotency key', value: keys.guarded, unit: 'POST/s', baseline: { name: 'without', value: keys.free }, ratio: keys.ratio, goal: IDEMPOTENCY_AT_LEAST },
  ]);
});
