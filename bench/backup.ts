/**
 * `npm run bench:backup`: issuing while somebody keeps a view of the database as it was, as a backup does for as long as it
 * runs. PostgreSQL keeps until then what every row has been, and who looks for due work reads past the rows that are done.
 * Beside the same load before it; the last slice shows how it goes after it.
 *
 *   --slices 2     of the load under the view      --seconds 30   length of each, until its last document is AUTHORIZED
 *
 * Exits with 1 unless every accepted POST is AUTHORIZED with gapless numbers and nothing but 202 was answered.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { BenchDatabase } from './issue-database.js';
import { Phases, type PhaseResult } from './issue-phase.js';
import { BenchStack } from './issue-stack.js';
import { createRequests } from './issue-tenants.js';
import { printFigures, printTable } from './table.js';

const CLIENTS = 16;

interface Slice {
  readonly name: string;
  readonly result: PhaseResult;
  /** Rows of finished work in the queue of documents that PostgreSQL has not cleared. */
  readonly deadRows: number;
}

const postgresPerDocument = ({ cpuMs, load }: PhaseResult): number => (cpuMs.get('PostgreSQL') ?? Number.NaN) / load.accepted.length;

async function measure(stack: BenchStack, slices: number, seconds: number): Promise<boolean> {
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  for (let api = 0; api < 2; api += 1) await stack.startApi();
  await stack.startWorker();
  const requests = await createRequests(stack.ownerUrl, stack.apiUrls[0]!, 4, 25);
  const database = await BenchDatabase.open(stack.ownerUrl);
  const phases = new Phases(stack, database, say);
  const measured: Slice[] = [];
  const looker = new pg.Client({ connectionString: stack.ownerUrl });
  // Interrupted: the database ends first.
  looker.on('error', () => undefined);
  await looker.connect();
  const slice = async (name: string): Promise<void> => {
    const result = await phases.run(name, { requests, clients: CLIENTS, seconds });
    const { rows } = await looker.query<{ dead: number }>(`select n_dead_tup::float8 as dead from pg_stat_user_tables where relid = 'sello.outbox'::regclass`);
    measured.push({ name, result, deadRows: rows[0]?.dead ?? Number.NaN });
  };

  say(stack.description);
  await phases.run('warm-up', { requests, clients: CLIENTS, seconds: Math.min(15, seconds) });
  await slice('before');
  const backup = new pg.Client({ connectionString: stack.ownerUrl });
  backup.on('error', () => undefined);
  await backup.connect();
  await backup.query('begin isolation level repeatable read');
  await backup.query('select count(*) from sello.outbox');
  for (let number = 1; number <= slices; number += 1) await slice(`under the view, ${number} of ${slices}`);
  // A view that was lost meanwhile would have cost nothing: this throws.
  await backup.query('select 1');
  await backup.end();
  await slice('after');
  await looker.end();

  printTable(
    'Issuing under a view of the database as it was',
    ['slice', 'documents', 'doc/s', 'to AUTHORIZED p50', 'p95', 'PostgreSQL per document', 'rows not cleared'],
    measured.map(({ name, result, deadRows }) => [
      name, String(result.load.accepted.length), result.authorizedRate.toFixed(0), `${result.passage.toAuthorizedP50.toFixed(0)} ms`,
      `${result.passage.toAuthorizedP95.toFixed(0)} ms`, `${postgresPerDocument(result).toFixed(1)} ms`, deadRows.toFixed(0),
    ]),
  );
  const [first, last] = [measured[0]!.result, measured.at(-2)!.result];
  const figure = (name: string, unit: string, value: (result: PhaseResult) => number) => ({
    bench: 'backup', name, value: value(last), unit, baseline: { name: 'before', value: value(first) }, ratio: value(last) / value(first),
  });
  printFigures(`The last of ${slices} slices of ${seconds} s under the view`, [
    figure('documents authorized', 'doc/s', ({ authorizedRate }) => authorizedRate),
    figure('processor time of PostgreSQL', 'ms/doc', postgresPerDocument),
  ]);
  const problems = [...(await database.problems(phases.accepted)), ...Array.from(phases.failures, ([what, count]) => `${count} POSTs were not accepted: ${what}`)];
  await database.close();
  for (const problem of problems) process.stderr.write(`WRONG: ${problem}\n`);
  if (problems.length > 0) process.stderr.write(`${stack.logs()}\n`);
  else say(`${phases.accepted.length} accepted, all AUTHORIZED, numbers without gaps`);
  return problems.length === 0;
}

const { values } = parseArgs({ options: { slices: { type: 'string', default: '2' }, seconds: { type: 'string', default: '30' } } });
const [slices, seconds] = [Number(values.slices), Number(values.seconds)];
if (!(Number.isInteger(slices) && slices >= 1 && seconds > 0)) throw new Error('--slices: a whole number from 1 is expected; --seconds: a positive number');
const running: { stack: BenchStack | null } = { stack: null };
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void (running.stack?.stop() ?? Promise.resolve()).finally(() => process.exit(130)));
}
try {
  const stack = await BenchStack.start((started) => (running.stack = started));
  process.exitCode = (await measure(stack, slices, seconds)) ? 0 : 1;
} finally {
  await running.stack?.stop();
}
