/**
 * `npm run bench:sweep` (P8): what looking for due work costs while 100,000 documents wait for a later time, as after an
 * outage of the SRI: processor time of PostgreSQL and of one worker that has nothing to do, beside the same with an empty table.
 * Before that, how long PostgreSQL takes to find a few of as many documents, mails and deliveries that are due, of many tenants
 * beside few.
 *
 *   --seconds 20   each reading      --waiting 100000      --tenants 50
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { onBenchStack } from './issue-stack.js';
import { type Figure, median, printFigures } from './table.js';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '20' }, waiting: { type: 'string', default: '100000' }, tenants: { type: 'string', default: '50' } },
});
const [seconds, waiting, tenants] = [Number(values.seconds), Number(values.waiting), Number(values.tenants)];
const AT_MOST = 0.02;
const [FEW, MANY] = [100, 1_000];
const LOOKS = 30;
/** Of a look at a backlog of many tenants, by one of few. */
const LOOK_AT_MOST = 2;

/** What crosses tenants: how it is filled, for a table `t` of tenants with `d` rows each, and how a few are taken, after where `$1` says. */
const QUEUES = [
  {
    name: 'a look for a dozen documents',
    table: 'outbox',
    row: `(tenant_id, document_id, step, due_at, issuer_id, establishment_id, emission_point_id, document_type, sequential, unsent)
      select t.id, gen_random_uuid(), 'submit', now() + $3::interval + d * interval '1 second', t.id, t.id, t.id, '01', d, true`,
    take: `select count(*)::integer as found, (array_agg(looked_until))[count(*)] as until from announce_going_round(now(), interval '5 seconds', 12, null, $1)`,
    room: 12,
  },
  {
    name: 'a claim of 4 mails',
    table: 'mail_outbox',
    row: `(tenant_id, id, kind, due_at) select t.id, gen_random_uuid(), 'mail', now() + $3::interval + d * interval '1 second'`,
    take: `select jsonb_array_length(taken) as found, looked_until as until from claim_mails_going_round(gen_random_uuid(), now(), interval '1 minute', 4, $1)`,
    room: 4,
  },
  {
    name: 'a claim of 16 deliveries',
    table: 'webhook_work',
    row: `(tenant_id, webhook_id, delivery_id, due_at) select t.id, t.id, gen_random_uuid(), now() + $3::interval + d * interval '1 second'`,
    take: `select jsonb_array_length(taken) as found, looked_until as until from claim_deliveries_going_round(gen_random_uuid(), now(), interval '1 minute', 16, 8, 4, $1)`,
    room: 16,
  },
] as const;
type Queue = (typeof QUEUES)[number];

async function putWork(owner: pg.Client, { table, row }: Queue, tenants: number, from: 'now' | 'in an hour'): Promise<void> {
  await owner.query(`truncate ${table}`);
  await owner.query(
    `with t as (select gen_random_uuid() as id from generate_series(1, $2::integer)), addresses as (
       insert into webhooks (tenant_id, id, url, is_active, created_at, updated_at)
       select id, id, 'https://receiver.example/', true, now(), now() from t where '${table}' = 'webhook_work'
     )
     insert into ${table} ${row} from t cross join generate_series(1, $1::integer / $2::integer) d`,
    [waiting, tenants, from === 'now' ? '-1 day' : '1 hour'],
  );
  await owner.query(`vacuum analyze ${table}`);
}

/** Milliseconds of a look that takes a few and goes on where the one before ended; each is undone, so that all find as much. */
async function lookAt(owner: pg.Client, queue: Queue, tenants: number): Promise<number> {
  await putWork(owner, queue, tenants, 'now');
  const times: number[] = [];
  let after: unknown = null;
  for (let look = 1; look <= LOOKS; look += 1) {
    await owner.query('begin');
    const started = performance.now();
    const { rows }: { rows: { found: number; until: unknown }[] } = await owner.query(queue.take, [after]);
    times.push(performance.now() - started);
    await owner.query('rollback');
    const [look] = rows;
    if (look?.found !== queue.room) throw new Error(`${queue.name} found ${look?.found ?? 'nothing'}`);
    after = look.until;
  }
  await owner.query(`truncate ${queue.table}`);
  return median(times);
}

await onBenchStack(async (stack) => {
  const owner = new pg.Client({ connectionString: stack.ownerUrl, options: '-c search_path=sello,public -c session_replication_role=replica' });
  await owner.connect();
  const looks: Figure[] = [];
  for (const queue of QUEUES) {
    const [few, many] = [await lookAt(owner, queue, FEW), await lookAt(owner, queue, MANY)];
    looks.push({ bench: 'sweep', name: `${queue.name}, ${MANY.toLocaleString('en')} tenants`, value: many, unit: 'ms', baseline: { name: `${FEW} tenants`, value: few }, ratio: many / few, atMost: LOOK_AT_MOST });
  }
  await owner.query('delete from webhooks');
  await stack.startWorker();
  await sleep(5_000);
  const idle = await stack.coresDuring('worker', () => sleep(seconds * 1_000));
  await putWork(owner, QUEUES[0], tenants, 'in an hour');
  await owner.end();
  const full = await stack.coresDuring('worker', () => sleep(seconds * 1_000));
  printFigures(`Looking for due work; ${stack.description}`, [
    { bench: 'sweep', name: 'an empty table', value: idle, unit: 'cores' },
    { bench: 'sweep', name: `${waiting.toLocaleString('en')} documents wait`, value: full, unit: 'cores' },
    { bench: 'sweep', name: 'P8 of that, for those that wait', value: full - idle, unit: 'cores', atMost: AT_MOST },
    ...looks,
  ]);
});
