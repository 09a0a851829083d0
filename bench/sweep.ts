/**
 * `npm run bench:sweep` (P8): what looking for due work costs while 100,000 documents wait for a later time, as after an
 * outage of the SRI: processor time of PostgreSQL and of one worker that has nothing to do, beside the same with an empty table.
 * Before that, how long PostgreSQL takes to find a dozen of as many that are due, of many tenants beside few.
 *
 *   --seconds 20   each reading      --waiting 100000      --tenants 50
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { BenchStack } from './issue-stack.js';
import { median, printFigures } from './table.js';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '20' }, waiting: { type: 'string', default: '100000' }, tenants: { type: 'string', default: '50' } },
});
const [seconds, waiting, tenants] = [Number(values.seconds), Number(values.waiting), Number(values.tenants)];
const AT_MOST = 0.02;
const [FEW, MANY] = [32, 1_000];
const LOOKS = 30;
/** Of a look at a backlog of many tenants, by one of few. */
const LOOK_AT_MOST = 2;

async function putWork(owner: pg.Client, tenants: number, from: 'now' | 'in an hour'): Promise<void> {
  await owner.query('truncate outbox');
  await owner.query(
    `with t as (select n, gen_random_uuid() as id from generate_series(1, $2::integer) n)
     insert into outbox (tenant_id, document_id, step, due_at, issuer_id, establishment_id, emission_point_id, document_type, sequential, unsent)
     select t.id, gen_random_uuid(), 'submit', now() + $3::interval + d * interval '1 second', t.id, t.id, t.id, '01', d, true
     from t cross join generate_series(1, $1::integer / $2::integer) d`,
    [waiting, tenants, from === 'now' ? '-1 day' : '1 hour'],
  );
  await owner.query('vacuum analyze outbox');
}

/** Milliseconds of a look that takes a dozen and goes on where the one before ended; each is undone, so that all find as much. */
async function lookAt(owner: pg.Client, tenants: number): Promise<number> {
  await putWork(owner, tenants, 'now');
  const times: number[] = [];
  let after: string | null = null;
  for (let look = 1; look <= LOOKS; look += 1) {
    await owner.query('begin');
    const started = performance.now();
    const { rows }: { rows: { looked_until: string }[] } = await owner.query(`select * from announce_going_round(now(), interval '5 seconds', 12, null, $1)`, [after]);
    times.push(performance.now() - started);
    await owner.query('rollback');
    if (rows.length !== 12) throw new Error(`a look found ${rows.length} documents instead of a dozen`);
    after = rows.at(-1)!.looked_until;
  }
  return median(times);
}

let stack: BenchStack | null = null;
try {
  stack = await BenchStack.start((started) => (stack = started));
  const owner = new pg.Client({ connectionString: stack.ownerUrl, options: '-c search_path=sello' });
  await owner.connect();
  const [few, many] = [await lookAt(owner, FEW), await lookAt(owner, MANY)];
  await owner.query('truncate outbox');
  await stack.startWorker();
  await sleep(5_000);
  const idle = await stack.coresDuring(() => sleep(seconds * 1_000));
  await putWork(owner, tenants, 'in an hour');
  await owner.end();
  const full = await stack.coresDuring(() => sleep(seconds * 1_000));
  printFigures(`Looking for due work; ${stack.description}`, [
    { bench: 'sweep', name: 'an empty table', value: idle, unit: 'cores' },
    { bench: 'sweep', name: `${waiting.toLocaleString('en')} documents wait`, value: full, unit: 'cores' },
    { bench: 'sweep', name: 'P8 of that, for those that wait', value: full - idle, unit: 'cores', atMost: AT_MOST },
    { bench: 'sweep', name: `a look at a backlog of ${MANY.toLocaleString('en')} tenants`, value: many, unit: 'ms', baseline: { name: `of ${FEW}`, value: few }, ratio: many / few, atMost: LOOK_AT_MOST },
  ]);
} catch (error) {
  process.stderr.write(`${(error as Error).stack ?? String(error)}\n${stack?.logs() ?? ''}\n`);
  process.exitCode = 1;
} finally {
  await stack?.stop();
}
