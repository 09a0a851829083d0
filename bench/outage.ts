/**
 * `npm run bench:outage`: how the service comes back from an outage of the SRI, in
 * real processes with every waiting time divided by one factor.
 *
 *   --factor 30   60 minutes of outage become 120 s; ladders, ramp and breaker shrink alike
 *   --load 0.3    arrivals as a share of the measured capacity
 *   --away both   or authorization, reception: half an outage
 *   --how unavailable   or unreachable, silent: how what is away does not answer
 *
 * Measures the capacity, then arrivals at `load` without an outage, then the same
 * through an outage. Exits with 1 unless every accepted document is
 * AUTHORIZED with gapless numbers and the outage's were within half of its time. The goal
 * besides: documents that arrive meanwhile, on emission points without a backlog of their
 * own (numbers of one point go in order), are at most three times as slow as without one.
 * With the authorization alone away, the SRI takes what is sent all the while.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { BenchDatabase } from './issue-database.js';
import { type LoadResult, percentile, type Request, run } from './issue-load.js';
import { type BenchStack, onBenchStack } from './issue-stack.js';
import { createRequests } from './issue-tenants.js';

const { values } = parseArgs({
  options: { factor: { type: 'string', default: '30' }, load: { type: 'string', default: '0.3' }, tenants: { type: 'string', default: '8' }, points: { type: 'string', default: '25' },
    away: { type: 'string', default: 'both' }, how: { type: 'string', default: 'unavailable' } },
});
const SERVICES = ['reception', 'authorization'];
const WAYS = ['unavailable', 'unreachable', 'silent'];
const { away, how } = values;
if (!WAYS.includes(how)) throw new Error(`--how ${how}: ${WAYS.join(', ')}`);
if (away !== 'both' && !SERVICES.includes(away)) throw new Error(`--away ${away}: both, ${SERVICES.join(' or ')}`);
const servicesAway = SERVICES.filter((service) => away === 'both' || away === service);
const factor = Number(values.factor);
const share = Number(values.load);
const OUTAGE_SECONDS = 3_600 / factor;
const GOAL_SHARE = 0.5;
/** The longest break, then the ramp's two stages. */
const RECOVERY_SECONDS = (30 + 2 * 60) / factor;
const CLIENTS = 16;

const began = performance.now();
const say = (line: string): void => void process.stdout.write(`[${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s] ${line}\n`);
const scaled = (seconds: number): string => String(Math.max(0.05, Math.round((seconds / factor) * 1000) / 1000));
const whole = (seconds: number): string => String(Math.max(1, Math.round(seconds / factor)));

process.env['RECEPTION_LADDER'] = [2, 5, 15, 60].map(scaled).join(',');
process.env['AUTHORIZATION_LADDER'] = `0.2,0.5,${[60, 300, 900, 3600].map(scaled).join(',')}`;
process.env['SRI_RAMP_SECONDS'] = whole(60);
process.env['SRI_LONGEST_BREAK_SECONDS'] = whole(30);
process.env['SRI_TIMEOUT_SECONDS'] = whole(30);

interface Fresh {
  readonly p95: number;
  readonly count: number;
}

type Reached = 'received' | 'authorized';

/** From commit of the number until the SRI had taken or authorized it, of the documents accepted between two moments. */
async function timesOf(client: pg.Client, from: Date, to: Date, reached: Reached = 'authorized'): Promise<Fresh> {
  const { rows } = await client.query<{ ms: string }>(
    `select extract(epoch from h.at - d.created_at) * 1000 as ms from sello.documents d
     join sello.document_history h on h.tenant_id = d.tenant_id and h.document_id = d.id and h.trigger = $3
     where d.created_at between $1 and $2`,
    [from, to, reached],
  );
  const sorted = rows.map(({ ms }) => Number(ms)).sort((a, b) => a - b);
  return { p95: percentile(sorted, 0.95), count: sorted.length };
}

async function switchSri(stack: BenchStack, up: boolean): Promise<void> {
  for (const service of servicesAway) {
    const response = await fetch(`${stack.simulatorUrl}/control/services/${service}`, {
      method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(up ? { up } : { up, how }),
    });
    if (!response.ok) throw new Error(`simulator: ${response.status} ${await response.text()}`);
  }
}

interface Pending {
  readonly count: number;
  /** How many in which state. */
  readonly states: string;
}

