import { Cluster, type RedisOptions } from 'ioredis';
import type { Settings } from '../../config/settings.js';
import { leaveDemoted } from './demoted.js';

type ClusterSettings = Pick<Settings, 'REDIS_URL'>;

/** How a client on a cluster differs from the usual one. */
export interface ClusterOptions {
  /** Options of the connection to each node. */
  readonly node: RedisOptions;
  /** Whether commands wait while the cluster cannot be reached. */
  readonly offlineQueue: boolean;
}

/**
 * A client on the Redis Cluster whose nodes REDIS_URL lists: it asks them for all others and follows what they say about
 * moved slots. Every key of the service begins with QUEUE_PREFIX and so lies in one slot: scripts and transactions over
 * several keys work, and the cluster is there to survive a lost node, not to spread the load.
 */
export function openRedisCluster({ REDIS_URL }: ClusterSettings, { node, offlineQueue }: ClusterOptions): Cluster {
  const nodes = REDIS_URL.split(',').map((url) => new URL(url.trim()));
  const [first] = nodes;
  const isEncrypted = first?.protocol === 'rediss:';
  return new Cluster(nodes.map(({ hostname, port }) => ({ host: hostname, port: Number(port || 6379) })), {
    enableOfflineQueue: offlineQueue,
    // Certificates are for names; looked up here, nodes would be reached by address.
    ...(isEncrypted ? { dnsLookup: (address: string, answer: (error: null, address: string) => void): void => answer(null, address) } : {}),
    clusterRetryStrategy: (times: number) => Math.min(times * 200, 3_000),
    redisOptions: {
      reconnectOnError: leaveDemoted,
      ...node,
      ...(first?.username ? { username: decodeURIComponent(first.username) } : {}),
      ...(first?.password ? { password: decodeURIComponent(first.password) } : {}),
      ...(isEncrypted ? { tls: {} } : {}),
    },
  });
}
