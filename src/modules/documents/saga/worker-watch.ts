import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { QueueWatchdog } from '../../../platform/queue/queue-watchdog.js';
import { IssuanceProcessor } from './issuance.processor.js';

/** Sets the watchdog on the processor once the worker runs. */
@Injectable()
export class WorkerWatch implements OnApplicationBootstrap {
  constructor(
    private readonly watchdog: QueueWatchdog,
    private readonly processor: IssuanceProcessor,
  ) {}

  onApplicationBootstrap(): void {
    this.watchdog.watch(this.processor);
  }
}
