import { Redis } from 'ioredis';
import { Business } from '../support/business.js';
import { describeWhere } from '../support/describe-where.js';
import { canCluster, RedisCluster } from '../support/redis-cluster.js';
import { type Stack, startStack } from '../support/stack.js';

const PREFIX = 'billing:{one-slot}';

describeWhere(canCluster() ? null : 'no redis-server or valkey-server on PATH', 'on a Redis Cluster of three nodes', () => {
  let cluster: RedisCluster;
  let stack: Stack;
  let business: Business;
  const monitors: Redis[] = [];
  const commands: string[][] = [];

  beforeAll(async () => {
    cluster = await RedisCluster.start();
    for (const { client } of cluster.nodes) {
      const monitor = await client.monitor();
      monitor.on('monitor', (_time: string, args: string[]) => commands.push(args));
      monitors.push(monitor);
    }
    stack = await startStack({ env: { REDIS_URL: cluster.url, REDIS_CLUSTER: 'true', QUEUE_PREFIX: PREFIX, RATE_LIMIT_AUTH_PER_MINUTE: '3' } });
    business = await Business.open(stack);
  });
  afterAll(async () => {
    for (const monitor of monitors) monitor.disconnect();
    await stack.stop();
    await cluster.stop();
  });

  const authorized = async (): Promise<string> => (await business.settled((await business.accepted()).document_id)).status;
  const slot = async (): Promise<number> => cluster.nodes[0]!.client.cluster('KEYSLOT', PREFIX);

  it('brings documents to the SRI, counts calls and is ready', async () => {
    expect(await authorized()).toBe('AUTHORIZED');
    const login = (): Promise<number> => business.call('POST', '/auth/password/forgot', { email: 'nobody@example.com' }).then(({ status }) => status);
    expect([await login(), await login(), await login(), await login()]).toEqual([202, 202, 202, 429]);
    const ready = await fetch(`${stack.apiUrl}/health/ready`);
    expect([ready.status, ((await ready.json()) as { checks: { redis: string } }).checks.redis]).toEqual([200, 'ok']);
  });

  it('puts every key and every message behind the prefix, in one slot', async () => {
    const owner = await cluster.ownerOf(await slot());
    const seen = new Set<string>();
    for (const [name = '', ...args] of [...commands]) {
      if (/^(publish|subscribe|psubscribe)$/i.test(name)) {
        seen.add(args[0] ?? '');
        continue;
      }
      // What concerns the server or the connection has no keys, and the server says so.
      const keys = (await owner.client.call('COMMAND', 'GETKEYS', name, ...args).catch(() => [])) as string[];
      for (const key of keys) seen.add(key);
    }
    expect([...seen].filter((key) => !key.startsWith(`${PREFIX}:`))).toEqual([]);
    for (const part of ['issuance:wait', 'issuance:active', 'rate:issue:', 'rate:auth:']) expect([...seen].some((key) => key.startsWith(`${PREFIX}:${part}`))).toBe(true);
    const slots = new Set(await Promise.all([...seen].map((key) => owner.client.cluster('KEYSLOT', key))));
    expect([...slots]).toEqual([await slot()]);
  });

  it('follows its keys to another node', async () => {
    await cluster.moveSlot(await slot());
    expect(await authorized()).toBe('AUTHORIZED');
    expect(await cluster.ownerOf(await slot()).then(({ client }) => client.keys(`${PREFIX}:*`))).not.toEqual([]);
  });

  it('ends in good order', async () => {
    // Where something hangs, the process ends itself with exit code 1.
    expect([await stack.killWorker(0, 'SIGTERM'), await stack.killApi(0, 'SIGTERM')]).toEqual(['signal SIGTERM', 'signal SIGTERM']);
  });
});
