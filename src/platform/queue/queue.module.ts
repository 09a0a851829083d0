import { BullModule } from '@nestjs/bull';
import { Global, Module } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { DueWork } from '../outbox/due-work.js';
import { ISSUANCE_QUEUE, IssuanceBell } from './issuance-bell.js';
import { QueueWatchdog } from './queue-watchdog.js';

/**
 * A connection that swallows a command for so long is given up and made anew: a
 * router may have forgotten it. Bull's longest wait for a job is 5 seconds.
 */
const SILENCE_MS = 10_000;

/** Bull over Redis: only the bell that wakes a worker. */
@Global()
@Module({
  imports: [
    BullModule.forRootAsync({
      inject: [SETTINGS],
      useFactory: (settings: Settings) => ({
        url: settings.REDIS_URL,
        prefix: settings.QUEUE_PREFIX,
        redis: {
          maxRetriesPerRequest: null,
          enableReadyCheck: false,
          socketTimeout: SILENCE_MS,
          retryStrategy: (times: number) => Math.min(times * 200, 3_000),
        },
        settings: { lockDuration: 30_000, stalledInterval: 30_000, maxStalledCount: 1 },
      }),
    }),
    BullModule.registerQueue({ name: ISSUANCE_QUEUE }),
  ],
  providers: [IssuanceBell, DueWork, QueueWatchdog],
  exports: [IssuanceBell, DueWork, QueueWatchdog, BullModule],
})
export class QueueModule {}
