// Does by hand what docker/Dockerfile says, stage by stage, in a folder to throw away, and runs the result as its image
// would run: another user, read-only root, only /tmp to write. Needs no container engine; to see the root read-only it
// needs Linux and root. Ends with the sizes.
import { execFileSync, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DockerfileParser } from 'dockerfile-ast';

const root = process.cwd();
const work = mkdtempSync(join(tmpdir(), 'sello-image-'));
chmodSync(work, 0o755);
const say = (line) => console.log(line);
const size = (path) => `${Math.round(Number(execFileSync('du', ['-sk', path], { encoding: 'utf8' }).split('\t')[0]) / 1024)} MB`;

/** What the .dockerignore lets in. */
const letIn = readFileSync('docker/Dockerfile.dockerignore', 'utf8').split('\n').filter((line) => line.startsWith('!')).map((line) => line.slice(1));
const isLetIn = (path) => letIn.some((one) => path === one || path.startsWith(`${one}/`)) && !path.endsWith('.spec.ts');

/** Builds all stages; answers the last one's folder, its environment, and the programs to run and to ask. */
function build() {
  const stages = new Map();
  let stage;
  for (const instruction of DockerfileParser.parse(readFileSync('docker/Dockerfile', 'utf8')).getInstructions()) {
    const text = instruction.getArgumentsContent() ?? '';
    const started = performance.now();
    switch (instruction.getKeyword()) {
      case 'FROM': {
        const name = instruction.getBuildStage() ?? 'image';
        stage = { name, folder: join(work, name), env: {} };
        mkdirSync(stage.folder);
        stages.set(name, stage);
        break;
      }
      case 'WORKDIR':
        stage.workdir = text;
        mkdirSync(join(stage.folder, text), { recursive: true });
        break;
      case 'ENV':
        for (const property of instruction.getProperties()) stage.env[property.getName()] = property.getValue();
        break;
      case 'COPY': {
        const from = instruction.getFromFlag()?.getValue();
        const paths = instruction.getArguments().map((argument) => argument.getValue());
        const target = join(stage.folder, stage.workdir, paths.at(-1));
        for (const path of paths.slice(0, -1)) {
          const source = from === undefined ? join(root, path) : join(stages.get(from).folder, path);
          cpSync(source, paths.at(-1) === './' ? join(target, basename(path)) : target, { recursive: true, filter: (one) => from !== undefined || isLetIn(relative(root, one)) });
        }
        break;
      }
      case 'RUN': {
        const command = readFileSync('docker/Dockerfile', 'utf8').split('\n').slice(instruction.getRange().start.line, instruction.getRange().end.line + 1).join('\n').replace(/^RUN /, '');
        execFileSync('/bin/sh', ['-ec', command], { cwd: join(stage.folder, stage.workdir), stdio: ['ignore', 'ignore', 'inherit'], env: { PATH: process.env.PATH, HOME: process.env.HOME, ...stage.env } });
        say(`${stage.name}: RUN ${command.split('\n')[0]} (${Math.round((performance.now() - started) / 1000)} s)`);
        break;
      }
      case 'CMD':
        stage.command = JSON.parse(text);
        break;
      case 'HEALTHCHECK':
        stage.health = JSON.parse(text.slice(text.indexOf('[')));
        break;
    }
  }
  return stage;
}

/** A command in the image: its folder, its environment, user 1000; the root read-only where the system lets us. */
function enter(image, [program, ...args], env) {
  const folder = join(image.folder, image.workdir);
  const confined = process.getuid() === 0 && existsSync('/usr/bin/unshare');
  // A folder of the work folder may lie below /tmp, which is to be empty and writable: it is mounted elsewhere first.
  const script = `
    mkdir -p /mnt/image && mount --bind '${image.folder}' /mnt/image && mount -o remount,ro,bind /mnt/image
    mount -t tmpfs tmpfs /tmp && mount -o remount,ro,bind /
    cd '/mnt/image${image.workdir}'
    if touch probe 2>/dev/null || touch /probe 2>/dev/null; then echo 'the root is writable' >&2; exit 99; fi
    exec setpriv --reuid 1000 --regid 1000 --clear-groups --no-new-privs --bounding-set=-all "$@"`;
  const whole = { PATH: process.env.PATH, ...image.env, ...env };
  return confined
    ? spawn('unshare', ['--mount', 'sh', '-ec', script, 'sh', process.execPath, ...args], { env: whole, stdio: ['ignore', 'pipe', 'pipe'] })
    : spawn(process.execPath, args, { cwd: folder, env: whole, stdio: ['ignore', 'pipe', 'pipe'] });
}

