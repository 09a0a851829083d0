/**
 * `npm run bench:sweep` (P8): what looking for due work costs while 100,000 documents wait for a later time, as after an
 * outage of the SRI: processor time of PostgreSQL and of one worker that has nothing to do, beside the same with an empty table.
 *
 *   --seconds 20   each reading      --waiting 100000      --tenants 50
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { BenchStack } from './issue-stack.js';
import { printFigures } from './table.js';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '20' }, waiting: { type: 'string', default: '100000' }, tenants: { type: 'string', default: '50' } },
});
const [seconds, waiting, tenants] = [Number(values.seconds), Number(values.waiting), Number(values.tenants)];
const AT_MOST = 0.02;

let stack: BenchStack | null = null;
try {
  stack = await BenchStack.start((started) => (stack = started));
  await stack.startWorker();
  await sleep(5_000);
  const idle = await stack.coresDuring(() => sleep(seconds * 1_000));
  const owner = new pg.Client({ connectionString: stack.ownerUrl, options: '-c search_path=sello' });
  await owner.connect();
  await owner.query(
    `with t as (select n, gen_random_uuid() as id from generate_series(1, $2::integer) n)
     insert into outbox (tenant_id, document_id, step, due_at, issuer_id, establishment_id, emission_point_id, document_type, sequential, unsent)
     select t.id, gen_random_uuid(), 'submit', now() + interval '1 hour' + d * interval '1 second', t.id, t.id, t.id, '01', d, true
     from t cross join generate_series(1, $1::integer / $2::integer) d`,
    [waiting, tenants],
  );
  await owner.query('vacuum analyze outbox');
  await owner.end();
  const full = await stack.coresDuring(() => sleep(seconds * 1_000));
  printFigures(`Looking for due work; ${stack.description}`, [
    { bench: 'sweep', name: 'an empty table', value: idle, unit: 'cores' },
    { bench: 'sweep', name: `${waiting.toLocaleString('en')} documents wait`, value: full, unit: 'cores' },
    { bench: 'sweep', name: 'P8 of that, for those that wait', value: full - idle, unit: 'cores', atMost: AT_MOST },
  ]);
} catch (error) {
  process.stderr.write(`${(error as Error).stack ?? String(error)}\n${stack?.logs() ?? ''}\n`);
  process.exitCode = 1;
} finally {
  await stack?.stop();
}
