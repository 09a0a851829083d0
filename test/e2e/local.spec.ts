import { jest } from '@jest/globals';
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DemoTenant } from '../../src/local/data-folder.js';
import { exampleInvoice } from '../../src/modules/documents/documents.examples.js';
import { sriUrls, startApi, startSimulator, startWorker } from '../../src/local/parts.js';
import type { ServiceProcess } from '../../src/local/service-process.js';
import { isPortFree } from '../../src/platform/embedded/free-port.js';
import { readProcFile } from '../../src/platform/proc-file.js';
import { guayaquilDay } from '../../src/shared/guayaquil.js';
import { documentTypes } from '../../src/sri/document-types/registry.js';
import { verifySignedDocument } from '../../src/sri/signing/self-check.js';
import type { Accepted } from '../support/business.js';
import { createTestDatabase } from '../support/database.js';
import { call } from '../support/http.js';
import { descendantsOf, isRunning, parentOf, untilGone } from '../support/processes.js';
import { nextRedisUrl } from '../support/stack.js';
import { TRANSIT_TOKEN, TransitEngine } from '../support/transit-engine.js';

const local = join(process.cwd(), 'dist/src/local.js');

interface Local {
  readonly pid: number;
  output(): string;
  /** Resolves once the output holds `text`; rejects when the process ends first. */
  says(text: string): Promise<void>;
  readonly exit: Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
}

// Real processes on a machine that may be busy.
jest.setTimeout(180_000);

