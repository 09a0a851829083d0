import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { Business } from '../support/business.js';
import { FailingGateway, type GatewayFault } from '../support/failing-gateway.js';
import { type Stack, startStack } from '../support/stack.js';

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const ENTRY = join(import.meta.dirname, '../../dist/src/cli.js');

describe('the command line', () => {
  let stack: Stack;
  let business: Business;
  let folder: string;
  let sink: Server;
  let received: { headers: Record<string, string>; body: string }[];

  beforeAll(async () => {
    stack = await startStack({ env: { SRI_TIMEOUT_SECONDS: '4' } });
    business = await Business.open(stack);
    folder = mkdtempSync(join(tmpdir(), 'sello-cli-'));
    received = [];
    sink = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk)).on('end', () => {
        received.push({ headers: request.headers as Record<string, string>, body });
        response.statusCode = 204;
        response.end();
      });
    });
    await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    sink.close();
    rmSync(folder, { recursive: true, force: true });
    await stack.stop();
  });

  const environment = (env: Record<string, string> = {}) => ({ PATH: process.env['PATH'], SELLO_URL: stack.apiUrl, SELLO_API_KEY: business.apiKey, ...env });
  const sello = (words: readonly string[], env: Record<string, string> = {}): Promise<Ended> =>
    new Promise((resolve) => {
      execFile(process.execPath, [ENTRY, ...words], { cwd: folder, env: environment(env), timeout: 100_000 }, (error, out, err) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, out, err });
      });
    });
  /** As `npm run cli`, in a folder in which it is built, or is to be built, by a build of the test's own. */
  const byNpm = async (isBuilt: boolean): Promise<string> => {
    const at = mkdtempSync(join(folder, 'npm-'));
    const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as { scripts: { cli: string } };
    const build = `node -e "fs.mkdirSync('dist/src', { recursive: true }); fs.writeFileSync('dist/src/cli.js', 'console.log(1)')"`;
    writeFileSync(join(at, 'package.json'), JSON.stringify({ scripts: { cli: scripts.cli, build } }));
    if (isBuilt) {
      mkdirSync(join(at, 'dist/src'), { recursive: true });
      writeFileSync(join(at, 'dist/src/cli.js'), 'console.log(process.argv.slice(2).join())');
    }
    return (await promisify(execFile)('npm', ['run', '--silent', 'cli', '--', 'a', 'b'], { cwd: at })).stdout.trim();
  };
  const file = (name: string, content: unknown): string => {
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
    return name;
  };
  const documentsOf = async (buyer: string): Promise<string[]> =>
    (await stack.database.query<{ id: string }>('select id from documents where tenant_id = $1 and buyer_name = $2', [business.tenantId, buyer])).map(({ id }) => id);
  const sinkUrl = (): string => `http://127.0.0.1:${(sink.address() as AddressInfo).port}/hook`;
  /** What a file needs: place, date and code are filled in. */
  const short = (change: object = {}): object => {
    const { issuer_id: _i, establishment_id: _e, emission_point_id: _p, issue_date: _d, numeric_code: _n, ...rest } = business.invoice();
    return { ...rest, ...change };
  };

  it('issues a file and follows it', async () => {
    const { code, out } = await sello(['issue', file('invoice.json', short())]);
    expect([code, out]).toEqual([0, expect.stringMatching(/^idempotency key \S+\naccepted \S+\n01 001-001-\d{9}  AUTHORIZED  María Pérez  115\.00\n/)]);
    const json = await sello(['--json', 'issue', file('invoice.json', short())]);
    expect(JSON.parse(json.out)).toMatchObject({ status: 'AUTHORIZED' });
  });

  it('is built by `npm run cli` only where it is not built yet', async () => {
    expect(await byNpm(true)).toBe('a,b');
    expect(await byNpm(false)).toBe('1');
  });

  it('makes a certificate to try with, that the service takes, and writes over none', async () => {
    const made = JSON.parse((await sello(['--json', 'test-certificate', 'try.p12', '--ruc', business.ruc])).out) as Record<string, string>;
    expect(made).toEqual({ ruc: business.ruc, file: 'try.p12', password: expect.stringMatching(/^\S{12}$/) });
    const content = readFileSync(join(folder, 'try.p12'));
    const taken = await business.uploadCertificate(content, made['password']);
    expect(taken).toMatchObject({ status: 201, body: { status: 'active' } });
    expect(await sello(['test-certificate', 'try.p12'])).toMatchObject({ code: 2, err: expect.stringContaining('try.p12 cannot be written') });
    expect(await sello(['test-certificate', 'other.p12', '--ruc', '1790012345002'])).toMatchObject({ code: 2, err: expect.stringContaining('--ruc') });
    expect([existsSync(join(folder, 'other.p12')), readFileSync(join(folder, 'try.p12')).equals(content)]).toEqual([false, true]);
  });

  it('makes one document of a repeated call', async () => {
    const once = async (): Promise<string> => (JSON.parse((await sello(['--json', 'issue', 'invoice.json', '--idempotency-key', 'order-7'])).out) as { id: string }).id;
    file('invoice.json', short({ issue_date: business.invoice()['issue_date'] }));
    expect(await once()).toBe(await once());
    expect((await sello(['issue', file('undated.json', short()), '--idempotency-key', 'order-8'])).code).toBe(2);
  });

  it('repeats what got no whole answer, and makes one document of it', async () => {
    const gateway = await FailingGateway.before(stack.apiUrl);
    try {
      gateway.fail('POST /documents', 502, 'half');
      const { code, out, err } = await sello(['--json', 'issue', file('gateway.json', short({ buyer_name: 'Detrás de un proxy' }))], { SELLO_URL: gateway.url });
      expect([code, err]).toEqual([0, '']);
      expect(gateway.calls.filter((call) => call === 'POST /documents')).toHaveLength(3);
      expect(await documentsOf('Detrás de un proxy')).toEqual([(JSON.parse(out) as { id: string }).id]);
    } finally {
      gateway.stop();
    }
  });

  it.each<[string, ...GatewayFault[]]>([
    ['fails to the last', 'half', 502, 502, 502, 502],
    ['is refused at last', 'half', 401],
  ])('says with what to repeat a call of which nobody knows what it did, and takes that: it %s', async (name, ...faults) => {
    const gateway = await FailingGateway.before(stack.apiUrl);
    const buyer = `Quedó abierta: ${name}`;
    try {
      gateway.fail('POST /documents', ...faults);
      const open = await sello(['--json', 'issue', file('open.json', short({ buyer_name: buyer }))], { SELLO_URL: gateway.url });
      expect([open.code, open.out]).toEqual([3, '']);
      const { detail } = JSON.parse(open.err) as { detail: { idempotency_key: string; issue_date: string } };
      const repeated = await sello(['--json', 'issue', file('again.json', short({ buyer_name: buyer, issue_date: detail.issue_date })), '--idempotency-key', detail.idempotency_key]);
      expect([repeated.code, repeated.err]).toEqual([0, '']);
      expect(await documentsOf(buyer)).toHaveLength(1);
    } finally {
      gateway.stop();
    }
  });

  describe('interrupted while it waits for an answer', () => {
    /** Runs it before a gateway that answers no such call, and interrupts it at the first. */
    const interrupted = async (call: string, signal: NodeJS.Signals, words: readonly string[]): Promise<{ signal: NodeJS.Signals | null; err: string }> => {
      const gateway = await FailingGateway.before(stack.apiUrl);
      try {
        gateway.fail(call, 'silence');
        return await new Promise((resolve) => {
          const child = execFile(process.execPath, [ENTRY, ...words], { cwd: folder, env: environment({ SELLO_URL: gateway.url }) }, (error, _out, err) => {
            resolve({ signal: error?.signal ?? null, err });
          });
          const awaiting = setInterval(() => {
            if (!gateway.calls.some((one) => one.startsWith(call))) return;
            clearInterval(awaiting);
            child.kill(signal);
          }, 50);
        });
      } finally {
        gateway.stop();
      }
    };

    it.each(['SIGINT', 'SIGTERM'] as const)('ends at once by %s', async (signal) => {
      expect(await interrupted('GET /', signal, ['keys', 'list'])).toEqual({ signal, err: '' });
    });

    it('says with what to repeat the issuing of a document', async () => {
      const buyer = 'Interrumpida';
      const { signal, err } = await interrupted('POST /documents', 'SIGTERM', ['--json', 'issue', file('interrupted.json', short({ buyer_name: buyer }))]);
      const { exit, detail } = JSON.parse(err) as { exit: string; detail: { idempotency_key: string; issue_date: string } };
      expect([signal, exit]).toEqual(['SIGTERM', 'unanswered']);
      const again = file('interrupted-again.json', short({ buyer_name: buyer, issue_date: detail.issue_date }));
      expect(await sello(['--json', 'issue', again, '--idempotency-key', detail.idempotency_key])).toMatchObject({ code: 0, err: '' });
      expect(await documentsOf(buyer)).toHaveLength(1);
    });
  });

  it('tells what is wrong, and ends as it went', async () => {
    const refused = await sello(['issue', file('wrong.json', short({ total: 'x', buyer_nmae: 'y' }))]);
    expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/^VALIDATION_FAILED: .*\n {2}buyer_nmae: .*\n {2}total: /)]);
    const dry = await sello(['issue', '--dry-run', file('rules.json', short({ total: '999.00' }))]);
    expect([dry.code, dry.out]).toEqual([1, expect.stringMatching(/^not valid\n {2}\/total \[/)]);
    expect((await sello(['issue', '--dry-run', 'invoice.json'])).out).toMatch(/^valid/);
    expect((await sello(['issue', 'nowhere.json'])).code).toBe(2);
    expect((await sello(['issue', file('no.json', '{')])).code).toBe(2);
    expect((await sello(['status'], { SELLO_URL: 'http://127.0.0.1:9' })).code).toBe(3);
    expect(await sello(['status'], { SELLO_API_KEY: 'svc_test_nobody' })).toMatchObject({ code: 1, err: expect.stringContaining('UNAUTHENTICATED') });
    expect(await sello(['status'], { SELLO_API_KEY: '' })).toMatchObject({ code: 2, err: expect.stringContaining('no API key') });
  });

  it.each(['', 'localhost:3000', 'sello.example.com', 'http://sello.example.com:99999'])('takes the address "%s" for wrong use', async (url) => {
    expect(await sello(['--url', url, 'status'])).toMatchObject({ code: 2, err: expect.stringContaining(`${JSON.stringify(url)} is no address`) });
  });

  it('triggers outcomes at the simulator', async () => {
    expect((await sello(['trigger', 'lost-answer'])).code).toBe(0);
    const rejected = await sello(['--json', 'trigger', 'rejected']);
    expect([rejected.code, JSON.parse(rejected.out)]).toMatchObject([4, { status: 'REJECTED', sri_messages: expect.arrayContaining([expect.objectContaining({ identifier: '52' })]) }]);
    expect((await sello(['trigger', 'in-process:60', '--wait', '1'])).code).toBe(5);
    expect((await sello(['trigger', 'rejected'], { SELLO_API_KEY: 'svc_live_x' })).code).toBe(2);
    const invoices = async (): Promise<unknown> => (await business.call('GET', '/documents?page_size=1')).body['total'];
    const before = await invoices();
    for (const nothing of ['nope', '', 'in-process:soon']) expect(await sello(['trigger', nothing])).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/is no outcome.*lost-answer.*\n.*timeout-before/) });
    expect(await invoices()).toBe(before);
  });

  it('shows how a document and the service stand', async () => {
    const { document_id, access_key } = await business.accepted();
    await business.settled(document_id);
    for (const name of [document_id, access_key]) expect((await sello(['status', name])).out).toMatch(/history\n(?:.*\n)*.*authorized\s+AUTHORIZED/);
    const all = await sello(['--json', 'status']);
    expect([all.code, JSON.parse(all.out)]).toMatchObject([0, { ready: true, documents: { REJECTED: expect.any(Number) } }]);
  });

  it('says what a person has to do where a pause holds documents up, and does not wait for it', async () => {
    const paused = await Business.open(stack);
    const first = await paused.accepted();
    await paused.settled(first.document_id);
    const [pause] = await stack.database.query<{ id: string }>(
      `insert into issuing_pauses (tenant_id, id, scope, issuer_id, code, document_id, created_at)
       select tenant_id, gen_random_uuid(), 'issuer', issuer_id, '57', id, now() from documents where id = $1 returning id`, [first.document_id]);
    const act = `POST /issuers/${paused.issuerId}/pauses/${pause!.id}/resume`;
    const key = { SELLO_API_KEY: paused.apiKey };
    // The wait is longer than the test may take.
    const { code, out, err } = await sello(['issue', file('paused.json', short()), '--wait', '600'], key);
    expect([code, out]).toEqual([4, expect.stringMatching(/RECEPTION_PENDING(?:.*\n)*.*ISSUER_PAUSED/)]);
    expect(err).toMatch(/does not go on before somebody acts: .*pause/);
    expect(err).toContain(act);
    expect((await sello(['status'], key)).out).toMatch(new RegExp(`${paused.ruc} paused since .*: SRI 57, issuer; documents that wait: 1\n.*${act}`));
    expect((await paused.call('POST', `/issuers/${paused.issuerId}/pauses/${pause!.id}/resume`)).status).toBe(200);
    expect(JSON.parse((await sello(['--json', 'status'], key)).out)).toMatchObject({ held_up: [] });
  });

  it('makes, lists and ends keys', async () => {
    const made = JSON.parse((await sello(['--json', 'keys', 'create', 'Caja 9'])).out) as { id: string; key: string };
    expect((await sello(['keys', 'list'])).out).toContain('Caja 9');
    expect((await sello(['keys', 'revoke', made.id])).code).toBe(0);
    expect((await sello(['keys', 'list'], { SELLO_API_KEY: made.key })).err).toContain('UNAUTHENTICATED');
  });

  it('makes no key that would surely be lost, and says which one was lost all the same', async () => {
    const printedTo = (where: string): Promise<Ended> =>
      new Promise((resolve) => {
        execFile('sh', ['-c', `${process.execPath} ${ENTRY} keys create Lost ${where}`], { cwd: folder, env: environment() }, (error, out, err) => resolve({ code: Number(error?.code ?? 0), out, err }));
      });
    const made = async (): Promise<string[]> => (await stack.database.query<{ id: string }>(`select id from api_keys where tenant_id = $1 and name = 'Lost'`, [business.tenantId])).map(({ id }) => id);
    for (const where of ['>&-', '> /dev/null']) expect(await printedTo(where)).toEqual({ code: 2, out: '', err: 'standard output is closed or leads nowhere: the key would be lost, so nothing was made\n' });
    expect(await made()).toEqual([]);
    const lost = await printedTo('> /dev/full');
    expect(await made()).toHaveLength(1);
    expect(lost).toEqual({ code: 1, out: '', err: `the key ${(await made())[0]} was made, but could not be printed: revoke it\n` });
  });

  it('lists every key, also of a tenant that has changed them for years', async () => {
    await stack.database.query(`
      insert into api_keys (tenant_id, id, name, prefix, key_hash, environment, created_at, revoked_at)
      select tenant_id, gen_random_uuid(), 'Caja vieja ' || n, prefix, sha256(n::text::bytea), environment, created_at - n * interval '1 day', created_at
      from api_keys, generate_series(1, 205) n where tenant_id = $1 and name = 'Caja 9'`, [business.tenantId]);
    const { out } = await sello(['keys', 'list']);
    expect(out.match(/Caja vieja \d+/g)).toHaveLength(205);
    expect(out).toContain('Caja vieja 205');
  });

  it('makes a tenant with the settings of the service, and says what is missing without them', async () => {
    const settings = {
      APP_ENV: 'local', DATABASE_URL: stack.databaseUrl, DATABASE_OWNER_URL: stack.ownerUrl, REDIS_URL: stack.redisUrl, MASTER_KEY: Buffer.alloc(32).toString('base64'),
      SRI_RECEPTION_URL: 'http://127.0.0.1:9/r', SRI_AUTHORIZATION_URL: 'http://127.0.0.1:9/a',
    };
    const made = JSON.parse((await sello(['--json', 'tenants', 'create', '--name', 'Nueva'], settings)).out) as { api_key: string };
    expect((await sello(['keys', 'list'], { SELLO_API_KEY: made.api_key })).code).toBe(0);
    expect(await sello(['tenants', 'create', '--name', 'Nueva'])).toMatchObject({ code: 2, err: expect.stringContaining('DATABASE_URL') });
  });

  it('helps, and says what it did not understand', async () => {
    expect(await sello(['--help'])).toMatchObject({ code: 0, out: expect.stringContaining('Exit codes: 0 done') });
    expect((await sello(['isue', 'x'])).err).toContain('Did you mean issue?');
    expect((await sello(['isue', 'x'])).code).toBe(2);
  });

  describe('listens', () => {
    const started: ChildProcess[] = [];
    afterAll(() => started.forEach((one) => one.kill('SIGKILL')));

    /** A listener that has told that it listens. */
    const listening = async (...words: string[]): Promise<{ output: () => string; until: (pattern: RegExp) => Promise<void>; ended: Promise<number | null>; process: ChildProcess }> => {
      const child = spawn(process.execPath, [ENTRY, 'listen', ...words], { cwd: folder, env: environment() });
      started.push(child);
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
      const until = async (pattern: RegExp): Promise<void> => {
        for (const end = Date.now() + 60_000; !pattern.test(text); await new Promise((resolve) => setTimeout(resolve, 50))) if (Date.now() > end) throw new Error(`${String(pattern)} never came:\n${text}`);
      };
      await until(/Listening/);
      return { output: () => text, until, ended, process: child };
    };

    it('to events as they happen, sends them on signed as webhooks are, and ends when it is told to', async () => {
      const listener = await listening('--forward-to', sinkUrl(), '--type', 'document.authorized', '--count', '1');
      const { document_id } = await business.accepted();
      expect(await listener.ended).toBe(0);
      expect(listener.output()).toMatch(new RegExp(`document\\.authorized  01 .* AUTHORIZED ${document_id}  → 204`));
      const secret = /signed with (whsec_\S+)/.exec(listener.output())?.[1] ?? '';
      const [message] = received;
      expect(new Webhook(secret).verify(message?.body ?? '', message?.headers ?? {})).toMatchObject({ type: 'document.authorized', data: { document: { id: document_id } } });
    });

    it('until Ctrl-C, over a service that comes back', async () => {
      const listener = await listening();
      await business.settled((await business.accepted()).document_id);
      await listener.until(/document\.authorized/);
      listener.process.kill('SIGINT');
      expect(await listener.ended).toBe(0);
    });

    it('on where it was, when what stands before the service fails for a while, and says where when it may no longer', async () => {
      const gateway = await FailingGateway.before(stack.apiUrl);
      try {
        const listener = await listening('--url', gateway.url);
        gateway.fail('GET /events/stream', 503, 502, 'half');
        gateway.drop();
        const { document_id } = await business.accepted();
        await listener.until(new RegExp(`document\\.authorized .* ${document_id}`));
        gateway.fail('GET /events/stream', 401);
        gateway.drop();
        expect(await listener.ended).toBe(1);
        expect(listener.output()).toMatch(/--cursor \S+ goes on here/);
        expect(await sello(['listen', '--cursor', 'nowhere'])).toMatchObject({ code: 1, err: expect.not.stringContaining('goes on here') as string });
      } finally {
        gateway.stop();
      }
    });

    it('and sends past events once more', async () => {
      const { document_id } = await business.accepted();
      await business.settled(document_id);
      await business.listed(`document_id=${document_id}`);
      received.length = 0;
      const { code, out } = await sello(['replay', '--forward-to', sinkUrl(), '--document', document_id]);
      expect([code, received.length]).toEqual([0, 1]);
      expect(out).toContain('→ 204');
      expect((await sello(['replay'])).code).toBe(2);
      received.length = 0;
      for (const unread of [
        ['--forward-to', sinkUrl(), '--from', '2030-01-01T00:00:00Z'],
        ['--forward-to', sinkUrl(), '--webhook', document_id],
        ['--webhook', document_id, '--from', '2020-01-01T00:00:00Z', '--to', '2030-01-01T00:00:00Z', '--document', document_id],
        ['--webhook', document_id, '--delivery', document_id, '--type', 'document.authorized'],
      ]) expect(await sello(['replay', ...unread])).toMatchObject({ code: 2, err: expect.stringContaining('nothing was sent') as string });
      expect(received).toEqual([]);
      expect((await sello(['replay', '--forward-to', 'http://127.0.0.1:9/', '--document', document_id])).code).toBe(1);
    });
  });
});
