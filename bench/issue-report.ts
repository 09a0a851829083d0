import { type LoadResult, percentile } from './issue-load.js';
import type { PhaseResult } from './issue-phase.js';
import type { ProbeReading } from './issue-probe.js';
import type { RawRate } from './issue-raw.js';
import { printTable, type Figure } from './table.js';

export interface Raw {
  readonly commits: RawRate;
  readonly reservations: RawRate;
  /** Reservations at half of the full rate: what P4 is compared with. */
  readonly paced: RawRate;
  readonly oneProcess: number;
  readonly twoProcesses: number;
}

export interface Measured {
  readonly raw: Raw;
  readonly clients: number;
  readonly intakeRate: number;
  readonly intakeP99: number;
  /** Paced at half of the intake's rate, while no worker runs either. */
  readonly calm: LoadResult;
  readonly main: PhaseResult;
  /** Paced at half of the accepted rate. */
  readonly half: PhaseResult;
  /** Paced at half of the authorized rate: the service in health. */
  readonly steady: PhaseResult;
  readonly spread: PhaseResult;
  readonly hot: PhaseResult;
}

/** Every figure with its baseline and goal (P3 to P7, P11). */
export function figuresOf(measured: Measured): Figure[] {
  const { raw, clients, calm, main, half, steady, spread, hot } = measured;
  const figure = (name: string, value: number, unit: string): Figure => ({ bench: 'issue', name, value, unit });
  const against = (
    name: string,
    value: number,
    unit: string,
    baseline: Figure['baseline'],
    bound: Pick<Figure, 'goal' | 'atMost'> = {},
  ): Figure => ({
    ...figure(name, value, unit),
    ...(baseline === undefined ? {} : { baseline, ratio: value / baseline.value }),
    ...bound,
  });
  const reservations = { name: 'raw reservations', value: raw.reservations.rate };
  const paced50 = { name: 'raw at half rate, p50', value: raw.paced.p50 };
  const paced99 = { name: 'raw at half rate, p99', value: raw.paced.p99 };
  const twoProcesses = { name: 'RSA, two processes', value: raw.twoProcesses };
  const p = (result: PhaseResult, share: number): number => percentile(result.load.latencies, share);
  return [
    figure(`raw single-row commits, ${clients} clients`, raw.commits.rate, '1/s'),
    figure(`raw reservations, ${clients} clients`, raw.reservations.rate, '1/s'),
    figure('raw reservations, p50', raw.reservations.p50, 'ms'),
    figure('raw reservations, p99', raw.reservations.p99, 'ms'),
    figure('raw reservations at half rate, p50', raw.paced.p50, 'ms'),
    figure('raw reservations at half rate, p99', raw.paced.p99, 'ms'),
    figure('raw RSA-2048 SHA-1, one process', raw.oneProcess, '1/s'),
    figure('raw RSA-2048 SHA-1, two processes', raw.twoProcesses, '1/s'),
    against('P3 accepted, no worker running', measured.intakeRate, 'POST/s', reservations, { goal: 0.15 }),
    figure('accepted, no worker running, p99', measured.intakeP99, 'ms'),
    against('P3 accepted, everything at work', main.acceptedRate, 'POST/s', reservations, { goal: 0.15 }),
    figure('accepted, everything at work, p50', p(main, 0.5), 'ms'),
    figure('accepted, everything at work, p99', p(main, 0.99), 'ms'),
    against('POST at half rate, no worker running, p50', percentile(calm.latencies, 0.5), 'ms', paced50, { atMost: 6 }),
    against('P4 POST at half rate, no worker running, p99', percentile(calm.latencies, 0.99), 'ms', paced99, { atMost: 10 }),
    against('POST at half rate, everything at work, p50', p(half, 0.5), 'ms', paced50),
    against('POST at half rate, everything at work, p99', p(half, 0.99), 'ms', paced99),
    against('P5 POST to AUTHORIZED', main.authorizedRate, 'doc/s', twoProcesses, { goal: 0.07 }),
    // The fastest stateless package for this job signs at 1 % of one process: eight times that.
    against(
      'P5 beside packages that only sign',
      main.authorizedRate,
      'doc/s',
      { name: 'RSA, one process', value: raw.oneProcess },
      { goal: 0.08 },
    ),
    against(
      'POST to AUTHORIZED',
      main.authorizedRate,
      'doc/s',
      { name: 'raw commits', value: raw.commits.rate },
      { goal: 0.015 },
    ),
    against(
      'P6 hot point, accepted',
      hot.acceptedRate,
      'POST/s',
      { name: 'spread', value: spread.acceptedRate },
      { goal: 0.5 },
    ),
    against(
      'P6 hot point, AUTHORIZED',
      hot.authorizedRate,
      'doc/s',
      { name: 'spread', value: spread.authorizedRate },
      { goal: 0.5 },
    ),
    against('P7 202 to first byte, p95', steady.passage.toFirstByteP95, 'ms', undefined, { atMost: 1_000 }),
    against('P7 SRI answer to visible, p95', steady.passage.answerToVisibleP95, 'ms', undefined, { atMost: 250 }),
    figure('202 to AUTHORIZED, steady, p50', steady.passage.toAuthorizedP50, 'ms'),
    figure('202 to AUTHORIZED, steady, p95', steady.passage.toAuthorizedP95, 'ms'),
    figure('202 to first byte, overloaded, p95', main.passage.toFirstByteP95, 'ms'),
    against('P11 event-loop delay of the API, p99', worst(main.probes.api), 'ms', undefined, { atMost: 50 }),
    against('P11 event-loop delay of the worker, p99', worst(main.probes.worker), 'ms', undefined, { atMost: 200 }),
    ...roundTrips(main),
  ];
}

