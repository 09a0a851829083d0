import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

/** One request body with the key that may send it. */
export interface Request {
  readonly apiKey: string;
  readonly body: string;
}

export interface LoadResult {
  /** Ids of the documents answered with 202. */
  readonly accepted: readonly string[];
  /** Milliseconds from the request (paced: from the moment it was due) to the whole answer, sorted. */
  readonly latencies: readonly number[];
  readonly startedAt: Date;
  readonly seconds: number;
  /** Answers other than 202 and failed connections, by what they said. */
  readonly failures: ReadonlyMap<string, number>;
}

export interface Load {
  readonly apiUrls: readonly string[];
  readonly requests: readonly Request[];
  readonly clients: number;
  readonly seconds: number;
  /** POSTs per second over all clients; left out: each client sends as soon as it has its answer. */
  readonly rate?: number;
  /** Each POST carries an idempotency key of its own. */
  readonly keyed?: boolean;
}

/**
 * POSTs invoices from `clients` kept connections for `seconds`. A paced load
 * counts from the moment a request was due, so that a stalled service cannot
 * hide its stall by keeping the clients waiting.
 */
export async function run(load: Load): Promise<LoadResult> {
  const { apiUrls, requests, clients, seconds, rate, keyed = false } = load;
  const pools = apiUrls.map(
    (url) => new Pool(url, { connections: Math.ceil(clients / apiUrls.length), pipelining: 1 }),
  );
  const accepted: string[] = [];
  const latencies: number[] = [];
  const failures = new Map<string, number>();
  const startedAt = new Date();
  const started = performance.now();
  const end = started + seconds * 1000;
  let next = 0;

  const lane = async (pool: Pool): Promise<void> => {
    for (;;) {
      const index = next++;
      let from = performance.now();
      if (rate !== undefined) {
        const due = started + (index * 1000) / rate;
        if (due >= end) return;
        if (due > from) await sleep(due - from);
        from = due;
      } else if (from >= end) {
        return;
      }
      const request = requests[index % requests.length]!;
      const answer = await post(pool, request, keyed);
      latencies.push(performance.now() - from);
      if (answer.id !== null) accepted.push(answer.id);
      else failures.set(answer.failure, (failures.get(answer.failure) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, i) => lane(pools[i % pools.length]!)));
  const elapsed = (performance.now() - started) / 1000;
  await Promise.all(pools.map((pool) => pool.close()));
  return { accepted, latencies: latencies.sort((a, b) => a - b), startedAt, seconds: elapsed, failures };
}

async function post(pool: Pool, request: Request, keyed: boolean): Promise<{ id: string } | { id: null; failure: string }> {
  try {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: '/documents',
      headers: { 'x-api-key': request.apiKey, 'content-type': 'application/json', ...(keyed ? { 'idempotency-key': randomUUID() } : {}) },
      body: request.body,
    });
    const text = await body.text();
    if (statusCode !== 202) return { id: null, failure: `${statusCode} ${text.slice(0, 200)}` };
    return { id: (JSON.parse(text) as { document_id: string }).document_id };
  } catch (error) {
    return { id: null, failure: (error as Error).message };
  }
}

/** Value below which `share` of the sorted values lie. */
export function percentile(sorted: readonly number[], share: number): number {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (value === undefined) throw new RangeError('no values');
  return value;
}

/** A window whose rate is below this many times the best before it does not grow. */
const STILL_CLIMBING = 1.03;
const MOST_WINDOWS = 10;

/**
 * Repeats a load until its rate has not grown twice in a row, for one window may have fallen into a checkpoint. A process that has just
 * been started takes in half of what it does from its fifth thousand on: the compiler is not done, and each connection plans its
 * statements once.
 */
export async function untilSteady(rateOfWindow: (window: number) => Promise<number>): Promise<void> {
  let best = 0;
  let standing = 0;
  for (let window = 1; window <= MOST_WINDOWS && standing < 2; window += 1) {
    const rate = await rateOfWindow(window);
    standing = rate < best * STILL_CLIMBING ? standing + 1 : 0;
    best = Math.max(best, rate);
  }
  if (standing < 2) process.stderr.write(`still becoming faster after ${MOST_WINDOWS} windows: ${best.toFixed(0)} a second\n`);
}
