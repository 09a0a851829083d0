/**
 * `npm run bench:soak`: the load of `bench:issue` at a steady pace for half an hour, and whether API and worker keep their
 * memory flat meanwhile (P10). Garbage is collected before each reading, so that only what is held on to counts.
 *
 *   --minutes 30   length after the warm-up      --rate 25   POSTs per second
 *   --warm-up 3    minutes that do not count     --every 30  seconds between readings
 *   --snapshots    of the worker's heap at both ends, to be compared in a browser's memory tools; writing them takes memory of its own
 *
 * Exits with 1 unless every accepted POST is AUTHORIZED with gapless numbers and nothing but 202 was answered.
 */
import { parseArgs } from 'node:util';
import { BenchDatabase } from './issue-database.js';
import { run } from './issue-load.js';
import { BenchStack, type PartKind } from './issue-stack.js';
import { createRequests } from './issue-tenants.js';
import { printFigures, printTable, type Figure } from './table.js';

const CLIENTS = 16;
const MEGABYTE = 2 ** 20;
/** Fewer say nothing of a slope: a process settles for as long. */
const ENOUGH_DOCUMENTS = 20_000;
/** Beyond this a worker grows by more than the documents it works on account for (P10). */
const MOST_PER_THOUSAND = 1;
const OBSERVED = ['api', 'worker'] as const satisfies readonly PartKind[];
const BAR_WIDTH = 40;
const BAR_MEGABYTES = 400;

interface Reading {
  readonly minute: number;
  /** Accepted since the warm-up. */
  readonly documents: number;
  /** Megabytes, resident and of the heap. */
  readonly rss: Readonly<Record<(typeof OBSERVED)[number], number>>;
  readonly heap: Readonly<Record<(typeof OBSERVED)[number], number>>;
  readonly redis: number;
}

type Flags = Readonly<Record<'minutes' | 'rate' | 'warmUp' | 'every', number>> & { readonly snapshots: boolean };

function readFlags(): Flags {
  const text = (fallback: string) => ({ type: 'string', default: fallback }) as const;
  const { values } = parseArgs({ options: { minutes: text('30'), rate: text('25'), 'warm-up': text('3'), every: text('30'), snapshots: { type: 'boolean', default: false } } });
  const positive = (name: Exclude<keyof typeof values, 'snapshots'>): number => {
    const value = Number(values[name]);
    if (!(value > 0)) throw new Error(`--${name}: a positive number is expected`);
    return value;
  };
  return { minutes: positive('minutes'), rate: positive('rate'), warmUp: positive('warm-up'), every: positive('every'), snapshots: values.snapshots };
}

