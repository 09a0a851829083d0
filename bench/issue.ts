/**
 * `npm run bench:issue`: how fast POST /documents takes invoices in and how soon
 * they are AUTHORIZED, with every part of the service and the simulated SRI on
 * this one machine, beside what the same PostgreSQL and the same processors can
 * do at most. Starts and stops everything by itself.
 *
 *   --seconds 15   length of the main load      --clients 16   kept connections
 *   --api 2 --workers 1   processes             --tenants 4 --points 25   per tenant
 *   --profile      CPU profiles of the main load; their files are named at the end
 *
 * Exits with 1 unless every accepted POST is AUTHORIZED with gapless numbers and
 * nothing but 202 was answered. Missed goals do not fail it: a shared machine may miss them.
 */
import { parseArgs } from 'node:util';
import { BenchDatabase } from './issue-database.js';
import { type LoadResult, percentile, type Request, untilSteady } from './issue-load.js';
import { Phases } from './issue-phase.js';
import { RawDatabase, rawSignatures, type RawRate } from './issue-raw.js';
import { figuresOf, printCosts, type Measured, type Raw } from './issue-report.js';
import { BenchStack } from './issue-stack.js';
import { createRequests } from './issue-tenants.js';
import { printFigures } from './table.js';

const HOT_CLIENTS = 8;

interface Flags {
  readonly seconds: number;
  readonly clients: number;
  readonly api: number;
  readonly workers: number;
  readonly tenants: number;
  readonly points: number;
  readonly profile: boolean;
}

function readFlags(): Flags {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '15' },
      clients: { type: 'string', default: '16' },
      api: { type: 'string', default: '2' },
      workers: { type: 'string', default: '1' },
      tenants: { type: 'string', default: '4' },
      points: { type: 'string', default: '25' },
      profile: { type: 'boolean', default: false },
    },
  });
  const positive = (name: Exclude<keyof Flags, 'profile'>): number => {
    const value = Number(values[name]);
    if (!(value > 0)) throw new Error(`--${name}: a positive number is expected`);
    return value;
  };
  return {
    seconds: positive('seconds'),
    clients: positive('clients'),
    api: positive('api'),
    workers: positive('workers'),
    tenants: positive('tenants'),
    points: Math.min(positive('points'), 999),
    profile: values.profile,
  };
}

const started = performance.now();
function say(line: string): void {
  process.stdout.write(`[${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s] ${line}\n`);
}

/** One look at what the machine can do; taken before and after the main load. */
async function measureRaw(raw: RawDatabase, seconds: number): Promise<Raw> {
  say('raw commits, reservations and signatures');
  const commits = await raw.commits(seconds);
  const reservations = await raw.reservations(seconds);
  const paced = await raw.reservations(seconds, reservations.rate / 2);
  return {
    commits,
    reservations,
    paced,
    oneProcess: await rawSignatures(1, seconds),
    twoProcesses: await rawSignatures(2, seconds),
  };
}

function meanOf(first: Raw, second: Raw): Raw {
  const mean = (a: number, b: number): number => (a + b) / 2;
  const both = (a: RawRate, b: RawRate): RawRate => ({
    rate: mean(a.rate, b.rate),
    p50: mean(a.p50, b.p50),
    p99: mean(a.p99, b.p99),
  });
  return {
    commits: both(first.commits, second.commits),
    reservations: both(first.reservations, second.reservations),
    paced: both(first.paced, second.paced),
    oneProcess: mean(first.oneProcess, second.oneProcess),
    twoProcesses: mean(first.twoProcesses, second.twoProcesses),
  };
}

/** All that a measurement needs. */
interface Bench {
  readonly flags: Flags;
  readonly stack: BenchStack;
  readonly requests: readonly Request[];
  readonly database: BenchDatabase;
  readonly raw: RawDatabase;
  readonly phases: Phases;
}

/** API processes and tenants that may issue; no worker runs yet. */
async function setUp(flags: Flags, stack: BenchStack): Promise<Bench> {
  for (let i = 0; i < flags.api; i += 1) await stack.startApi();
  say(`${stack.description}; API ${stack.apiUrls.join(', ')}`);
  const requests = await createRequests(stack.ownerUrl, stack.apiUrls[0]!, flags.tenants, flags.points);
  say(`${flags.tenants} tenants with ${flags.points} emission points each`);

  const database = await BenchDatabase.open(stack.ownerUrl);
  const raw = await RawDatabase.open(stack.ownerUrl, flags.clients);
  return { flags, stack, requests, database, raw, phases: new Phases(stack, database, say) };
}

const lookSeconds = ({ seconds }: Flags): number => Math.min(3, seconds / 4);

/** Loads the API until it no longer becomes faster. */
function warmUp({ flags: { clients, seconds }, requests, phases }: Bench): Promise<void> {
  return untilSteady(async (window) => {
    const load = await phases.intake(`warm-up ${window}`, { requests, clients, seconds: Math.min(5, seconds / 2) });
    const rate = load.accepted.length / load.seconds;
    say(`  ${rate.toFixed(0)} POST/s`);
    return rate;
  });
}