describe('the one command', () => {
  let dataDir: string;
  let running: Local[];
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'sello-local-'));
    // As an ordinary project folder: others may pass through.
    chmodSync(dataDir, 0o711);
    running = [];
  });
  afterEach(async () => {
    for (const one of running) {
      one.kill('SIGTERM');
      await one.exit;
    }
    rmSync(dataDir, { recursive: true, force: true });
  });

  function start(env: Record<string, string> = {}, command = [process.execPath, local]): Local {
    const child = spawn(command[0]!, command.slice(1), {
      // A machine busy with other tests is no reason for a 503.
      env: { PATH: process.env['PATH'], SELLO_DATA_DIR: dataDir, PORT: '0', SIMULATOR_PORT: '0', DATABASE_WAIT_SECONDS: '15', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let wake: () => void = () => undefined;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        output += String(data);
        wake();
      });
    }
    const exit = new Promise<number | null>((done) => child.once('close', done));
    const one: Local = {
      pid: child.pid!,
      output: () => output,
      exit,
      kill: (signal) => void child.kill(signal),
      says: (text) =>
        new Promise((done, reject) => {
          wake = () => {
            if (output.includes(text)) done();
          };
          wake();
          void exit.then((code) => reject(new Error(`ended with ${code} before it said "${text}":\n${output}`)));
        }),
    };
    running.push(one);
    return one;
  }

  const UP = 'Ctrl-C stops everything.';

  it('issues an invoice, keeps its data, and leaves no process behind after Ctrl-C, nor after kill -9 of the npm that started it', async () => {
    const first = start();
    await first.says(UP);
    expect(first.output()).toMatch(/Invoice 001-001-000000001 is AUTHORIZED, \d+\.\d s after the start/);
    const accessKey = /access key {5}(\d{49})/.exec(first.output())?.[1];
    expect(readFileSync(join(dataDir, 'documents', `${accessKey}.xml`), 'utf8')).toContain(`<claveAcceso>${accessKey}</claveAcceso>`);
    expect(readFileSync(join(dataDir, 'documents', `${accessKey}.pdf`), 'latin1')).toMatch(/^%PDF-/);
    for (const secret of ['demo.json', 'master-key', 'token-keys', 'env', 'postgres/owner-password']) {
      expect(statSync(join(dataDir, secret)).mode & 0o077).toBe(0);
    }

    // The printed command works as it stands.
    const command = /^curl [^]*?'$/m.exec(first.output())?.[0];
    const answer = execFileSync('/bin/sh', ['-c', command!], { encoding: 'utf8' });
    expect(JSON.parse(answer)).toMatchObject({ status: 'AUTHORIZED', action_taken: 'authorized' });

    // Mail has a place to go, and browsers one to sign in.
    const [mailbox, signIn] = [/mails {10}(\S+)/, /sign in {8}(\S+)/].map((line) => line.exec(first.output())?.[1] ?? '');
    expect(await (await fetch(mailbox!)).text()).toContain('Local mailbox');
    const away = await fetch(signIn!, { redirect: 'manual' });
    expect(await (await fetch(away.headers.get('location') ?? '')).text()).toContain('Whoever you say you are is believed');

    const refused = start();
    expect(await refused.exit).toBe(1);
    expect(refused.output()).toContain(`already runs on ${dataDir}: process ${first.pid}, http://127.0.0.1:`);

    const all = descendantsOf(first.pid);
    expect(all.length).toBeGreaterThanOrEqual(7);
    first.kill('SIGINT');
    expect(await first.exit).toBe(0);
    for (const pid of all) expect(isRunning(pid)).toBe(false);

    // npm, its shell, the service.
    const nested = ['/bin/sh', '-c', `/bin/sh -c '"${process.execPath}" "${local}"; true'; true`];
    const npm = start({ npm_lifecycle_event: 'start' }, nested);
    await npm.says(UP);
    expect(npm.output()).toContain('Demo tenant of the earlier start');
    expect(npm.output()).toContain('Invoice 001-001-000000003 is AUTHORIZED');
    const below = descendantsOf(npm.pid).filter(isNoShell);
    expect(below.length).toBeGreaterThanOrEqual(8);
    npm.kill('SIGKILL');
    for (const pid of below) await untilGone(pid);
  });

  it('goes on with what the SRI holds after kill -9 of everything', async () => {
    const first = start();
    await first.says(UP);
    const demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as DemoTenant;
    const urlsOf = (one: Local): { api: string; simulator: string } => ({
      api: /Swagger UI {5}(\S+)\/docs/.exec(one.output())![1]!,
      simulator: `http://${/SRI simulator, (\S+)/.exec(one.output())![1]!}`,
    });
    let urls = urlsOf(first);
    const act = (method: string, path: string, body?: object) => call(urls.api, method, `/documents${path}`, { apiKey: demo.api_key, body });
    const issue = async (magic: string): Promise<Accepted> => {
      const invoice = { ...exampleInvoice(demo, guayaquilDay(new Date()), '12345678'), additional_info: [{ name: 'Simulador', value: magic }] };
      const { status, body } = await act('POST', '', invoice);
      expect(status).toBe(202);
      return body as Accepted;
    };
    /** Asks the SRI until it has come to this. */
    const becomes = async (id: string, wanted: string): Promise<void> => {
      let status = '';
      for (const end = Date.now() + 60_000; status !== wanted && Date.now() < end; ) {
        await sleep(500);
        await act('POST', `/${id}/reconcile`);
        status = (await act('GET', `/${id}`)).body.status;
      }
      expect(status).toBe(wanted);
    };
    const received = async (accessKey: string): Promise<void> => {
      const state = async (): Promise<string> => (await call(urls.simulator, 'GET', `/control/ledger?access_key=${accessKey}`)).body.state;
      for (const end = Date.now() + 60_000; (await state()) !== 'in_process' && Date.now() < end; ) await sleep(100);
      expect(await state()).toBe('in_process');
    };

    const [earlier, annulled] = [await issue('slow:0'), await issue('annul')];
    await becomes(earlier.document_id, 'AUTHORIZED');
    await becomes(annulled.document_id, 'AUTHORIZED');
    expect((await act('POST', `/${earlier.document_id}/cancel`, { reason: 'Error' })).status).toBe(202);
    const underWay = await issue('in-process:20');
    await received(underWay.access_key);
    const all = [first.pid, ...descendantsOf(first.pid)];
    for (const pid of all) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
    for (const pid of all) await untilGone(pid);

    const second = start();
    await second.says(UP);
    urls = urlsOf(second);
    await becomes(underWay.document_id, 'AUTHORIZED');
    expect((await call(urls.simulator, 'GET', `/control/ledger?access_key=${underWay.access_key}`)).body).toMatchObject({ submissions: 1, authorized: 1 });
    const portal = await call(urls.simulator, 'POST', `/control/portal/${earlier.access_key}`, { body: { act: 'annul' } });
    expect(portal).toMatchObject({ status: 200, body: { annulment: 'annulled' } });
    await becomes(earlier.document_id, 'CANCELLED');
    expect((await act('POST', `/${annulled.document_id}/cancel`, { reason: 'Error' })).status).toBe(202);
    await becomes(annulled.document_id, 'CANCELLED');
  });

  it('comes up with the demo tenant of an earlier start that cannot issue any more, says what is in the way, and leaves no process behind after kill -9', async () => {
    const first = start();
    await first.says(UP);
    const demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as DemoTenant;
    const apiOf = (one: Local): string => /Swagger UI {5}(\S+)\/docs/.exec(one.output())![1]!;
    const blocked = { ...exampleInvoice(demo, guayaquilDay(new Date()), '12345678'), additional_info: [{ name: 'Simulador', value: '37' }] };
    const { body } = await call<Accepted>(apiOf(first), 'POST', '/documents', { apiKey: demo.api_key, body: blocked });
    for (let status = ''; status !== 'REJECTED'; ) {
      await sleep(100);
      status = (await call(apiOf(first), 'GET', `/documents/${body.document_id}`, { apiKey: demo.api_key })).body.status;
    }
    first.kill('SIGTERM');
    expect(await first.exit).toBe(0);

    const paused = start();
    await paused.says(UP);
    expect(paused.output()).toMatch(/Warning: the demo tenant of the earlier start cannot issue now\.\nThe invoice is \w+ and does not go on by itself\n.*ISSUER_PAUSED.*\n {2}What to do: .*\/resume/);
    const { items } = (await call(apiOf(paused), 'GET', `/issuers/${demo.issuer_id}/certificates`, { apiKey: demo.api_key })).body;
    expect((await call(apiOf(paused), 'DELETE', `/issuers/${demo.issuer_id}/certificates/${items[0].id}`, { apiKey: demo.api_key })).status).toBe(204);
    paused.kill('SIGINT');
    expect(await paused.exit).toBe(0);

    const unsigned = start();
    await unsigned.says(UP);
    expect(unsigned.output()).toMatch(/POST \/documents answered 400: .*CERTIFICATE_NOT_FOUND.*Upload a \.p12 certificate/);
    const below = descendantsOf(unsigned.pid);
    unsigned.kill('SIGKILL');
    for (const pid of below) await untilGone(pid);
  });

  it('demonstrates every type, leaves XML and PDF of each, throws its data away and ends with 0', async () => {
    const demo = start({}, [process.execPath, local, '--demo']);
    expect(await demo.exit).toBe(0);
    expect(demo.output()).toMatch(/One document of each type is AUTHORIZED, \d+\.\d s after the start/);
    const folder = /Signed XML and PDF of each are in (\S+)/.exec(demo.output())?.[1];
    expect(resolve(folder!)).toBe(join(dataDir, 'demonstration'));
    for (const { code, rootElement } of documentTypes) {
      const accessKey = new RegExp(`^ {2}${code} .*access key (\\d{49})$`, 'm').exec(demo.output())?.[1];
      const files = readdirSync(folder!).filter((file) => file.startsWith(`${code}-`)).sort();
      expect(files.map((file) => extname(file))).toEqual(['.pdf', '.xml']);
      const [pdf, xml] = files.map((file) => readFileSync(join(folder!, file)));
      expect(pdf!.subarray(0, 5).toString()).toBe('%PDF-');
      expect(xml!.toString()).toContain(`<${rootElement} `);
      expect(xml!.toString()).toContain(`<claveAcceso>${accessKey}</claveAcceso>`);
      expect(verifySignedDocument(xml!).valid).toBe(true);
    }
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
  });

  it('fails loudly when the SRI refuses the invoice', async () => {
    const sri = start({ SIMULATOR_ISSUE_WINDOW_DAYS: '0', SIMULATOR_ENVIRONMENT: '2' }, [process.execPath, local, '--demo']);
    expect(await sri.exit).toBe(1);
    expect(sri.output()).toMatch(/The invoice ended REJECTED\n {2}SRI \d+: /);
  });

  it('says which port is taken and how to choose another', async () => {
    const holder = createServer();
    await new Promise<void>((done) => holder.listen(0, '127.0.0.1', done));
    const { port } = holder.address() as AddressInfo;
    const one = start({ PORT: String(port) });
    expect(await one.exit).toBe(1);
    expect(one.output()).toContain(`Port ${port} of 127.0.0.1 is taken`);
    expect(one.output()).toContain('PORT=');
    holder.close();
    const pair = await metricsPair();
    const behind = createServer();
    await new Promise<void>((done) => behind.listen(pair + 1, '127.0.0.1', done));
    const other = start({ METRICS_PORT: String(pair) });
    expect(await other.exit).toBe(1);
    expect(other.output()).toContain(`METRICS_PORT: port ${pair + 1} is taken`);
    behind.close();
  });

  it('says in one line why a process does not start', async () => {
    const one = start({ HOST: '192.0.2.1' });
    expect(await one.exit).toBe(1);
    expect(one.output()).toMatch(/API did not start: .*HOST: 192\.0\.2\.1 is not an address of this machine/);
    expect(one.output()).not.toContain('"level"');
  });

  it('stands on the PostgreSQL, Redis, SRI and Vault that it is given, beside another API and another worker, without a gap in the numbers', async () => {
    const database = await createTestDatabase();
    const redisUrl = nextRedisUrl();
    const folder = join(dataDir, 'beside');
    const simulator = await startSimulator(0, folder);
    const vault = await TransitEngine.start();
    const tokenFile = join(dataDir, 'vault-token');
    writeFileSync(tokenFile, TRANSIT_TOKEN);
    const given = {
      DATABASE_URL: database.url, DATABASE_OWNER_URL: database.ownerUrl, REDIS_URL: redisUrl, ...sriUrls(simulator.url!), QUEUE_PREFIX: '{given}',
      MASTER_KEY_VAULT_URL: vault.url, MASTER_KEY_VAULT_TOKEN_FILE: tokenFile,
      RATE_LIMIT_ISSUE_PER_MINUTE: '100000', RATE_LIMIT_READ_PER_MINUTE: '100000', DATABASE_WAIT_SECONDS: '15',
    };
    const beside: ServiceProcess[] = [];
    try {
      const one = start({ ...given, METRICS_PORT: String(await metricsPair()) });
      await one.says(UP);
      for (const [what, url] of [['PostgreSQL of DATABASE_URL', database.url], ['Redis of REDIS_URL', redisUrl], ['SRI of SRI_RECEPTION_URL', simulator.url!]]) {
        expect(one.output()).toContain(`✓ ${what}, ${new URL(url!).host}`);
      }
      // Nothing but the API, the worker and the identity provider was started, and nothing was kept here that belongs there.
      expect(descendantsOf(one.pid).filter((pid) => parentOf(pid) === one.pid)).toHaveLength(3);
      for (const own of ['postgres', 'master-key']) expect(existsSync(join(dataDir, own))).toBe(false);

      // As docs/operating.md says: a second API and worker join by the settings in the file.
      const settings = settingsOf(readFileSync(join(dataDir, 'env'), 'utf8'));
      expect(settings).toMatchObject(given);
      expect(settings).not.toHaveProperty('METRICS_PORT');
      beside.push(await startApi({ ...settings, PORT: '0' }, folder), await startWorker(settings, folder));

      const demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as DemoTenant;
      const urls = [/Swagger UI {5}(\S+)\/docs/.exec(one.output())![1]!, beside[0]!.url!];
      const issue = (url: string) =>
        call<Accepted>(url, 'POST', '/documents', { apiKey: demo.api_key, body: exampleInvoice(demo, guayaquilDay(new Date()), '12345678') });
      const authorized = async (count: number): Promise<void> => {
        const states = () => database.query('select sequential, status from documents order by sequential');
        for (const end = Date.now() + 60_000; (await states()).some((row) => row['status'] !== 'AUTHORIZED') && Date.now() < end; ) await sleep(200);
        expect(await states()).toEqual(Array.from({ length: count }, (_unused, index) => ({ sequential: index + 1, status: 'AUTHORIZED' })));
      };
      const answers = await Promise.all(Array.from({ length: 40 }, (_unused, index) => issue(urls[index % 2]!)));
      expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(202));
      // Number 1 is the one that the start issued, when its worker was the only one.
      await authorized(41);
      for (const { body } of answers) {
        const account = await call(simulator.url!, 'GET', `/control/ledger?access_key=${body.access_key}`);
        expect(account.body).toMatchObject({ state: 'authorized', authorized: 1 });
      }

      // What was given stays when the start ends, and the others go on alone.
      one.kill('SIGINT');
      expect(await one.exit).toBe(0);
      expect((await issue(urls[1]!)).status).toBe(202);
      await authorized(42);
    } finally {
      await Promise.all([...beside, simulator].map((part) => part.stop(5_000)));
      await Promise.all(running.map((one) => (one.kill('SIGTERM'), one.exit)));
      vault.stop();
      await database.drop();
    }
  });

  it('says which given server does not answer', async () => {
    const one = start({ DATABASE_URL: 'postgresql://someone:secret@127.0.0.1:9/sello' });
    expect(await one.exit).toBe(1);
    expect(one.output()).toContain('DATABASE_URL: nobody answers at 127.0.0.1:9');
    expect(one.output()).not.toContain('secret');
  });
});

/** A free port with a free one behind it, below those that the system hands out: connections of other tests would take one in between. */
async function metricsPair(): Promise<number> {
  let port = 21_000;
  while (!(await isPortFree(port)) || !(await isPortFree(port + 1))) port += 2;
  return port;
}

/** What the file says that further processes are started with. */
function settingsOf(file: string): Record<string, string> {
  return Object.fromEntries([...file.matchAll(/^(\w+)='(.*)'$/gm)].map(([, name, value]) => [name!, value!]));
}

/** True for what runs and is no shell: PostgreSQL's own helpers come and go while one looks. */
function isNoShell(pid: number): boolean {
  const command = readProcFile(pid, 'cmdline');
  return command !== null && !command.startsWith('/bin/sh');
}
