import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import Queue from 'bull';
import { Redis } from 'ioredis';
import type { ServiceProcess } from '../../src/local/service-process.js';
import { freePort } from '../../src/platform/embedded/free-port.js';
import { startEmbeddedRedis } from '../../src/platform/embedded/redis.js';
import type { Accepted } from '../support/business.js';
import { type Answer, call } from '../support/http.js';
import { checkLedgers } from '../support/ledger-checker.js';
import { ServiceRig } from '../support/service-rig.js';
import { invoiceBody, openTenant, type Place } from '../support/tenants.js';

const PREFIX = '{redis-faults}';
const FINAL = ['AUTHORIZED', 'REJECTED', 'FAILED_PERMANENT', 'MANUAL_REVIEW_REQUIRED'];

/** Redis only rings the bell: whatever becomes of it, documents are accepted and issued, without it while it is away. */
describe('Redis', () => {
  let rig: ServiceRig;
  let api: ServiceProcess;
  let worker: ServiceProcess;
  let place: Place;
  let serial = 0;

  beforeAll(async () => {
    rig = await ServiceRig.start(
      {
        METRICS_PORT: '0', RELAY_PATIENCE_SECONDS: '1', RECEPTION_LADDER: '0.5,1', AUTHORIZATION_LADDER: '0.3,0.5,1', QUEUE_PREFIX: PREFIX,
        // A machine busy with other tests is no reason for a 503, nor to lose a document that is worked at.
        DATABASE_WAIT_SECONDS: '15', LEASE_SECONDS: '10', SRI_TIMEOUT_SECONDS: '5',
      },
      { SIMULATOR_PROCESSING_MS: '0-100' },
    );
    [api, worker] = await Promise.all([rig.startApi(), rig.startWorker()]);
    place = (await openTenant(rig.ownerUrl, api.url ?? '', 1))[0]!;
  });
  afterAll(async () => rig.stop());
  afterEach(async () => {
    rig.proxies.redis.clear();
    await rig.proxies.redis.up();
  });

  const post = (apiUrl = api.url ?? ''): Promise<Answer<Accepted>> => {
    serial += 1;
    return call<Accepted>(apiUrl, 'POST', '/documents', { apiKey: place.apiKey, body: invoiceBody(place, String(30_000_000 + serial)) });
  };
  const accepted = async (count: number, apiUrl?: string): Promise<string[]> => {
    const answers = await Promise.all(Array.from({ length: count }, () => post(apiUrl)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
    return answers.map(({ body }) => body.document_id);
  };
  const statuses = async (ids: readonly string[]): Promise<string[]> =>
    (await rig.query<{ status: string }>('select status from documents where id = any ($1)', [ids])).map(({ status }) => status);
  /** All authorized; the time limit is far beyond what a mended service needs. */
  const expectAuthorized = async (ids: readonly string[], seconds = 60): Promise<void> => {
    const until = Date.now() + seconds * 1_000;
    while (Date.now() < until && !(await statuses(ids)).every((status) => FINAL.includes(status))) await sleep(200);
    const reached = await statuses(ids);
    if (reached.some((status) => status !== 'AUTHORIZED')) throw new Error(`${reached.join(', ')}\n${rig.logs()}`);
    expect(reached).toHaveLength(ids.length);
  };
  const withRedis = async <T>(work: (client: Redis) => Promise<T>, password?: string): Promise<T> => {
    const client = new Redis(rig.redisUrl, password === undefined ? {} : { password });
    try {
      return await work(client);
    } finally {
      client.disconnect();
    }
  };
  const health = async (url: string | null): Promise<{ http: number; redis: string }> => {
    const { status, body } = await call<{ checks: { redis: string } }>(url ?? '', 'GET', '/health/ready');
    return { http: status, redis: body.checks.redis };
  };

  it('without the database that its number names, where it was away at the start: whoever would go on in database 0 ends', async () => {
    const port = await freePort();
    const ofNoDatabase = { REDIS_URL: `redis://127.0.0.1:${port}/9999` };
    const started = await Promise.all([rig.startApi(ofNoDatabase), rig.startWorker(ofNoDatabase)]);
    const redis = await startEmbeddedRedis({ port });
    try {
      expect(await Promise.all(started.map(({ ended }) => ended))).toEqual(['exit code 75', 'exit code 75']);
      expect(rig.logs()).toMatch(/REDIS_URL: ERR .*out of range; this process ends/);
    } finally {
      await redis.stop();
    }
  });

  it('down: documents are accepted and issued without it, and with it again when it is back', async () => {
    await rig.proxies.redis.down();
    // More than a worker takes in hand at once: it goes on as it gets done.
    const ids = await accepted(60);
    expect(await health(api.url)).toEqual({ http: 200, redis: 'degraded' });
    for (const { metricsUrl } of [api, worker]) expect(await (await fetch(`${metricsUrl ?? ''}/metrics`)).text()).toContain('sello_redis_reachable 0');
    await expectAuthorized(ids);
    await rig.proxies.redis.up();
    const until = Date.now() + 60_000;
    while (!readFileSync(worker.logFile, 'utf8').includes('Redis takes jobs again')) {
      if (Date.now() > until) throw new Error(`the worker never rang again\n${rig.logs()}`);
      await expectAuthorized(await accepted(1));
    }
  });

  it('down when processes start: they start, accept and issue, and a worker that is stopped ends without it', async () => {
    await rig.proxies.redis.down();
    const [late, lateWorker] = await Promise.all([rig.startApi(), rig.startWorker()]);
    expect(await health(late.url)).toEqual({ http: 200, redis: 'degraded' });
    worker.kill('SIGTERM');
    expect(await worker.ended).toBe('signal SIGTERM');
    await expectAuthorized(await accepted(3, late.url ?? ''));
    await rig.proxies.redis.up();
    await expectAuthorized(await accepted(3, late.url ?? ''));
    worker = lateWorker;
  });

  it('restarted while nothing happens: the same worker goes on', async () => {
    await expectAuthorized(await accepted(1));
    for (let round = 0; round < 2; round += 1) {
      await rig.killRedis();
      await sleep(500);
      await rig.startRedis();
      await expectAuthorized(await accepted(3), 30);
    }
    expect(await Promise.race([worker.ended, sleep(0, 'runs')])).toBe('runs');
  }, 150_000);

  it('restarted again and again while documents are under way: the same worker goes on', async () => {
    const ids: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      ids.push(...(await accepted(10)));
      await rig.killRedis();
      ids.push(...(await accepted(5)));
      await rig.startRedis();
    }
    await expectAuthorized(ids);
    expect(await Promise.race([worker.ended, sleep(0, 'runs')])).toBe('runs');
  }, 150_000);

  it('a black hole: no caller waits for it, and work goes on in it and when it ends', async () => {
    await expectAuthorized(await accepted(1));
    rig.proxies.redis.add({ kind: 'timeout' });
    await expectAuthorized(await accepted(20));
    rig.proxies.redis.clear();
    await expectAuthorized(await accepted(3));
  });

  it('connections that fall silent for ever are made anew', async () => {
    await expectAuthorized(await accepted(1));
    rig.proxies.redis.forget();
    await expectAuthorized(await accepted(5));
  });

  it('PostgreSQL connections that fall silent for ever are made anew', async () => {
    const before = await accepted(5);
    rig.proxies.postgres.forget();
    const during = post();
    await expectAuthorized(before);
    const answer = await during;
    expect([202, 503]).toContain(answer.status);
    await expectAuthorized(await accepted(3));
  });

  describe('with a password that the service does not know', () => {
    const SECRET = 'canary-password';
    /** Redis asks for it from now on, and of those who were connected before. */
    const demand = (password: string): Promise<void> =>
      withRedis(async (client) => {
        await client.config('SET', 'requirepass', password);
        await Promise.all(['normal', 'pubsub'].map((kind) => client.client('KILL', 'TYPE', kind, 'SKIPME', 'yes')));
      });
    const expectRunning = async (...processes: readonly ServiceProcess[]): Promise<void> => {
      const ended = await Promise.race([...processes.map(({ ended }) => ended), sleep(0, null)]);
      if (ended !== null) throw new Error(`a process ended: ${ended}\n${rig.logs()}`);
    };
    const change = (from: string, to: string): Promise<unknown> => withRedis((client) => client.config('SET', 'requirepass', to), from);

    it('taken up while documents are under way: no process ends, and they are issued when it is lifted', async () => {
      const before = await accepted(10);
      await demand(SECRET);
      await expectAuthorized([...before, ...(await accepted(5))]);
      await expectRunning(api, worker);
      await change(SECRET, '');
      await expectAuthorized(await accepted(3));
    }, 150_000);

    it('known wrongly when processes start: they start, tell no secret, and go on when it is right', async () => {
      await demand(SECRET);
      const url = new URL(rig.proxies.redis.inFrontOf(rig.redisUrl));
      url.password = `wrong-${SECRET}`;
      const [late, lateWorker] = await Promise.all([rig.startApi({ REDIS_URL: url.href }), rig.startWorker({ REDIS_URL: url.href })]);
      worker.kill('SIGKILL');
      await expectAuthorized(await accepted(3, late.url ?? ''));
      await expectRunning(late, lateWorker);
      const words = [late, lateWorker].map(({ logFile }) => readFileSync(logFile, 'utf8')).join('');
      expect(words).toContain('REDIS_URL: Redis refuses commands');
      expect(words).not.toContain(SECRET);
      await change(SECRET, url.password);
      await expectAuthorized(await accepted(3, late.url ?? ''));
      worker = lateWorker;
      await change(url.password, '');
    }, 150_000);
  });

  it('out of memory: as if it were down', async () => {
    await withRedis((client) => client.config('SET', 'maxmemory', '1mb', 'maxmemory-policy', 'noeviction'));
    await expectAuthorized(await accepted(5));
    await withRedis((client) => client.config('SET', 'maxmemory', '0'));
    await expectAuthorized(await accepted(5));
  });

  it('read only, with a full queue from which no worker can take: as if it were down', async () => {
    // Nobody doubts Redis any more for what befell it before.
    await expectAuthorized(await accepted(1));
    const told = (): string => readFileSync(worker.logFile, 'utf8');
    const trusts = (): boolean => told().lastIndexOf('Redis takes jobs again') >= told().lastIndexOf('Redis takes no jobs');
    while (!trusts()) await expectAuthorized(await accepted(1));
    worker.kill('SIGSTOP');
    const queue = new Queue('issuance', rig.redisUrl, { prefix: PREFIX });
    await queue.addBulk(Array.from({ length: 100 }, () => ({ name: 'advance', data: {}, opts: { removeOnComplete: true, removeOnFail: true } })));
    // What a replica does whose primary is gone.
    await withRedis((client) => client.replicaof('127.0.0.1', 1));
    worker.kill('SIGCONT');
    await expectAuthorized(await accepted(5));
    expect(await health(api.url)).toEqual({ http: 200, redis: 'degraded' });
    expect(await queue.getWaitingCount()).toBeGreaterThan(50);
    expect(trusts()).toBe(false);
    await withRedis((client) => client.replicaof('NO', 'ONE'));
    await queue.close();
    await expectAuthorized(await accepted(5));
    expect(await Promise.race([worker.ended, sleep(0, 'runs')])).toBe('runs');
  }, 150_000);

  it('read only, with an empty queue: what it refuses is not taken for rung', async () => {
    await expectAuthorized(await accepted(1));
    await withRedis((client) => client.replicaof('127.0.0.1', 1));
    await expectAuthorized(await accepted(5));
    await withRedis((client) => client.replicaof('NO', 'ONE'));
    await expectAuthorized(await accepted(5));
  }, 150_000);

  it('its scripts are lost while connections stay: they are brought again', async () => {
    await expectAuthorized(await accepted(1));
    await withRedis((client) => client.script('FLUSH'));
    await expectAuthorized(await accepted(5));
    const trusts = (): boolean => {
      const told = readFileSync(worker.logFile, 'utf8');
      return told.lastIndexOf('Redis takes jobs again') >= told.lastIndexOf('Redis takes no jobs');
    };
    while (!trusts()) await expectAuthorized(await accepted(1));
  }, 150_000);

  it('its primary moves, and the node that was it stays up and only reads: every process leaves it', async () => {
    const signIn = (): Promise<Answer<unknown>> => call(api.url ?? '', 'POST', '/auth/login', { body: { email: 'nobody@example.com', password: 'cuatro palabras al azar' } });
    await expectAuthorized(await accepted(1));
    expect((await signIn()).status).toBe(401);
    const before = new URL(rig.redisUrl);
    const next = await startEmbeddedRedis();
    try {
      rig.proxies.redis.leadTo({ host: '127.0.0.1', port: Number(new URL(next.url).port) });
      await withRedis((client) => client.replicaof('127.0.0.1', 1));
      const ids = await accepted(5);
      let answer = await signIn();
      for (const until = Date.now() + 60_000; answer.status === 503 && Date.now() < until; answer = await signIn()) await sleep(500);
      expect(answer.status).toBe(401);
      await expectAuthorized(ids);
      while ((await health(api.url)).redis !== 'ok') await sleep(200);
    } finally {
      rig.proxies.redis.leadTo({ host: '127.0.0.1', port: Number(before.port) });
      await withRedis((client) => client.replicaof('NO', 'ONE'));
      rig.proxies.redis.resetAll();
      await next.stop();
    }
    await expectAuthorized(await accepted(5));
  }, 150_000);

  it('jobs that are foreign, empty, repeated or of an unknown name: dropped, and the worker lives', async () => {
    const first = await accepted(1);
    await expectAuthorized(first);
    const [known] = await rig.query<{ tenant_id: string; versions: string }>('select tenant_id, version as versions from documents where id = $1', first);
    const queue = new Queue('issuance', rig.redisUrl, { prefix: PREFIX });
    const payloads = [
      {}, null, 'text', [], { tenantId: 'x', documentId: 'y' }, { tenantId: randomUUID(), documentId: randomUUID() },
      { tenantId: randomUUID(), documentId: first[0] }, { tenantId: known?.tenant_id, documentId: randomUUID() },
      { tenantId: known?.tenant_id, documentId: first[0] }, { tenantId: known?.tenant_id, documentId: first[0] },
      { tenantId: { $ne: null }, documentId: ['1'] },
    ];
    for (const payload of payloads) await queue.add('advance', payload, { removeOnComplete: true, removeOnFail: true });
    await queue.add('unknown', {}, { removeOnComplete: true, removeOnFail: true });
    await queue.add({}, { removeOnComplete: true, removeOnFail: true });
    while ((await queue.getWaitingCount()) > 0) await sleep(50);
    await queue.close();
    await expectAuthorized(await accepted(3));
    expect(await rig.query('select tenant_id, version as versions from documents where id = $1', first)).toEqual([known]);
    expect(await Promise.race([worker.ended, sleep(0, 'runs')])).toBe('runs');
  });

  it('jobs taken away by hand: their documents are issued all the same', async () => {
    const ids: string[] = [];
    for (let round = 0; round < 10; round += 1) {
      ids.push(...(await accepted(2)));
      await withRedis(async (client) => {
        const keys = await client.keys(`${PREFIX}:issuance:*`);
        const jobs = keys.filter((key) => key.includes('-') || key.endsWith(':wait'));
        if (jobs.length > 0) await client.del(...jobs);
      });
    }
    await expectAuthorized(ids);
  });

  it('leaves every ledger in agreement', async () => {
    expect(await checkLedgers({ query: rig.query, simulatorUrl: rig.simulatorUrl, quiescent: true })).toEqual([]);
  });
});
