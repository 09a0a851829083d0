/**
 * Full load in slices of time: before, during and after something that hinders the service. Each runs until its last
 * document is AUTHORIZED. Options of every bench that uses it:
 *
 *   --slices 2     of the load during it      --seconds 30   length of each
 *
 * Exits with 1 unless every accepted POST is AUTHORIZED with gapless numbers and nothing but 202 was answered.
 */
import { parseArgs } from 'node:util';
import { BenchDatabase } from './issue-database.js';
import { Phases, type PhaseResult } from './issue-phase.js';
import { BenchStack } from './issue-stack.js';
import { createRequests } from './issue-tenants.js';
import { printFigures, printTable } from './table.js';

const CLIENTS = 16;

/** What hinders. */
export interface Circumstance {
  /** Of the figures. */
  readonly bench: string;
  readonly title: string;
  /** Of the slices in it: `under the view`. */
  readonly during: string;
  /** Brings it about. @returns what ends it, and throws where it was not so all the while */
  readonly begin: (stack: BenchStack) => Promise<() => Promise<void>>;
  /** A figure of the moment after each slice, if there is one to be shown. */
  readonly told?: { readonly name: string; readonly read: (stack: BenchStack) => Promise<string> };
}

interface Slice {
  readonly name: string;
  readonly result: PhaseResult;
  readonly told: string[];
}

const postgresPerDocument = ({ cpuMs, load }: PhaseResult): number => (cpuMs.get('PostgreSQL') ?? Number.NaN) / load.accepted.length;

async function measure(stack: BenchStack, { bench, title, during, begin, told }: Circumstance, slices: number, seconds: number): Promise<boolean> {
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  for (let api = 0; api < 2; api += 1) await stack.startApi();
  await stack.startWorker();
  const requests = await createRequests(stack.ownerUrl, stack.apiUrls[0]!, 4, 25);
  const database = await BenchDatabase.open(stack.ownerUrl);
  const phases = new Phases(stack, database, say);
  const measured: Slice[] = [];
  const slice = async (name: string): Promise<void> => {
    const result = await phases.run(name, { requests, clients: CLIENTS, seconds });
    measured.push({ name, result, told: told === undefined ? [] : [await told.read(stack)] });
  };

  say(stack.description);
  await phases.run('warm-up', { requests, clients: CLIENTS, seconds: Math.min(15, seconds) });
  await slice('before');
  const end = await begin(stack);
  for (let number = 1; number <= slices; number += 1) await slice(`${during}, ${number} of ${slices}`);
  await end();
  await slice('after');

  printTable(
    title,
    ['slice', 'documents', 'doc/s', 'to AUTHORIZED p50', 'p95', 'PostgreSQL per document', ...(told === undefined ? [] : [told.name])],
    measured.map(({ name, result, told: figures }) => [
      name, String(result.load.accepted.length), result.authorizedRate.toFixed(0), `${result.passage.toAuthorizedP50.toFixed(0)} ms`,
      `${result.passage.toAuthorizedP95.toFixed(0)} ms`, `${postgresPerDocument(result).toFixed(1)} ms`, ...figures,
    ]),
  );
  const [first, last] = [measured[0]!.result, measured.at(-2)!.result];
  const figure = (name: string, unit: string, value: (result: PhaseResult) => number) => ({
    bench, name, value: value(last), unit, baseline: { name: 'before', value: value(first) }, ratio: value(last) / value(first),
  });
  printFigures(`The last of ${slices} slices of ${seconds} s ${during}`, [
    figure('documents authorized', 'doc/s', ({ authorizedRate }) => authorizedRate),
    figure('accepted to AUTHORIZED, p95', 'ms', ({ passage }) => passage.toAuthorizedP95),
    figure('processor time of PostgreSQL', 'ms/doc', postgresPerDocument),
  ]);
  const problems = [...(await database.problems(phases.accepted)), ...Array.from(phases.failures, ([what, count]) => `${count} POSTs were not accepted: ${what}`)];
  await database.close();
  for (const problem of problems) process.stderr.write(`WRONG: ${problem}\n`);
  if (problems.length > 0) process.stderr.write(`${stack.logs()}\n`);
  else say(`${phases.accepted.length} accepted, all AUTHORIZED, numbers without gaps`);
  return problems.length === 0;
}

/** Runs the bench with the options of the command line; sets the exit code. */
export async function benchUnder(circumstance: Circumstance): Promise<void> {
  const { values } = parseArgs({ options: { slices: { type: 'string', default: '2' }, seconds: { type: 'string', default: '30' } } });
  const [slices, seconds] = [Number(values.slices), Number(values.seconds)];
  if (!(Number.isInteger(slices) && slices >= 1 && seconds > 0)) throw new Error('--slices: a whole number from 1 is expected; --seconds: a positive number');
  const running: { stack: BenchStack | null } = { stack: null };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void (running.stack?.stop() ?? Promise.resolve()).finally(() => process.exit(130)));
  }
  try {
    const stack = await BenchStack.start((started) => (running.stack = started));
    process.exitCode = (await measure(stack, circumstance, slices, seconds)) ? 0 : 1;
  } finally {
    await running.stack?.stop();
  }
}
