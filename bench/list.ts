/**
 * `npm run bench:list`: what lists and exports of documents cost in a tenant with a million of them, beside one document
 * read by its key over the same connection in the same moment, and beside a tenant with a thousand. Starts a PostgreSQL
 * of its own, fills it, measures as the service's role under row security, and removes it.
 *
 *   --documents 1000000   of the largest tenant       --calls 100   of each list
 *   --export-seconds 60   nobody reads an export any longer
 *
 * Exits with 1 when a list or an export is not whole. Missed goals do not fail it: a shared machine may miss them.
 */
import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { entryOf, surroundings } from '../src/local/parts.js';
import { DocumentListsRepository } from '../src/modules/documents/persistence/document-lists.repository.js';
import { serviceDataSourceOptions } from '../src/platform/database/connection.js';
import { TenantTransaction } from '../src/platform/database/tenant-transaction.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/platform/embedded/postgres.js';
import { createServiceLogin } from '../src/platform/embedded/service-login.js';
import { percentile } from './issue-load.js';
import { type Case, casesOf, PAGE_SIZE } from './list-cases.js';
import { exportApart, type Exported } from './list-export.js';
import { type Company, seed } from './list-seed.js';
import { type TriggerCost, triggerCosts } from './list-triggers.js';
import { median, printTable } from './table.js';

const execute = promisify(execFile);
const SMALL = 1_000;
const OTHERS = Array.from({ length: 20 }, (_, index) => 2_000 + 150 * index);
/** Documents of the largest tenant that move towards the SRI. */
const MOVING = 1_000;
/** How much slower the slowest of a hundred pages may be among a million documents than among a thousand. */
const GOAL = 5;
const SLICES = 10;

const { values } = parseArgs({ options: { documents: { type: 'string', default: '1000000' }, calls: { type: 'string', default: '100' }, 'export-seconds': { type: 'string', default: '60' } } });
const DOCUMENTS = Number(values.documents);
const CALLS = Math.max(SLICES, Number(values.calls));

const began = performance.now();
const say = (line: string): void => void process.stdout.write(`[${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s] ${line}\n`);

interface Timing {
  readonly name: string;
  readonly p50: number;
  readonly p99: number;
  /** Median of the slices' medians, each by that of the reads by key around it. */
  readonly ratio: number;
}

class Lists {
  private readonly transaction: TenantTransaction;
  private readonly lists: DocumentListsRepository;

  constructor(service: DataSource) {
    this.transaction = new TenantTransaction(service);
    this.lists = new DocumentListsRepository(this.transaction);
  }

  async timeOfKey({ tenantId }: Company, id: string): Promise<number> {
    const started = performance.now();
    const rows = await this.transaction.run(tenantId, (manager) => manager.query<unknown[]>('select * from documents where tenant_id = $1 and id = $2', [tenantId, id]));
    if (rows.length !== 1) throw new Error(`document ${id} was not found`);
    return performance.now() - started;
  }

  async timeOf({ tenantId }: Company, asked: Case, call: number): Promise<number> {
    const { name, total } = asked;
    const { filter, page } = asked.ask(call);
    const started = performance.now();
    const found = await this.lists.page(tenantId, filter, PAGE_SIZE, (page - 1) * PAGE_SIZE);
    const time = performance.now() - started;
    const rest = Math.max(0, found.total - (page - 1) * PAGE_SIZE);
    if ((total ?? found.total) !== found.total || found.total === 0 || found.items.length !== Math.min(PAGE_SIZE, rest)) {
      throw new Error(`${name}: ${found.items.length} documents of ${found.total}, expected of ${total ?? 'some'}: ${JSON.stringify(filter)}`);
    }
    return time;
  }
}

const p50 = (times: readonly number[]): number => median(times);
const p99 = (times: readonly number[]): number => percentile([...times].sort((a, b) => a - b), 0.99);