const running = [];
function outputOf(child) {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (text += data));
  child.ending = new Promise((resolve) => child.once('close', (code) => resolve({ code, text })));
  child.soFar = () => text;
  return child;
}
async function finished(image, command, env) {
  const { code, text } = await outputOf(enter(image, command, env)).ending;
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}:\n${text}`);
  return text;
}
function serve(image, command, env) {
  const child = outputOf(enter(image, command, env));
  running.push(child);
  return child;
}
async function until(what, ask) {
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(200)) if (await ask()) return;
  throw new Error(`${what}: not within 60 s\n${running.map((child) => child.soFar().slice(-2000)).join('\n---\n')}`);
}

let postgres, redis;
try {
  say(`in ${work}`);
  const image = build();
  execFileSync('chmod', ['-R', 'a+rX,a-w', image.folder]);
  const left = execFileSync('find', [image.folder, '(', '-name', '*.spec.*', '-o', '-path', '*/dist/test', '-o', '-path', '*/dist/bench', '-o', '-name', '*.map', ')', '-not', '-path', '*/node_modules/*'], { encoding: 'utf8' });
  if (left !== '') throw new Error(`in the image is what does not belong there:\n${left}`);

  const { startEmbeddedPostgres } = await import('../dist/src/platform/embedded/postgres.js');
  const { startEmbeddedRedis } = await import('../dist/src/platform/embedded/redis.js');
  const { createServiceLogin } = await import('../dist/src/platform/embedded/service-login.js');
  const { makeDemoCompany, createDemoTenant } = await import('../dist/src/local/demo-tenant.js');
  const { exampleInvoice } = await import('../dist/src/modules/documents/public.js');
  const { guayaquilDay } = await import('../dist/src/shared/guayaquil.js');
  const { issueDocument } = await import('../dist/src/local/issue-document.js');
  const { ApiClient } = await import('../dist/src/local/api-client.js');
  const { sriUrls } = await import('../dist/src/local/parts.js');
  const { freePort } = await import('../dist/src/platform/embedded/free-port.js');
  [postgres, redis] = await Promise.all([startEmbeddedPostgres({ throwAway: true, database: 'sello' }), startEmbeddedRedis()]);
  await finished(image, ['node', 'dist/src/migrate.js'], { DATABASE_OWNER_URL: postgres.url });
  say('the migrations ran in the image');

  const [port, metrics, workerMetrics, simulator] = [await freePort(), await freePort(), await freePort(), await freePort()];
  serve(image, ['node', 'dist/src/simulator/main.js'], { SIMULATOR_HOST: '127.0.0.1', SIMULATOR_PORT: String(simulator) });
  const env = {
    APP_ENV: 'local', HOST: '127.0.0.1', METRICS_HOST: '127.0.0.1', DATABASE_URL: await createServiceLogin(postgres.url), REDIS_URL: redis.url, MASTER_KEY: randomBytes(32).toString('base64'),
    TOKEN_KEYS: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), ...sriUrls(`http://127.0.0.1:${simulator}`),
  };
  serve(image, image.command, { ...env, PORT: String(port), METRICS_PORT: String(metrics) });
  serve(image, ['node', 'dist/bundle/worker.js'], { ...env, METRICS_PORT: String(workerMetrics) });
  const url = `http://127.0.0.1:${port}`;
  await until('ready', () => fetch(`${url}/health/ready`).then(({ ok }) => ok, () => false));
  for (const METRICS_PORT of [metrics, workerMetrics]) {
    await until('healthy', () => outputOf(enter(image, image.health, { METRICS_PORT: String(METRICS_PORT) })).ending.then(({ code }) => code === 0));
  }
  say('API and worker run, and their health check says so');
  const company = await makeDemoCompany();
  const demo = await createDemoTenant(postgres.url, url, company);
  const { number } = await issueDocument(new ApiClient(url, demo.api_key), exampleInvoice(demo, guayaquilDay(new Date()), '12345678'), join(work, 'issued'), { name: 'invoice' });
  say(`invoice ${number} is authorized`);

  for (const child of running) child.kill('SIGTERM');
  say(`image above its base: ${size(image.folder)}, of which packages ${size(join(image.folder, 'app/node_modules'))}, program ${size(join(image.folder, 'app/dist'))}`);
} finally {
  for (const child of running) child.kill('SIGTERM');
  await Promise.all(running.map((child) => child.ending));
  await Promise.all([postgres?.stop(), redis?.stop()]);
  execFileSync('chmod', ['-R', 'u+w', work]);
  rmSync(work, { recursive: true, force: true });
}
