/**
 * What the machine can do at most, measured on the same PostgreSQL and in the
 * same minutes as the service: commits, reservations, signatures.
 */
import { fork } from 'node:child_process';
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { percentile } from './issue-load.js';
import { rateOf } from './table.js';

const EMISSION_POINTS = 1_000;

export interface RawRate {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
}

/** Raw transactions over tables of their own in a schema of their own, which `close` drops. */
export class RawDatabase {
  private constructor(
    private readonly pool: pg.Pool,
    private readonly clients: number,
  ) {}

  static async open(ownerUrl: string, clients: number): Promise<RawDatabase> {
    const pool = new pg.Pool({ connectionString: ownerUrl, max: clients });
    await pool.query(`
      drop schema if exists bench_raw cascade;
      create schema bench_raw;
      create table bench_raw.single (id uuid primary key, at timestamptz not null default now());
      create table bench_raw.counters (point integer primary key, last_value integer not null) with (fillfactor = 50);
      insert into bench_raw.counters select n, 0 from generate_series(0, ${EMISSION_POINTS - 1}) n;
      create table bench_raw.documents (id uuid primary key, point integer not null, sequential integer not null, content text not null, unique (point, sequential));
      create table bench_raw.outbox (document_id uuid primary key, due_at timestamptz not null default now())`);
    return new RawDatabase(pool, clients);
  }

  /** Single-row commits per second. */
  commits(seconds: number): Promise<RawRate> {
    return this.measure(seconds, () =>
      this.pool.query({
        name: 'single',
        text: 'insert into bench_raw.single (id) values ($1)',
        values: [randomUUID()],
      }),
    );
  }

  /**
   * Reservations per second: counter, document and outbox in one statement, over 1,000 emission points.
   * @param rate paced at so many a second; left out: as fast as the clients go
   */
  reservations(seconds: number, rate?: number): Promise<RawRate> {
    const text = `
      with number as (update bench_raw.counters set last_value = last_value + 1 where point = $2 returning last_value),
           document as (insert into bench_raw.documents (id, point, sequential, content) select $1, $2, last_value, $3 from number)
      insert into bench_raw.outbox (document_id) select $1::uuid from number`;
    const content = 'x'.repeat(2_000);
    let turn = 0;
    return this.measure(
      seconds,
      () => this.pool.query({ name: 'reserve', text, values: [randomUUID(), turn++ % EMISSION_POINTS, content] }),
      rate,
    );
  }

  async close(): Promise<void> {
    await this.pool.query('drop schema if exists bench_raw cascade');
    await this.pool.end();
  }

  private async measure(seconds: number, transaction: () => Promise<unknown>, rate?: number): Promise<RawRate> {
    const latencies: number[] = [];
    const started = performance.now();
    const end = started + seconds * 1000;
    let next = 0;
    const lane = async (): Promise<void> => {
      for (;;) {
        let from = performance.now();
        if (rate !== undefined) {
          const due = started + (next++ * 1000) / rate;
          if (due >= end) return;
          if (due > from) await sleep(due - from);
          from = due;
        } else if (from >= end) {
          return;
        }
        await transaction();
        latencies.push(performance.now() - from);
      }
    };
    await Promise.all(Array.from({ length: this.clients }, lane));
    const elapsed = (performance.now() - started) / 1000;
    latencies.sort((a, b) => a - b);
    return { rate: latencies.length / elapsed, p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
  }
}

/** RSA-2048 SHA-1 signatures per second of so many processes together. */
export async function rawSignatures(processes: number, seconds: number): Promise<number> {
  const children = Array.from({ length: processes }, () =>
    fork(fileURLToPath(import.meta.url), ['sign'], { execArgv: [] }),
  );
  try {
    await Promise.all(children.map((child) => once(child, 'message')));
    const rates = children.map((child) => once(child, 'message') as Promise<[number]>);
    for (const child of children) child.send(seconds * 1000);
    return (await Promise.all(rates)).reduce((sum, [rate]) => sum + rate, 0);
  } finally {
    for (const child of children) child.kill();
  }
}

function signWhenTold(): void {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  // As many bytes as a SignedInfo has.
  const data = Buffer.alloc(1_100, 0x61);
  const once = (): void => void sign('RSA-SHA1', data, privateKey);
  rateOf(once, 100);
  process.on('message', (milliseconds: number) => process.send?.(rateOf(once, milliseconds)));
  process.once('disconnect', () => process.exit());
  process.send?.('ready');
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2] === 'sign') signWhenTold();
