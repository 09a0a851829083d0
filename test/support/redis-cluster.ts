import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort, isPortFree } from '../../src/platform/embedded/free-port.js';
import { startGuarded, type GuardedProcess } from '../../src/platform/embedded/guarded-process.js';
import { findRedis } from '../../src/platform/embedded/redis.js';

const SLOTS = 16_384;
/** A node talks to the others on its port and this more. */
const BUS = 10_000;

interface Node {
  readonly url: string;
  readonly client: Redis;
  readonly server: GuardedProcess;
}

/** Whether a server on PATH can be a node of a cluster; the one in JavaScript cannot. */
export const canCluster = (): boolean => findRedis(process.env['PATH'] ?? '').kind !== 'js-redis-server';

/** A real Redis Cluster of three nodes without replicas, to throw away. */
export class RedisCluster {
  private constructor(readonly nodes: readonly Node[]) {}

  static async start(): Promise<RedisCluster> {
    const cluster = new RedisCluster(await Promise.all([0, 1, 2].map(startNode)));
    try {
      await cluster.join();
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** Addresses of all nodes as REDIS_URL takes them. */
  get url(): string {
    return this.nodes.map(({ url }) => url).join(',');
  }

  /** The node that holds a slot. */
  async ownerOf(slot: number): Promise<Node> {
    const [first] = this.nodes;
    const ranges = (await first?.client.cluster('SLOTS')) ?? [];
    const port = ranges.find(([from, to]) => from <= slot && slot <= to)?.[2]?.[1];
    const owner = this.nodes.find(({ url }) => url.endsWith(`:${port}`));
    if (owner === undefined) throw new Error(`nobody holds slot ${slot}`);
    return owner;
  }

  /** Gives an emptied slot to another node, as when a cluster is balanced anew. */
  async moveSlot(slot: number): Promise<void> {
    const from = await this.ownerOf(slot);
    const to = this.nodes.find((node) => node !== from);
    if (to === undefined) throw new Error('a cluster of one node moves no slot');
    const [fromId, toId] = [await from.client.cluster('MYID'), await to.client.cluster('MYID')];
    const set = ({ client }: Node, ...how: string[]): Promise<unknown> => client.call('CLUSTER', 'SETSLOT', String(slot), ...how);
    // Whoever imports a slot takes it with a higher epoch: else the former owner, who still claims it for a moment, may win it back.
    await set(to, 'IMPORTING', fromId);
    await set(from, 'MIGRATING', toId);
    await from.client.flushall();
    for (const node of [to, ...this.nodes.filter((other) => other !== to)]) await set(node, 'NODE', toId);
    while ((await this.ownerOf(slot)) === from) await sleep(50);
  }

  async stop(): Promise<void> {
    for (const { client } of this.nodes) client.disconnect();
    await Promise.all(this.nodes.map(({ server }) => server.stop()));
  }

  private async join(): Promise<void> {
    const share = Math.ceil(SLOTS / this.nodes.length);
    await Promise.all(this.nodes.map(async ({ client }, place) => {
      const slots = Array.from({ length: Math.min(share, SLOTS - place * share) }, (_, slot) => place * share + slot);
      await client.cluster('ADDSLOTS', ...slots);
      await client.call('CLUSTER', 'SET-CONFIG-EPOCH', String(place + 1));
    }));
    const [first, ...others] = this.nodes;
    for (const { url } of others) await first?.client.call('CLUSTER', 'MEET', '127.0.0.1', new URL(url).port);
    const until = Date.now() + 90_000;
    while (!(await this.agrees())) {
      if (Date.now() > until) throw new Error('the nodes of the Redis Cluster did not find together');
      await sleep(50);
    }
  }

  private async agrees(): Promise<boolean> {
    const views = await Promise.all(this.nodes.map(async ({ client }) => [await client.cluster('INFO'), await client.cluster('SLOTS')] as const));
    return views.every(([info, slots]) => info.includes('cluster_state:ok') && slots.length === this.nodes.length);
  }
}

async function startNode(): Promise<Node> {
  let port = await freePort();
  while (port + BUS > 65_535 || !(await isPortFree(port + BUS))) port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'sello-redis-cluster-'));
  const server = await startGuarded({
    command: findRedis(process.env['PATH'] ?? '').command,
    args: ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder, '--cluster-enabled', 'yes', '--cluster-node-timeout', '5000'],
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    logFile: join(folder, 'redis.log'),
    stopSignal: 'SIGTERM', hardStopSignal: 'SIGKILL', graceMs: 5_000,
    removeAfterwards: [folder],
  });
  const client = new Redis(port, '127.0.0.1');
  client.on('error', () => undefined);
  await client.ping();
  return { url: `redis://127.0.0.1:${port}`, client, server };
}