async function times(calls: number, one: (call: number) => Promise<number>): Promise<number[]> {
  const taken: number[] = [];
  for (let call = 0; call < calls; call += 1) taken.push(await one(call));
  return taken;
}

async function timeLists(lists: Lists, owner: pg.Client, company: Company): Promise<{ key: Timing; timings: Timing[] }> {
  const { cases, ids } = await casesOf(owner, company.tenantId, company.documents);
  const byKey = (call: number): Promise<number> => lists.timeOfKey(company, ids[call % ids.length] ?? '');
  await times(ids.length, byKey);
  const everyKey: number[] = [];
  const timings: Timing[] = [];
  for (const one of cases) {
    await times(5, (call) => lists.timeOf(company, one, call));
    const all: number[] = [];
    const ratios: number[] = [];
    // A slow one is not asked more often than it takes to know its time.
    for (let slice = 0; slice < SLICES && (slice < 3 || p50(all) * all.length < 8_000); slice += 1) {
      const from = slice * CALLS;
      const key = await times(CALLS / SLICES, (call) => byKey(from + call));
      const own = await times(CALLS / SLICES, (call) => lists.timeOf(company, one, from + call));
      everyKey.push(...key);
      all.push(...own);
      ratios.push(p50(own) / p50(key));
    }
    timings.push({ name: one.name, p50: p50(all), p99: p99(all), ratio: median(ratios) });
  }
  return { key: { name: 'one document by its key', p50: p50(everyKey), p99: p99(everyKey), ratio: 1 }, timings };
}

interface Growth {
  readonly small: number;
  readonly large: number;
  readonly ratio: number;
  readonly medianRatio: number;
}

/** Page 1 of both tenants in turns, so that whatever else the machine does meets both. */
async function growth(lists: Lists, owner: pg.Client, small: Company, large: Company): Promise<Growth> {
  const [first, second] = [await casesOf(owner, small.tenantId, small.documents), await casesOf(owner, large.tenantId, large.documents)].map(({ cases }) => cases[0]);
  if (first === undefined || second === undefined) throw new Error('no first page');
  const pairs = { small: [] as number[], large: [] as number[] };
  for (let call = 0; call < 10 * CALLS; call += 1) {
    pairs.small.push(await lists.timeOf(small, first, call));
    pairs.large.push(await lists.timeOf(large, second, call));
  }
  return { small: p99(pairs.small), large: p99(pairs.large), ratio: p99(pairs.large) / p99(pairs.small), medianRatio: p50(pairs.large) / p50(pairs.small) };
}

const milliseconds = (value: number): string => `${value >= 100 ? value.toFixed(0) : value.toPrecision(3)} ms`;