async function pending(client: pg.Client, before: Date): Promise<Pending> {
  const { rows } = await client.query<{ status: string; count: string }>(
    `select status, count(*) from sello.documents where status <> 'AUTHORIZED' and created_at < $1 group by 1 order by 2 desc`, [before],
  );
  return {
    count: rows.reduce((sum, { count }) => sum + Number(count), 0),
    states: rows.map(({ status, count }) => `${count} ${status}`).join(', '),
  };
}

/** All that a measurement needs. */
interface Bench {
  readonly stack: BenchStack;
  readonly requests: readonly Request[];
  readonly database: BenchDatabase;
  readonly client: pg.Client;
  /** Ids of every document that was accepted. */
  readonly accepted: string[];
}

async function setUp(stack: BenchStack): Promise<Bench> {
  await stack.startApi();
  await stack.startWorker();
  say(stack.description);
  const requests = await createRequests(stack.ownerUrl, stack.apiUrls[0] ?? '', Number(values.tenants), Number(values.points));
  const database = await BenchDatabase.open(stack.ownerUrl);
  const client = new pg.Client({ connectionString: stack.ownerUrl });
  await client.connect();
  return { stack, requests, database, client, accepted: [] };
}

async function load({ stack, requests, accepted }: Bench, seconds: number, rate?: number, points = requests): Promise<LoadResult> {
  const result = await run({ apiUrls: stack.apiUrls, requests: points, clients: CLIENTS, seconds, ...(rate !== undefined && { rate }) });
  accepted.push(...result.accepted);
  return result;
}

/** Documents per second, from intake to AUTHORIZED. */
async function measureCapacity(bench: Bench): Promise<number> {
  const { database } = bench;
  await load(bench, 5);
  await database.drain((count) => say(`  warming up, ${count} pending`));
  const from = performance.now();
  const full = await load(bench, 15);
  await database.drain((count) => say(`  ${count} pending`));
  return full.accepted.length / ((performance.now() - from) / 1000);
}

interface Calm {
  readonly cores: number;
  /** 95th percentile of each move. */
  readonly moves: ReadonlyMap<string, number>;
  readonly authorized: Fresh;
  readonly taken: Fresh;
}

async function withoutOutage(bench: Bench, rate: number): Promise<Calm> {
  const { stack, database, client } = bench;
  const from = new Date();
  const cores = await stack.coresDuring('worker', () => load(bench, 20, rate));
  await database.drain(() => undefined);
  const moves = new Map((await database.moveTimes(from)).map(({ move, p95 }) => [move, p95]));
  const authorized = await timesOf(client, from, new Date());
  const taken = await timesOf(client, from, new Date(), 'received');
  say(`without an outage: p95 ${authorized.p95.toFixed(0)} ms to AUTHORIZED, ${taken.p95.toFixed(0)} ms until the SRI has it; ${cores.toFixed(2)} cores for PostgreSQL and worker`);
  return { cores, moves, authorized, taken };
}

interface Outage {
  readonly cores: number;
  readonly awayAt: Date;
  readonly backAt: Date;
  /** Documents that waited when the SRI came back. */
  readonly backlog: number;
  /** Null: they were not all AUTHORIZED within twice the outage. */
  readonly drainedAfter: number | null;
  readonly drainedAt: Date;
}

/** Half of the emission points send in the outage, the others after it. */
async function throughOutage(bench: Bench, rate: number): Promise<Outage> {
  const { stack, requests, database, client } = bench;
  const half = Math.ceil(requests.length / 2);
  const [cutOff, untouched] = [requests.slice(0, half), requests.slice(half)];
  await switchSri(stack, false);
  const awayAt = new Date();
  say(`outage of ${OUTAGE_SECONDS.toFixed(0)} s (1 h / ${factor}): ${servicesAway.join(' and ')} ${how}`);
  const cores = await stack.coresDuring('worker', () => load(bench, OUTAGE_SECONDS, rate, cutOff));
  const backAt = new Date();
  say(`in the outage ${cores.toFixed(2)} cores for PostgreSQL and worker`);
  await switchSri(stack, true);
  const { count: backlog, states } = await pending(client, backAt);
  say(`the SRI is back; ${backlog} documents wait: ${states}`);
  const arrivals = load(bench, OUTAGE_SECONDS, rate, untouched);
  const drainedAfter = await untilDrained(client, backAt);
  const drainedAt = new Date();
  await arrivals;
  await database.drain((count) => say(`  ${count} pending`));
  return { cores, awayAt, backAt, backlog, drainedAfter, drainedAt };
}

