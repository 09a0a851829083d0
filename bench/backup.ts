/**
 * `npm run bench:backup`: issuing while somebody keeps a view of the database as it was, as a backup does for as long as it
 * runs. PostgreSQL keeps until then what every row has been, and who looks for due work reads past the rows that are done.
 * Beside the same load without such a view, before and after.
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
  const slice = async (name: string): Promise<void> => void measured.push({ name, result: await phases.run(name, { requests, clients: CLIENTS, seconds }) });

  say(stack.description);
  await phases.run('warm-up', { requests, clients: CLIENTS, seconds: Math.min(15, seconds) });
  await slice('before');
  const backup = new pg.Client({ connectionString: stack.ownerUrl });
  // Interrupted: the database ends first.
  backup.on('error', () => undefined);
  await backup.connect();
  await backup.query('begin isolation level repeatable read');
  await backup.query('select count(*) from sello.outbox');
  for (let number = 1; number <= slices; number += 1) await slice(`under the view, ${number} of ${slices}`);
  await backup.end();
  await slice('after');

  printTable(
    'Issuing under a view of the database as it was',
    ['slice', 'documents', 'doc/s', 'to AUTHORIZED p50', 'p95', 'PostgreSQL per document'],
    measured.map(({ name, result }) => [
      name, String(result.load.accepted.length), result.authorizedRate.toFixed(0), `${result.passage.toAuthorizedP50.toFixed(0)} ms`,
      `${result.passage.toAuthorizedP95.toFixed(0)} ms`, `${postgresPerDocument(result).toFixed(1)} ms`,
    ]),
  );
  const [first, last, after] = [measured[0]!.result, measured.at(-2)!.result, measured.at(-1)!.result];
  const baseline = (value: (result: PhaseResult) => number): number => (value(first) + value(after)) / 2;
  const figure = (name: string, unit: string, value: (result: PhaseResult) => number) => ({
    bench: 'backup', name, value: value(last), unit, baseline: { name: 'without', value: baseline(value) }, ratio: value(last) / baseline(value),
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
if (!(slices >= 1 && seconds > 0)) throw new Error('--slices, --seconds: positive numbers are expected');
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
