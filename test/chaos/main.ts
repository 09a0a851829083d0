import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { checkLedgers } from '../support/ledger-checker.js';
import { SeededRandom } from '../support/seeded-random.js';
import { ServiceRig } from '../support/service-rig.js';
import { openTenant, type Place } from '../support/tenants.js';
import { mischief, refuseAlways } from './gremlins.js';
import { Load } from './load.js';
import { MemoryWatch } from './memory.js';
import { Monkey } from './monkey.js';
import { documentsNow, report, settledTimes } from './report.js';

/** Short waits, so that minutes show what would take days; the order of things stays as in production. */
const SETTINGS = {
  LEASE_SECONDS: '5',
  RELAY_PATIENCE_SECONDS: '2',
  RECEPTION_LADDER: '1,2,4,8',
  AUTHORIZATION_LADDER: '0.5,1,2,5,10',
  SRI_TIMEOUT_SECONDS: '4',
  // A refused document that the SRI once called registered is asked for until the deadline, then a person is.
  ANSWER_DEADLINE_SECONDS: '60',
  RECHECK_SECONDS: '20',
  SRI_LONGEST_BREAK_SECONDS: '5',
  SRI_RAMP_SECONDS: '5',
  SHUTDOWN_SECONDS: '5',
  LOG_LEVEL: 'warn',
};
const QUIESCENCE_MS = 300_000;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string' },
    tenants: { type: 'string', default: '30' },
    points: { type: 'string', default: '200' },
    rate: { type: 'string', default: '10' },
    'keep-logs': { type: 'boolean', default: false },
  },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
/** Within a few minutes an outage of one would leave no time for anything else. */
const scale = Math.min(1, Math.max(0.1, minutes / 10));

const startedAt = performance.now();
const say = (text: string): void => {
  const seconds = Math.floor((performance.now() - startedAt) / 1_000);
  process.stdout.write(`[${String(Math.floor(seconds / 60)).padStart(3)}:${String(seconds % 60).padStart(2, '0')}] ${text}\n`);
};

/** Tenants with their points; the last two have few, and the SRI refuses what they send. */
async function openTenants(rig: ServiceRig, apiUrl: string): Promise<{ places: Place[]; refused: [string, string] }> {
  const [tenants, points] = [Number(values.tenants), Number(values.points)];
  const few = Math.max(1, Math.round(points * 0.015));
  const places: Place[] = [];
  const rucs: string[] = [];
  for (let i = 0; i < tenants; i += 1) {
    const own = i >= tenants - 2 ? few : Math.max(1, Math.round((points - 2 * few) / (tenants - 2)));
    const opened = await openTenant(rig.ownerUrl, apiUrl, own);
    places.push(...opened);
    rucs.push(opened[0]!.ruc);
    if (i % 5 === 4) say(`${i + 1} of ${tenants} tenants`);
  }
  return { places, refused: [rucs.at(-1)!, rucs.at(-2)!] };
}

async function soak(rig: ServiceRig): Promise<number> {
  const random = new SeededRandom(seed);
  const [api, first, second] = await Promise.all([rig.superviseApi(), rig.superviseWorker(), rig.superviseWorker()]);
  const workers = [first, second];
  say(`up: ${rig.description}`);
  const { places, refused } = await openTenants(rig, api.url);
  await refuseAlways(rig, refused);

  const load = new Load(() => [api.url], places, random, { rate: Number(values.rate), timeoutMs: 6_000 });
  const monkey = new Monkey(rig, [api.process], workers, random, {
    // In a short soak, as many acts as in a longer one.
    pause: minutes < 5 ? [2, 5] : [5, 15],
    outage: [30 * scale, 120 * scale],
    spell: [Math.max(2, 3 * scale), Math.max(4, 15 * scale)],
    nap: [6, 12],
  }, (what) => say(`  ${what}`));
  const memory = new MemoryWatch(rig.supervised);
  const calm = new AbortController();
  const tricks = mischief(rig, random, [1, 4], calm.signal);
  load.start();
  monkey.start();
  say(`${places.length} points of ${values.tenants} tenants, ${values.rate} documents/s, seed ${seed}: ${minutes} minutes of faults`);

  const until = performance.now() + minutes * 60_000;
  for (let tick = 1; performance.now() < until; tick += 1) {
    await sleep(Math.min(2_000, Math.max(1, until - performance.now())));
    memory.sample(load.accepted);
    if (tick % 5 === 0) say(`${load.accepted} accepted, ${load.unsettled} callers wait, ${load.violations.length} violations so far`);
  }

  say('faults stop');
  calm.abort();
  await monkey.stop();
  await rig.control('DELETE', 'faults');
  await refuseAlways(rig, refused);
  const calmAt = performance.now();
  await load.finish(60_000);
  let pending = await documentsNow(rig.query);
  while (pending.underWay > 0 && performance.now() - calmAt < QUIESCENCE_MS) {
    await sleep(2_000);
    pending = await documentsNow(rig.query);
    say(`${pending.underWay} documents under way`);
  }
  const quietAfter = Math.round((performance.now() - calmAt) / 1_000);
  say(`quiet after ${quietAfter} s; comparing the ledgers of ${load.records.length} requests and ${pending.documents} documents`);

  const violations = [
    ...load.violations,
    ...(await checkLedgers({ query: rig.query, simulatorUrl: rig.simulatorUrl, client: load.records, quiescent: true })),
    ...(await rig.query<{ violation: string }>(
      `select format('I9: document %s of an issuer in good standing is REJECTED: %s', d.id, d.sri_messages) as violation
       from documents d join issuers i on i.tenant_id = d.tenant_id and i.id = d.issuer_id
       where d.status in ('REJECTED', 'FAILED_PERMANENT') and i.ruc <> all ($1)`, [refused])).map(({ violation }) => violation),
  ];
  return report({
    minutes, seed, quietAfter, violations,
    acts: monkey.done,
    tricks: await tricks,
    endings: Object.fromEntries(rig.supervised.map(({ name, endings }) => [name, endings])),
    requests: load.records.length,
    answers: load.statuses,
    states: pending.states,
    seconds: await settledTimes(rig.query),
    memory: { slope: memory.slope(), peak: Math.round(memory.peak) },
  });
}

// Started by a test, it ends with the test.
process.once('disconnect', () => process.exit(1));
const rig = await ServiceRig.start(SETTINGS, { SIMULATOR_PROCESSING_MS: '0-100', SIMULATOR_LEDGER_LIMIT: '2000' });
let failures = 1;
try {
  failures = await soak(rig);
  if (failures > 0) process.stdout.write(`${rig.logs(15)}\n`);
} catch (error) {
  process.stdout.write(`the soak itself failed: ${(error as Error).stack ?? ''}\n${rig.logs()}\n`);
} finally {
  const keep = values['keep-logs'] || failures > 0;
  await rig.stop(keep);
  if (keep) process.stdout.write(`logs: ${rig.logFolder}\n`);
}
process.exit(failures > 0 ? 1 : 0);