/** Seconds until every document of the outage was AUTHORIZED; null after twice its time. */
async function untilDrained(client: pg.Client, backAt: Date): Promise<number | null> {
  while (Date.now() - backAt.getTime() < OUTAGE_SECONDS * 2000) {
    const left = await pending(client, backAt);
    if (left.count === 0) return (Date.now() - backAt.getTime()) / 1000;
    await sleep(1_000);
    say(`  of the outage's documents pending: ${left.states}`);
  }
  return null;
}

async function measure(stack: BenchStack): Promise<boolean> {
  const bench = await setUp(stack);
  const capacity = await measureCapacity(bench);
  const rate = capacity * share;
  say(`capacity ${capacity.toFixed(0)} documents/s; arrivals from now on ${rate.toFixed(0)}/s`);
  const calm = await withoutOutage(bench, rate);
  return report(bench, capacity, calm, await throughOutage(bench, rate));
}

/** @returns whether nothing went wrong, and the outage's documents were authorized within half of its time */
async function report({ database, client, accepted }: Bench, capacity: number, calm: Calm, outage: Outage): Promise<boolean> {
  const { awayAt, backAt, backlog, drainedAfter, drainedAt } = outage;
  // Only now: those that it has taken by the end of the outage would be the fast ones.
  const taken = servicesAway.includes('reception') ? null : await timesOf(client, awayAt, backAt, 'received');
  const fresh = await timesOf(client, backAt, drainedAt);
  const settledAt = new Date(backAt.getTime() + RECOVERY_SECONDS * 1_000);
  const settled = await timesOf(client, settledAt, drainedAt);
  for (const { move, count, p50, p95 } of await database.moveTimes(settledAt, drainedAt)) {
    say(`  after break and ramp, ${move}: ${count} times, p50 ${p50.toFixed(0)}, p95 ${p95.toFixed(0)} ms; without an outage p95 ${calm.moves.get(move)?.toFixed(0) ?? '-'} ms`);
  }
  const { rows } = await client.query<{ calls: string }>(`select count(*)::float / nullif((select count(*) from sello.documents), 0) as calls from sello.sri_attempts`);
  const problems = await database.problems(accepted);
  await client.end();
  await database.close();

  const drainShare = (drainedAfter ?? Number.POSITIVE_INFINITY) / OUTAGE_SECONDS;
  const [freshRatio, settledRatio] = [fresh.p95 / calm.authorized.p95, settled.p95 / calm.authorized.p95];
  const callsPerDocument = Number(rows[0]?.calls);
  process.stdout.write(
    `\ndrained in ${drainedAfter?.toFixed(1) ?? 'never'} s = ${drainShare.toFixed(2)} of the outage (goal ${GOAL_SHARE.toFixed(2)}, ideal ${(share / (1 - share)).toFixed(2)})\n` +
      `fresh documents meanwhile: p95 ${fresh.p95.toFixed(0)} ms over ${fresh.count} = ${freshRatio.toFixed(1)} x without an outage (goal 3)\n` +
      `those that came after break and ramp: p95 ${settled.p95.toFixed(0)} ms over ${settled.count} = ${settledRatio.toFixed(1)} x\n` +
      (taken === null ? '' : `documents in the outage, until the SRI has them: p95 ${taken.p95.toFixed(0)} ms over ${taken.count} = ${(taken.p95 / calm.taken.p95).toFixed(1)} x without one\n`) +
      `processor time of PostgreSQL and worker in the outage: ${(outage.cores / calm.cores).toFixed(2)} x without one\n` +
      `calls to the SRI per document: ${callsPerDocument.toFixed(2)} (goal 3)\n` +
      `${JSON.stringify({ bench: 'outage', away, how, factor, share, capacity, backlog, drainShare, freshRatio, freshP95: fresh.p95, settledP95: settled.p95, settledRatio, calmP95: calm.authorized.p95, callsPerDocument, awayCores: outage.cores, calmCores: calm.cores, takenP95: taken?.p95 ?? null, calmTakenP95: calm.taken.p95 })}\n`,
  );
  for (const problem of problems) process.stderr.write(`WRONG: ${problem}\n`);
  return problems.length === 0 && drainShare <= GOAL_SHARE;
}

await onBenchStack(async (stack) => {
  process.exitCode = (await measure(stack)) ? 0 : 1;
});
process.exit();
