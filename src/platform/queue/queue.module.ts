import { BullModule, InjectQueue } from '@nestjs/bull';
import { Global, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Queue, QueueOptions } from 'bull';
import { type Cluster, Redis } from 'ioredis';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { DueWork } from '../outbox/due-work.js';
import { StepGates } from '../outbox/step-gates.js';
import { endToStartAnew } from '../process.js';
import { leaveDemoted } from './demoted.js';
import { ISSUANCE_QUEUE, IssuanceBell } from './issuance-bell.js';
import { QueueWatchdog } from './queue-watchdog.js';
import { openRedisCluster } from './redis-cluster.js';
import { hasNoSuchDatabase, refuseUnknownDatabase } from './redis-database.js';

/**
 * A connection that swallows a command for so long is given up and made anew: a
 * router may have forgotten it. Bull's longest wait for a job is 5 seconds. The clock of a connection that is lost runs on in
 * ioredis and may end, once, the one that replaced it; a job that goes under is found again by what is due in PostgreSQL.
 */
const SILENCE_MS = 10_000;

/** Connections that Bull was given and hence does not close itself. */
const given: Cluster[] = [];

const CONNECTION = { maxRetriesPerRequest: null, enableReadyCheck: false, socketTimeout: SILENCE_MS, reconnectOnError: leaveDemoted };

function redisOf(settings: Settings): QueueOptions {
  if (settings.REDIS_CLUSTER) {
    return {
      createClient: () => {
        const cluster = openRedisCluster(settings, { node: CONNECTION, offlineQueue: true });
        given.push(cluster);
        return cluster;
      },
    };
  }
  // Bull itself would take rediss: for redis: and send the password in clear: the address is read as all other clients read it.
  const address = new Redis(settings.REDIS_URL, { lazyConnect: true }).options;
  return { redis: { ...address, ...CONNECTION, lazyConnect: false, retryStrategy: (times: number) => Math.min(times * 200, 3_000) } };
}

/** Bull over Redis: only the bell that wakes a worker. */
@Global()
@Module({
  imports: [
    BullModule.forRootAsync({
      inject: [SETTINGS],
      useFactory: async (settings: Settings) => {
        await refuseUnknownDatabase(settings);
        return {
          ...redisOf(settings),
          prefix: settings.QUEUE_PREFIX,
          settings: { lockDuration: 30_000, stalledInterval: 30_000, maxStalledCount: 1 },
        };
      },
    }),
    BullModule.registerQueue({ name: ISSUANCE_QUEUE }),
  ],
  providers: [IssuanceBell, DueWork, StepGates, QueueWatchdog],
  exports: [IssuanceBell, DueWork, StepGates, QueueWatchdog, BullModule],
})
export class QueueModule implements OnApplicationShutdown {
  private readonly log = new Logger(QueueModule.name);

  constructor(@InjectQueue(ISSUANCE_QUEUE) private readonly queue: Queue) {
    // Redis was away when the process started, or another one stands in its place.
    queue.on('error', (error: Error) => {
      if (!hasNoSuchDatabase(error)) return;
      this.log.fatal(`REDIS_URL: ${error.message}; this process ends`);
      endToStartAnew();
    });
  }

  async onApplicationShutdown(): Promise<void> {
    // Asked again, Bull answers when the closing that is under way is over.
    await this.queue.close();
    for (const cluster of given.splice(0)) cluster.disconnect();
  }
}
