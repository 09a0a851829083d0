// Upgrades a service under load, as docs/upgrading.md says, and fails when a caller notices: the processes of an earlier
// commit serve while this one's migrations run, both serve together, then this one's alone.
//
//   npm run upgrade:rehearse -- [COMMIT]      default: the last commit before migrations/ grew
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../dist/src/platform/embedded/postgres.js';
import { startEmbeddedRedis } from '../dist/src/platform/embedded/redis.js';
import { createServiceLogin } from '../dist/src/platform/embedded/service-login.js';
import { ApiClient } from '../dist/src/local/api-client.js';
import { createDemoTenant, makeDemoCompany } from '../dist/src/local/demo-tenant.js';
import { exampleInvoice } from '../dist/src/modules/documents/public.js';
import { guayaquilDay } from '../dist/src/shared/guayaquil.js';
import { sriUrls, surroundings } from '../dist/src/local/parts.js';
import { startServiceProcess } from '../dist/src/local/service-process.js';
import pg from 'pg';

const git = (...args) => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
const say = (line) => console.log(line);
const PAUSE_MS = 40;
const PHASE_MS = 3_000;

/** The commit to upgrade from; null where the history does not reach so far. */
function formerCommit() {
  const wanted = process.argv[2] ?? `${git('log', '-1', '--diff-filter=A', '--format=%H', '--', 'migrations')}^`;
  try {
    return git('rev-parse', '--verify', `${wanted}^{commit}`);
  } catch {
    return null;
  }
}

const former = formerCommit();
if (former === null) {
  say('skipped: the history holds no commit before the last migration (a shallow clone)');
  process.exit(0);
}
const work = mkdtempSync(join(tmpdir(), 'sello-upgrade-'));
const [oldRoot, newRoot] = [join(work, 'former'), process.cwd()];
const parts = [];
let postgres, redis, database;
try {
  say(`from ${git('log', '-1', '--format=%h %s', former)}`);
  git('worktree', 'add', '--detach', oldRoot, former);
  symlinkSync(join(newRoot, 'node_modules'), join(oldRoot, 'node_modules'));
  execFileSync('npm', ['run', 'build', '--silent'], { cwd: oldRoot, stdio: 'inherit' });

  [postgres, redis] = await Promise.all([startEmbeddedPostgres({ throwAway: true, database: 'sello' }), startEmbeddedRedis()]);
  const migrate = (root) => execFileSync(process.execPath, [join(root, 'dist', 'src', 'migrate.js')], { cwd: root, encoding: 'utf8', env: { PATH: process.env.PATH, DATABASE_OWNER_URL: postgres.url } }).trim().split('\n').length;
  const start = async (root, name, program, env) => {
    const module = ['bundle', 'src'].map((folder) => join(root, 'dist', folder, program)).find(existsSync);
    const part = await startServiceProcess({ name, module, env: { ...surroundings(), ...env }, logFile: join(work, `${name}.log`) });
    parts.push(part);
    return part;
  };
  migrate(oldRoot);
  const simulator = await start(newRoot, 'simulator', 'simulator/main.js', { SIMULATOR_HOST: '127.0.0.1', SIMULATOR_PORT: '0' });
  const env = {
    APP_ENV: 'local', HOST: '127.0.0.1', PORT: '0', DATABASE_URL: await createServiceLogin(postgres.url), REDIS_URL: redis.url, ...sriUrls(simulator.url),
    MASTER_KEY: randomBytes(32).toString('base64'), TOKEN_KEYS: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    RATE_LIMIT_ISSUE_PER_MINUTE: '1000000', RATE_LIMIT_READ_PER_MINUTE: '1000000', AUTHORIZATION_LADDER: '1,1,2',
  };
  const oldApi = await start(oldRoot, 'former API', 'main.js', env);
  const oldWorker = await start(oldRoot, 'former worker', 'worker.js', env);
  const demo = await createDemoTenant(postgres.url, oldApi.url, await makeDemoCompany());
  database = new pg.Client({ connectionString: postgres.url, options: '-c search_path=sello' });
  await database.connect();

  // Callers that issue without a pause, and read what they issued, each at one API.
  const faults = [];
  const issued = [];
  const callers = [];
  const call = (url) => {
    const api = new ApiClient(url, demo.api_key);
    const caller = { stops: false };
    caller.done = (async () => {
      while (!caller.stops) {
        try {
          const { document_id: id } = await api.post('/documents', exampleInvoice(demo, guayaquilDay(new Date()), '12345678'));
          issued.push(id);
          await api.get(`/documents/${id}`);
          await api.get('/documents?page_size=5');
        } catch (error) {
          faults.push(`${url}: ${error.message}`);
        }
        await sleep(PAUSE_MS);
      }
    })();
    callers.push(caller);
    return async () => {
      caller.stops = true;
      await caller.done;
    };
  };
  /** All that was issued until now comes to its end, while callers go on. */
  const settled = async (what) => {
    const ids = [...issued];
    for (const until = Date.now() + 60_000; Date.now() < until; await sleep(200)) {
      const { rows: [open] } = await database.query("select count(*)::int as documents from documents where id = any ($1) and status <> 'AUTHORIZED'", [ids]);
      if (open.documents === 0) return say(`${what}: ${ids.length} documents are authorized`);
    }
    throw new Error(`${what}: not all documents are authorized`);
  };

  const stopAtOld = call(oldApi.url);
  await sleep(PHASE_MS);
  const lines = migrate(newRoot);
  say(`migrated under load: ${lines} line${lines === 1 ? '' : 's'}`);
  await sleep(PHASE_MS);
  await settled('the former code on this schema');

  const newApi = await start(newRoot, 'API', 'main.js', env);
  const stopAtNew = call(newApi.url);
  await sleep(PHASE_MS);
  await settled('the former worker with both APIs');

  const newWorker = await start(newRoot, 'worker', 'worker.js', env);
  await sleep(PHASE_MS);
  await oldWorker.stop();
  await sleep(PHASE_MS);
  await stopAtOld();
  await oldApi.stop();
  await sleep(PHASE_MS);
  await stopAtNew();
  await settled('this code alone');
  await Promise.all([newApi.stop(), newWorker.stop()]);

  const { rows: [numbers] } = await database.query('select count(*)::int as documents, count(distinct sequential)::int as numbers, max(sequential) as last from documents');
  if (faults.length > 0) throw new Error(`${faults.length} calls failed:\n${[...new Set(faults)].slice(0, 10).join('\n')}`);
  if (numbers.documents !== issued.length || numbers.numbers !== issued.length || numbers.last !== issued.length) throw new Error(`issued ${issued.length}, stored ${JSON.stringify(numbers)}`);
  say(`${issued.length} documents, one number each, no call failed`);
} finally {
  await database?.end();
  await Promise.all(parts.map((part) => part.stop(2_000)));
  await Promise.all([postgres?.stop(), redis?.stop()]);
  if (existsSync(oldRoot)) git('worktree', 'remove', '--force', oldRoot);
  rmSync(work, { recursive: true, force: true });
}
