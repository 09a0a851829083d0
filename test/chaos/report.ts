import { DOCUMENT_STATUSES, LIFECYCLE } from '../../src/modules/documents/domain/lifecycle.js';
import type { Query } from '../support/ledger-checker.js';

const REST = ['DRAFT', 'MANUAL_REVIEW_REQUIRED', 'CANCELLATION_REQUESTED'];
const UNDER_WAY = DOCUMENT_STATUSES.filter((status) => !LIFECYCLE[status].final && !REST.includes(status));
const LISTED = 40;

export interface DocumentsNow {
  readonly documents: number;
  /** Still moving by themselves. */
  readonly underWay: number;
  /** By status, with the reason where there is one. */
  readonly states: Readonly<Record<string, number>>;
}

export async function documentsNow(query: Query): Promise<DocumentsNow> {
  const rows = await query<{ status: string; error_code: string | null; count: string }>(
    'select status, error_code, count(*) from documents group by 1, 2 order by 3 desc',
  );
  const sum = (test: (status: string) => boolean): number => rows.reduce((total, { status, count }) => total + (test(status) ? Number(count) : 0), 0);
  return {
    documents: sum(() => true),
    underWay: sum((status) => (UNDER_WAY as string[]).includes(status)),
    states: Object.fromEntries(rows.map(({ status, error_code, count }) => [error_code === null ? status : `${status} ${error_code}`, Number(count)])),
  };
}

/** Seconds from acceptance to the first final state. */
export async function settledTimes(query: Query): Promise<{ p50: number; p99: number; max: number }> {
  const [row] = await query<{ times: number[] | null }>(
    `select percentile_cont(array[0.5, 0.99, 1]) within group (order by extract(epoch from h.at - d.created_at)) as times
     from documents d join lateral (select at from document_history h where h.tenant_id = d.tenant_id and h.document_id = d.id
       and h.to_status = any ($1) order by h.version limit 1) h on true`,
    [[...DOCUMENT_STATUSES.filter((status) => LIFECYCLE[status].final), 'MANUAL_REVIEW_REQUIRED']],
  );
  const [p50 = 0, p99 = 0, max = 0] = (row?.times ?? []).map((seconds) => Math.round(seconds * 100) / 100);
  return { p50, p99, max };
}

export interface Findings {
  readonly minutes: number;
  readonly seed: number;
  readonly quietAfter: number;
  readonly violations: readonly string[];
  readonly acts: Readonly<Record<string, number>>;
  readonly tricks: number;
  readonly endings: Readonly<Record<string, readonly string[]>>;
  readonly requests: number;
  readonly answers: Readonly<Record<string, number>>;
  readonly states: Readonly<Record<string, number>>;
  readonly seconds: { readonly p50: number; readonly p99: number; readonly max: number };
  readonly memory: { readonly slope: number | null; readonly peak: number };
}

/** Prints what happened, for people and, on one line of JSON, for programs. @returns how many violations there were */
export function report(findings: Findings): number {
  const { violations, acts, endings, states } = findings;
  const count = (pattern: RegExp): number => Object.entries(acts).reduce((sum, [name, times]) => sum + (pattern.test(name) ? times : 0), 0);
  const documents = Object.values(states).reduce((sum, one) => sum + one, 0);
  const ends = tally(Object.entries(endings).flatMap(([name, how]) => how.map((one) => `${name.replace(/-\d+$/, '')}: ${one}`)));
  const killed = Object.entries(ends).reduce((sum, [how, times]) => sum + (how.endsWith('SIGKILL') ? times : 0), 0);
  const summary = {
    minutes: findings.minutes,
    seed: findings.seed,
    documents,
    process_kills: killed,
    postgres_restarts: count(/^(PostgreSQL|everything) killed/),
    redis_restarts: count(/^Redis killed/),
    redis_flushes: count(/^Redis flushed/),
    acts: Object.values(acts).reduce((sum, one) => sum + one, 0),
    quiet_after_seconds: findings.quietAfter,
    seconds_to_final: findings.seconds,
    rss_slope_mb_per_1000_documents: findings.memory.slope,
    rss_peak_mb: findings.memory.peak,
    answers: findings.answers,
    states,
    violations: violations.length,
  };
  const lines = [
    '',
    `Chaos soak, ${findings.minutes} minutes of faults, seed ${findings.seed}`,
    '',
    ...table('done to it', { ...acts, 'tricks of the SRI': findings.tricks }),
    ...table('processes ended', ends),
    ...table('answers to callers', findings.answers),
    ...table(`${documents} documents from ${findings.requests} wishes`, states),
    `seconds from 202 to final: p50 ${findings.seconds.p50}, p99 ${findings.seconds.p99}, longest ${findings.seconds.max}`,
    `quiet ${findings.quietAfter} s after the faults stopped`,
    `memory: ${findings.memory.slope ?? 'too short to tell'} MB per 1,000 documents, at most ${findings.memory.peak} MB`,
    '',
    `violations: ${violations.length}`,
    ...violations.slice(0, LISTED).map((violation) => `  ${violation}`),
    ...(violations.length > LISTED ? [`  and ${violations.length - LISTED} more`] : []),
    '',
    JSON.stringify({ chaos: summary }),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return violations.length;
}

function tally(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function table(title: string, rows: Readonly<Record<string, number>>): string[] {
  const sorted = Object.entries(rows).sort(([, a], [, b]) => b - a);
  return [`${title}:`, ...sorted.map(([name, times]) => `  ${String(times).padStart(7)}  ${name}`), ''];
}
