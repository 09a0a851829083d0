/**
 * What every benchmark prints: a small table for people and one JSON line per
 * figure for machines. Figures of a noisy machine mean little alone, so each is
 * printed beside its baseline of the same run.
 */
export interface Figure {
  /** Benchmark, e.g. `sign`. */
  readonly bench: string;
  /** What was measured, e.g. `object, 10 lines`. */
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** What the value is compared with. */
  readonly baseline?: { readonly name: string; readonly value: number };
  /** Value by baseline, measured together. */
  readonly ratio?: number;
  /** The ratio aimed at. */
  readonly goal?: number;
  /** The largest ratio allowed or, without a baseline, the largest value. */
  readonly atMost?: number;
}

export function printFigures(title: string, figures: readonly Figure[]): void {
  printRows(title, figures);
  for (const figure of figures) process.stdout.write(`${JSON.stringify(figure)}\n`);
}

/** Says that a benchmark has no figures here, for people and machines. */
export function printSkipped(bench: string, reason: string): void {
  process.stdout.write(`\nskipped: ${reason}\n${JSON.stringify({ bench, skipped: reason })}\n`);
}

/** The figures that have a goal, those with a number of a goal first. */
export function printGoals(figures: readonly Figure[]): void {
  const numberOf = ({ name }: Figure): number => Number(/^P(\d+) /.exec(name)?.[1] ?? Number.MAX_SAFE_INTEGER);
  const withGoal = figures.filter(({ goal, atMost }) => goal !== undefined || atMost !== undefined);
  printRows('Goals', [...withGoal].sort((a, b) => numberOf(a) - numberOf(b)));
}

function printRows(title: string, figures: readonly Figure[]): void {
  const rows = figures.map((figure) => [
    figure.name,
    `${rounded(figure.value)} ${figure.unit}`,
    figure.baseline === undefined ? '' : `${rounded(figure.baseline.value)} (${figure.baseline.name})`,
    figure.ratio === undefined ? '' : percent(figure.ratio),
    verdict(figure),
  ]);
  printTable(title, ['what', 'figure', 'baseline', 'ratio', 'goal'], rows);
}

function verdict({ value, unit, ratio, goal, atMost }: Figure): string {
  const say = (reached: boolean, bound: string): string => `${reached ? 'reached' : 'missed'} (${bound})`;
  if (ratio !== undefined && goal !== undefined) return say(ratio >= goal, `>= ${percent(goal)}`);
  if (atMost === undefined) return '';
  return ratio === undefined
    ? say(value <= atMost, `<= ${rounded(atMost)} ${unit}`)
    : say(ratio <= atMost, `<= ${percent(atMost)}`);
}

export function printTable(title: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((cell, i) => Math.max(cell.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ');
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  process.stdout.write(`\n${title}\n\n${[line(head), rule, ...rows.map(line)].join('\n')}\n\n`);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  if (upper === undefined) throw new RangeError('no values');
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/** Milliseconds that passed for everyone. */
export const wallTime = (): number => performance.now();

/**
 * Milliseconds of CPU that this process has used, collector included: what a
 * thread achieves on a core of its own, however busy the machine is.
 */
export const cpuTime = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Calls per second of `operation`, run for about `milliseconds` on this thread. */
export function rateOf(operation: () => void, milliseconds: number, clock = wallTime): number {
  const started = clock();
  let calls = 0;
  let elapsed = 0;
  do {
    // The clock costs a microsecond: look at it now and then.
    for (let i = 0; i < 8; i++) operation();
    calls += 8;
    elapsed = clock() - started;
  } while (elapsed < milliseconds);
  return (calls * 1000) / elapsed;
}

/** Calls per second with `inFlight` of them at any time. */
export async function asyncRateOf(
  operation: () => Promise<unknown>,
  inFlight: number,
  milliseconds: number,
): Promise<number> {
  const started = performance.now();
  let calls = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() - started < milliseconds) {
      await operation();
      calls += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return (calls * 1000) / (performance.now() - started);
}

const rounded = (value: number): string => (value >= 100 ? Math.round(value).toString() : value.toPrecision(3));
const percent = (ratio: number): string => `${(ratio * 100).toFixed(1)} %`;