function report(key: Timing, timings: readonly Timing[], grown: Growth, exports: readonly (Exported & { format: string })[], triggers: readonly TriggerCost[]): void {
  printTable(
    `Lists of ${DOCUMENTS.toLocaleString('en')} documents, ${PAGE_SIZE} a page, beside one document read by its key`,
    ['what', 'p50', 'p99', 'by key'],
    [key, ...timings].map((one) => [one.name, milliseconds(one.p50), milliseconds(one.p99), `${one.ratio.toFixed(1)} x`]),
  );
  printTable('Page 1 as documents grow', ['what', 'figure', 'goal'], [
    [`p99 among ${SMALL.toLocaleString('en')}`, milliseconds(grown.small), ''],
    [`p99 among ${DOCUMENTS.toLocaleString('en')}`, milliseconds(grown.large), ''],
    ['P8 p99', `${grown.ratio.toFixed(2)} x`, `${grown.ratio <= GOAL ? 'reached' : 'missed'} (<= ${GOAL} x)`],
    ['median', `${grown.medianRatio.toFixed(2)} x`, ''],
  ]);
  printTable('Exports of everything', ['what', 'rows', 'rows/s', 'rows by key', 'first byte', 'size', 'CPU', 'memory before', 'peak'], exports.map((one) => [
    one.format, one.rows.toLocaleString('en'), (one.rows / one.seconds).toFixed(0), `${((one.rows / one.seconds / 1_000) * key.p50).toFixed(1)} x`, milliseconds(one.firstByteMs), `${(one.bytes / 2 ** 20).toFixed(0)} MB`,
    `${one.cpuSeconds.toFixed(0)} of ${one.seconds.toFixed(0)} s`, `${one.restRssMb.toFixed(0)} MB`, `${one.peakRssMb.toFixed(0)} MB`,
  ]));
  printTable('advance_document with the triggers of lists', ['move', 'without', 'with', 'ratio'], triggers.map((one) => [
    one.move, `${one.without.toFixed(0)} µs`, `${one.withTriggers.toFixed(0)} µs`, `${one.ratio.toFixed(3)} x`,
  ]));
  const grownName = `P8 page 1, p99 among ${DOCUMENTS.toLocaleString('en')}`;
  process.stdout.write(`${JSON.stringify({ bench: 'list', name: grownName, value: grown.large, unit: 'ms', baseline: { name: `among ${SMALL.toLocaleString('en')}`, value: grown.small }, ratio: grown.ratio, atMost: GOAL })}\n`);
  process.stdout.write(`${JSON.stringify({ bench: 'list', documents: DOCUMENTS, key, lists: timings, growth: grown, exports, triggers })}\n`);
}

async function measure(postgres: EmbeddedPostgres): Promise<void> {
  await execute(process.execPath, [entryOf('migrate')], { env: { ...surroundings(), DATABASE_OWNER_URL: postgres.url, DATABASE_URL: postgres.url } });
  const owner = new pg.Client({ connectionString: postgres.url, options: '-c search_path=sello,public' });
  await owner.connect();
  const url = await createServiceLogin(postgres.url);
  const service = await new DataSource(serviceDataSourceOptions(url, 'api', 4)).initialize();
  try {
    say(`${postgres.description}; Node ${process.version}; filling`);
    const companies = await seed(owner, [DOCUMENTS, SMALL, ...OTHERS], Math.min(MOVING, DOCUMENTS / 10));
    const [large, small] = companies;
    if (large === undefined || small === undefined) throw new Error('nothing was filled in');
    const { rows } = await owner.query<{ size: string }>(`select pg_size_pretty(pg_total_relation_size('documents')) || ', counts ' || pg_size_pretty(pg_total_relation_size('document_counts')) as size`);
    say(`${companies.length} tenants; documents ${rows[0]?.size ?? ''}`);
    const lists = new Lists(service);
    const { key, timings } = await timeLists(lists, owner, large);
    say('lists measured');
    const grown = await growth(lists, owner, small, large);
    const exports: (Exported & { format: string })[] = [];
    for (const format of ['csv', 'xlsx'] as const) {
      const exported = await exportApart({ url, tenantId: large.tenantId, format, seconds: Number(values['export-seconds']) });
      if (exported.whole && exported.rows !== DOCUMENTS) throw new Error(`${exported.rows} rows were exported of ${DOCUMENTS} documents`);
      exports.push({ format, ...exported });
      say(`${exported.rows} rows exported as ${format}`);
    }
    const triggers = await triggerCosts(postgres.url, large.tenantId, Math.min(MOVING, DOCUMENTS / 10) / 2);
    report(key, timings, grown, exports, triggers);
  } finally {
    await Promise.all([service.destroy(), owner.end()]);
  }
}

const postgres = await startEmbeddedPostgres({ throwAway: true, database: 'sello' });
const stop = (): void => void postgres.stop().finally(() => process.exit(130));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
try {
  await measure(postgres);
} catch (error) {
  process.stderr.write(`${(error as Error).stack ?? String(error)}\n`);
  process.exitCode = 1;
} finally {
  await postgres.stop();
}
process.exit();
