import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Logger } from '@nestjs/common';
import { useLightAbort } from './light-abort.js';
import { useNoLogContext } from './no-log-context.js';
import { runHistory, type HistoryResult } from './history.js';
import { plantedBug } from './mutants.js';
import { shrink } from './shrink.js';
import { encodeTape } from './tape.js';

/** A span of seeds to run, by as many threads as there are cores. */
export interface Campaign {
  readonly from: number;
  readonly histories: number;
  readonly threads: number;
  /** Name of a planted bug; null: the service as it is. */
  readonly bug: string | null;
}

export interface Failure {
  readonly seed: number;
  readonly message: string;
  readonly tape: string;
}

export interface CampaignResult {
  readonly histories: number;
  readonly steps: number;
  readonly documents: number;
  readonly milliseconds: number;
  readonly failures: readonly Failure[];
  /** How often each move of the lifecycle was made, as `STATE trigger`. */
  readonly moves: ReadonlyMap<string, number>;
}

interface Share {
  readonly first: number;
  readonly end: number;
  readonly stride: number;
  readonly bug: string | null;
}

interface Report {
  readonly seed: number;
  readonly steps: number;
  readonly documents: number;
  readonly failure: Failure | null;
  readonly moves: ReadonlyMap<string, number>;
}

const REPORT_EVERY = 25;

/** Runs the histories; `progress` hears how many are done, a few times a second. */
export async function runCampaign(campaign: Campaign, progress: (done: number, failures: number) => void = () => undefined): Promise<CampaignResult> {
  const started = performance.now();
  const totals = { histories: 0, steps: 0, documents: 0 };
  const failures: Failure[] = [];
  const moves = new Map<string, number>();
  const take = (reports: readonly Report[]): void => {
    for (const report of reports) {
      totals.histories += 1;
      totals.steps += report.steps;
      totals.documents += report.documents;
      if (report.failure) failures.push(report.failure);
      for (const [move, times] of report.moves) moves.set(move, (moves.get(move) ?? 0) + times);
    }
    progress(totals.histories, failures.length);
  };
  const { from, histories, threads, bug } = campaign;
  const shares = Array.from({ length: threads }, (_, index): Share => ({ first: from + index, end: from + histories, stride: threads, bug }));
  await Promise.all(
    shares.map(
      (share) =>
        new Promise<void>((resolve, reject) => {
          const worker = new Worker(new URL(import.meta.url), { workerData: share, resourceLimits: { maxYoungGenerationSizeMb: 64 } });
          worker.on('message', take);
          worker.on('error', reject);
          worker.on('exit', () => {
            resolve();
          });
        }),
    ),
  );
  failures.sort((a, b) => a.seed - b.seed);
  return { ...totals, failures, moves, milliseconds: performance.now() - started };
}

/** Does without what costs time and shows nothing: thousands of errors are part of the game, and nobody reads where they came from. */
export function lighten(): void {
  Logger.overrideLogger(false);
  Error.stackTraceLimit = 0;
  useLightAbort();
  useNoLogContext();
}

async function runShare({ first, end, stride, bug }: Share): Promise<void> {
  lighten();
  let reports: Report[] = [];
  const planted = bug === null ? undefined : plantedBug(bug);
  for (let seed = first; seed < end; seed += stride) {
    const result = await runHistory({ seed, ...(planted && { bug: planted }) });
    const failure = result.violation ? await describe(result, planted === undefined) : null;
    reports.push({ seed, steps: result.steps, documents: result.documents, failure, moves: result.moves });
    if (reports.length >= REPORT_EVERY || failure) {
      parentPort?.postMessage(reports);
      reports = [];
    }
  }
  parentPort?.postMessage(reports);
}

async function describe(result: HistoryResult, shorten: boolean): Promise<Failure> {
  const shortest = shorten ? await shrink(result, {}) : result;
  return { seed: result.seed, message: shortest.violation?.message ?? '', tape: encodeTape(shortest.tape) };
}

if (!isMainThread && (workerData as Partial<Share> | null)?.stride !== undefined) await runShare(workerData as Share);