/** What the machine can do, and at once after it, before idle connections are closed, what the API takes in while no worker runs. */
async function loadIntake(bench: Bench): Promise<{ readonly before: Raw; readonly intake: LoadResult; readonly calm: LoadResult }> {
  const { flags, requests, raw, phases } = bench;
  const { clients, seconds } = flags;
  const before = await measureRaw(raw, lookSeconds(flags));
  await warmUp(bench);
  const intake = await phases.intake('intake alone, no worker runs', {
    requests,
    clients,
    seconds: Math.min(5, seconds / 2),
  });
  const calm = await phases.intake('intake at half of that rate', {
    requests,
    clients,
    seconds: Math.min(5, seconds / 2),
    rate: intake.accepted.length / intake.seconds / 2,
  });
  return { before, intake, calm };
}

async function startWorkers({ flags, stack, database }: Bench): Promise<void> {
  for (let i = 0; i < flags.workers; i += 1) await stack.startWorker();
  say(`${flags.workers} worker(s) started; working the backlog off`);
  await database.drain((pending) => say(`  ${pending} pending`));
}

/** The whole service at work: the main load, and after another look at the machine the paced and the narrow ones. */
async function loadAll(
  { flags, stack, requests, raw, phases }: Bench,
  before: Raw,
): Promise<Pick<Measured, 'raw' | 'main' | 'half' | 'steady' | 'spread' | 'hot'> & { readonly profiles: readonly string[] }> {
  const { clients, seconds } = flags;
  if (flags.profile) await stack.startProfiles();
  const main = await phases.run('everything at work', { requests, clients, seconds });
  const profiles = flags.profile ? await stack.stopProfiles() : [];
  const baseline = meanOf(before, await measureRaw(raw, lookSeconds(flags)));
  const half = await phases.run('half of the accepted rate', {
    requests,
    clients,
    seconds: seconds / 2,
    rate: main.acceptedRate / 2,
  });
  const steady = await phases.run('half of the authorized rate', {
    requests,
    clients,
    seconds,
    rate: main.authorizedRate / 2,
  });
  const spread = await phases.run('all emission points', { requests, clients: HOT_CLIENTS, seconds: seconds / 2 });
  const hot = await phases.run('one emission point', {
    requests: requests.slice(0, 1),
    clients: HOT_CLIENTS,
    seconds: seconds / 2,
  });
  await raw.close();
  return { raw: baseline, main, half, steady, spread, hot, profiles };
}

async function measure(flags: Flags, stack: BenchStack): Promise<boolean> {
  const bench = await setUp(flags, stack);
  const { before, intake, calm } = await loadIntake(bench);
  await startWorkers(bench);
  const { profiles, ...whole } = await loadAll(bench, before);
  const intakeRate = intake.accepted.length / intake.seconds;
  report(flags, { ...whole, clients: flags.clients, intakeRate, intakeP99: percentile(intake.latencies, 0.99), calm }, profiles);
  return judge(bench);
}

function report({ clients, api, workers }: Flags, measured: Measured, profiles: readonly string[]): void {
  printFigures(`Issuing invoices of ten lines, ${clients} clients, ${api} API and ${workers} worker process(es)`, figuresOf(measured));
  printCosts(measured.main);
  for (const file of profiles) process.stdout.write(`profile: ${file}\n`);
}

/** True when every accepted document is AUTHORIZED, with numbers that have no gaps, and nothing was refused. */
async function judge({ stack, database, phases }: Bench): Promise<boolean> {
  const problems = await database.problems(phases.accepted);
  await database.close();
  for (const [what, count] of phases.failures) problems.push(`${count} POSTs were not accepted: ${what}`);
  for (const problem of problems) process.stderr.write(`WRONG: ${problem}\n`);
  if (problems.length > 0) process.stderr.write(`${stack.logs()}\n`);
  else say(`${phases.accepted.length} accepted, all AUTHORIZED, numbers without gaps`);
  return problems.length === 0;
}

async function main(): Promise<number> {
  const flags = readFlags();
  const running: { stack: BenchStack | null; interrupted: boolean } = { stack: null, interrupted: false };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (running.interrupted) process.exit(1);
      running.interrupted = true;
      say('stopping');
      void (running.stack?.stop() ?? Promise.resolve()).finally(() => process.exit(130));
    });
  }
  try {
    const stack = await BenchStack.start((started) => (running.stack = started));
    return (await measure(flags, stack)) ? 0 : 1;
  } catch (error) {
    // Interrupted: whatever failed, failed because its parts are being stopped.
    if (running.interrupted) return await new Promise<never>(() => undefined);
    process.stderr.write(`${(error as Error).stack ?? String(error)}\n${running.stack?.logs() ?? ''}\n`);
    return 1;
  } finally {
    if (!running.interrupted) await running.stack?.stop(flags.profile);
  }
}

process.exit(await main());