const worst = (readings: readonly ProbeReading[]): number =>
  Math.max(...readings.map(({ loopDelayP99Ms }) => loopDelayP99Ms));

function roundTrips({ statements, redisCommands, passage }: PhaseResult): Figure[] {
  const figure = (name: string, count: number): Figure => ({ bench: 'issue', name, value: count / passage.authorized, unit: '1/doc' });
  const calls = statements.reduce((sum, statement) => sum + statement.calls, 0);
  return [...(statements.length === 0 ? [] : [figure('PostgreSQL round trips', calls)]), figure('Redis commands, scripts included', redisCommands)];
}

/** Where the time of the main load went. */
export function printCosts({ moves, cpuMs, statements, passage, authorizedRate }: PhaseResult): void {
  const documents = passage.authorized;
  printTable(
    'Time between moves, commit to commit',
    ['move', 'documents', 'p50 ms', 'p95 ms'],
    moves.map(({ move, count, p50, p95 }) => [move, String(count), p50.toFixed(1), p95.toFixed(1)]),
  );
  const total = [...cpuMs.values()].reduce((sum, value) => sum + value, 0);
  const elapsed = (documents / authorizedRate) * 1000;
  printTable(
    'Processor time per document, first POST to last AUTHORIZED',
    ['part', 'ms/doc', 'share', 'of one core'],
    [...cpuMs]
      .sort(([, a], [, b]) => b - a)
      .map(([name, value]) => [
        name,
        (value / documents).toFixed(2),
        `${((value * 100) / total).toFixed(0)} %`,
        `${((value * 100) / elapsed).toFixed(0)} %`,
      ]),
  );
  if (statements.length === 0) return;
  printTable(
    'Statements per document',
    ['statement', 'calls/doc', 'ms/call', 'ms/doc'],
    statements
      .filter(({ calls, totalMs }) => calls / documents > 0.005 || totalMs / documents > 0.05)
      .map(({ query, calls, totalMs }) => [
        query.slice(0, 72),
        (calls / documents).toFixed(2),
        (totalMs / calls).toFixed(3),
        (totalMs / documents).toFixed(3),
      ]),
  );
}
