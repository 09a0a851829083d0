/**
 * `npm run bench:fairness`: how long a tenant waits for AUTHORIZED while another tenant's backlog holds the workers, beside
 * the same tenant alone. The backlog is taken in while no worker runs; the quiet tenant goes on at one document a pause.
 *
 *   --backlog 2500   documents of the loud tenant      --documents 60   of the quiet one      --pause 200   milliseconds
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { BenchDatabase } from './issue-database.js';
import { percentile, type Request, run } from './issue-load.js';
import { type BenchStack, onBenchStack } from './issue-stack.js';
import { createRequests } from './issue-tenants.js';
import { printFigures } from './table.js';

const { values } = parseArgs({
  options: { backlog: { type: 'string', default: '2500' }, documents: { type: 'string', default: '60' }, pause: { type: 'string', default: '200' } },
});
const [backlog, documents, pause] = [Number(values.backlog), Number(values.documents), Number(values.pause)];
const AT_MOST = 2;

/** p95 from the 202 to AUTHORIZED of these documents, by commit times, in milliseconds. */
async function p95Of(owner: pg.Client, ids: readonly string[]): Promise<number> {
  const { rows } = await owner.query<{ ms: number }>(
    `select extract(epoch from max(pg_xact_commit_timestamp(h.xmin)) filter (where h.trigger = 'authorized')
       - min(pg_xact_commit_timestamp(h.xmin)) filter (where h.trigger = 'number_taken'))::float * 1000 as ms
     from document_history h where h.document_id = any ($1) group by h.tenant_id, h.document_id`,
    [ids],
  );
  if (rows.length !== ids.length || rows.some(({ ms }) => typeof ms !== 'number')) throw new Error('a document of the quiet tenant is not AUTHORIZED');
  return percentile(rows.map(({ ms }) => ms).sort((a, b) => a - b), 0.95);
}

async function measure(stack: BenchStack): Promise<void> {
  await stack.startApi();
  const apiUrl = stack.apiUrls[0]!;
  const [quiet, loud] = [await createRequests(stack.ownerUrl, apiUrl, 1, 5), await createRequests(stack.ownerUrl, apiUrl, 1, 100)];
  const database = await BenchDatabase.open(stack.ownerUrl);
  const owner = new pg.Client({ connectionString: stack.ownerUrl, options: '-c search_path=sello' });
  await owner.connect();
  try {
    await compare(stack, database, owner, quiet, loud);
  } finally {
    await owner.end();
    await database.close();
  }
}

async function compare(stack: BenchStack, database: BenchDatabase, owner: pg.Client, quiet: readonly Request[], loud: readonly Request[]): Promise<void> {
  const accepted = async (requests: readonly Request[], clients: number, seconds: number, rate?: number): Promise<readonly string[]> => {
    const load = await run({ apiUrls: stack.apiUrls, requests, clients, seconds, ...(rate === undefined ? {} : { rate }) });
    if (load.failures.size > 0) throw new Error(`not every POST was accepted: ${[...load.failures.keys()].join('; ')}`);
    return load.accepted;
  };
  const quietly = (): Promise<readonly string[]> => accepted(quiet, 2, (documents * pause) / 1_000, 1_000 / pause);

  const waiting: string[] = [];
  while (waiting.length < backlog) waiting.push(...(await accepted(loud, 16, 2)));
  process.stdout.write(`${waiting.length} documents of one tenant wait\n`);
  await stack.startWorker();
  await sleep(2_000);
  const beside = await quietly();
  const left = await database.pending();
  await database.drain((pending) => process.stdout.write(`  ${pending} pending\n`));
  if (left < documents) throw new Error(`only ${left} documents of the backlog were left at the end: ask for a larger one (--backlog)`);
  const alone = await quietly();
  await database.drain(() => undefined);
  const [crowded, calm] = [await p95Of(owner, beside), await p95Of(owner, alone)];
  printFigures(`A tenant beside another's backlog of ${waiting.length}; ${stack.description}`, [
    { bench: 'fairness', name: '202 to AUTHORIZED, p95, alone', value: calm, unit: 'ms' },
    { bench: 'fairness', name: 'the same beside the backlog', value: crowded, unit: 'ms', baseline: { name: 'alone', value: calm }, ratio: crowded / calm, atMost: AT_MOST },
  ]);
}

await onBenchStack(measure);