/** How much `of` grows with each document, by least squares: a single reading may be off, the line is not. */
function growthPerDocument(readings: readonly { readonly documents: number; readonly of: number }[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = mean(readings.map(({ documents }) => documents));
  const y = mean(readings.map(({ of }) => of));
  const spread = readings.reduce((sum, { documents }) => sum + (documents - x) ** 2, 0);
  return readings.reduce((sum, { documents, of }) => sum + (documents - x) * (of - y), 0) / spread;
}

async function read(stack: BenchStack, minute: number, documents: number): Promise<Reading> {
  const [api, worker] = await Promise.all(OBSERVED.map((kind) => stack.collected(kind)));
  const total = (readings: typeof api, of: 'rssBytes' | 'heapBytes'): number => readings!.reduce((sum, one) => sum + one[of], 0) / MEGABYTE;
  return {
    minute,
    documents,
    rss: { api: total(api, 'rssBytes'), worker: total(worker, 'rssBytes') },
    heap: { api: total(api, 'heapBytes'), worker: total(worker, 'heapBytes') },
    redis: (await stack.redisFigures()).bytes / MEGABYTE,
  };
}

function show({ minute, documents, rss, heap, redis }: Reading, pending: number): void {
  const bar = '#'.repeat(Math.min(BAR_WIDTH, Math.round((rss.worker / BAR_MEGABYTES) * BAR_WIDTH))).padEnd(BAR_WIDTH, '.');
  process.stdout.write(
    `${minute.toFixed(1).padStart(5)} min ${String(documents).padStart(7)} documents, ${String(pending).padStart(4)} pending; ` +
      `worker ${rss.worker.toFixed(0)} MB (heap ${heap.worker.toFixed(1)}) |${bar}| API ${rss.api.toFixed(0)} MB (heap ${heap.api.toFixed(1)}), Redis ${redis.toFixed(1)} MB\n`,
  );
}

function figuresOf(readings: readonly Reading[]): Figure[] {
  const growth = (of: (reading: Reading) => number): number => 1_000 * growthPerDocument(readings.map((reading) => ({ documents: reading.documents, of: of(reading) })));
  const documents = readings.at(-1)!.documents;
  const figure = (name: string, value: number, goal = false): Figure => ({
    bench: 'soak', name: `${name}, over ${documents} documents`, value, unit: 'MB/1000 doc', ...(goal && documents >= ENOUGH_DOCUMENTS && { atMost: MOST_PER_THOUSAND }),
  });
  return [
    figure('P10 resident memory of the worker', growth(({ rss }) => rss.worker), true),
    figure('heap of the worker', growth(({ heap }) => heap.worker)),
    figure('resident memory of the API', growth(({ rss }) => rss.api)),
    figure('heap of the API', growth(({ heap }) => heap.api)),
    figure('memory of Redis', growth(({ redis }) => redis)),
  ];
}

async function soak(stack: BenchStack, { minutes, rate, warmUp, every, snapshots }: Flags): Promise<boolean> {
  await stack.startApi();
  const requests = await createRequests(stack.ownerUrl, stack.apiUrls[0]!, 4, 25);
  await stack.startWorker();
  const database = await BenchDatabase.open(stack.ownerUrl);
  const accepted: string[] = [];
  const failures = new Map<string, number>();
  const load = async (seconds: number): Promise<void> => {
    const result = await run({ apiUrls: stack.apiUrls, requests, clients: CLIENTS, seconds, rate });
    accepted.push(...result.accepted);
    for (const [what, count] of result.failures) failures.set(what, (failures.get(what) ?? 0) + count);
  };
  process.stdout.write(`${stack.description}\n${rate} POST/s for ${minutes} minutes after ${warmUp} of warming up\n`);
  await load(warmUp * 60);
  const snapshotFiles = snapshots ? await stack.snapshots('worker') : [];
  // The first collection gives back what starting took; from then on memory is that of the work.
  await Promise.all(OBSERVED.map((kind) => stack.collected(kind)));
  await load(every);
  const before = accepted.length;
  const startedAt = performance.now();
  const elapsed = (): number => (performance.now() - startedAt) / 60_000;
  const readings = [await read(stack, 0, 0)];
  while (elapsed() < minutes) {
    await load(every);
    const reading = await read(stack, elapsed(), accepted.length - before);
    readings.push(reading);
    show(reading, await database.pending());
  }
  await database.drain((pending) => process.stdout.write(`  ${pending} pending\n`));
  if (snapshots) snapshotFiles.push(...(await stack.snapshots('worker')));
  printTable(
    'Memory, in megabytes',
    ['minute', 'documents', 'worker', 'its heap', 'API', 'its heap', 'Redis'],
    [readings[0]!, readings[readings.length >> 1]!, readings.at(-1)!].map(({ minute, documents, rss, heap, redis }) => [
      minute.toFixed(0), String(documents), ...[rss.worker, heap.worker, rss.api, heap.api, redis].map((value) => value.toFixed(1)),
    ]),
  );
  printFigures(`${minutes} minutes of invoices at ${rate} a second`, figuresOf(readings));
  const problems = [...(await database.problems(accepted)), ...Array.from(failures, ([what, count]) => `${count} POSTs were not accepted: ${what}`)];
  await database.close();
  for (const file of snapshotFiles) process.stdout.write(`snapshot: ${file}\n`);
  for (const problem of problems) process.stderr.write(`WRONG: ${problem}\n`);
  if (problems.length === 0) process.stdout.write(`${accepted.length} accepted, all AUTHORIZED, numbers without gaps\n`);
  else process.stderr.write(`${stack.logs()}\n`);
  return problems.length === 0;
}

const running: { stack: BenchStack | null } = { stack: null };
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void (running.stack?.stop() ?? Promise.resolve()).finally(() => process.exit(130)));
}
const flags = readFlags();
try {
  const stack = await BenchStack.start((started) => (running.stack = started));
  process.exitCode = (await soak(stack, flags)) ? 0 : 1;
} finally {
  await running.stack?.stop(flags.snapshots);
}
