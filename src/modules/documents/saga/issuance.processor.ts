import { InjectQueue } from '@nestjs/bull';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Job, Queue } from 'bull';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { isHindered } from '../../../platform/database/hindered.js';
import { KillPoints } from '../../../platform/faults/kill-points.js';
import { withLogFields } from '../../../platform/observability/log-context.js';
import { DueWork } from '../../../platform/outbox/due-work.js';
import { type DirectWorker, OutboxRelay } from '../../../platform/outbox/relay.js';
import { ISSUANCE_QUEUE, type IssuanceJob, REFILL_AT } from '../../../platform/queue/issuance-bell.js';
import type { Consumer } from '../../../platform/queue/queue-watchdog.js';
import { Shutdown } from '../../../platform/shutdown/shutdown.js';
import { CLOCK, type Clock, IDS, type Ids, SLEEPER, type Sleeper } from '../../../shared/ports.js';
import { UUID } from '../../../shared/uuid.js';
import { StaleDocumentError } from '../persistence/documents.repository.js';
import { DueSteps } from './due-steps.js';

/** A document that this worker has taken in hand. */
interface Held extends IssuanceJob {
  readonly token: string;
}

const PAUSE_AFTER_REFUSAL_MS = 1_000;

/**
 * Answers the bell, or the relay while there is none: runs the step that is due on the document, and goes on while the
 * next one is due at once. The job itself proves nothing: a lost, repeated or foreign job finds no due row and ends
 * without effect.
 */
@Injectable()
export class IssuanceProcessor implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown, Consumer, DirectWorker {
  private readonly log = new Logger(IssuanceProcessor.name);
  private jobsBegun = 0;
  private readonly held = new Set<Held>();
  /** Begun without a bell: Bull does not wait for them. */
  private readonly takenDirectly = new Set<Promise<void>>();
  private drained: Promise<void> = Promise.resolve();

  constructor(
    @InjectQueue(ISSUANCE_QUEUE) private readonly queue: Queue<IssuanceJob>,
    private readonly steps: DueSteps,
    private readonly work: DueWork,
    private readonly relay: OutboxRelay,
    private readonly killPoints: KillPoints,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly shutdown: Shutdown,
  ) {}

  onApplicationBootstrap(): void {
    this.queue.on('error', (error: Error & { readonly lastNodeError?: Error }) => {
      // A cluster's own error says only that no node answered.
      this.log.warn(['queue', error.message, error.lastNodeError?.message].filter(Boolean).join(': '));
    });
    this.relay.fallBackTo(this);
    this.register().catch((error: unknown) => this.log.error(`the queue stopped: ${(error as Error).message}`));
  }

  /** Registered here and not by decorator: the concurrency is a setting, and Bull never serves who registers while Redis refuses the login. */
  private async register(): Promise<void> {
    while (!(await this.queueAnswers())) {
      if (this.shutdown.isStopping) return;
      await this.sleeper.sleep(PAUSE_AFTER_REFUSAL_MS);
    }
    if (this.shutdown.isStopping) return;
    await this.queue.process('advance', this.settings.WORKER_CONCURRENCY, (job: Job<IssuanceJob>) => this.answer(job));
  }

  /** Waits while Redis is away. */
  private async queueAnswers(): Promise<boolean> {
    try {
      await this.queue.client.ping();
      return true;
    } catch (error) {
      if (!this.shutdown.isStopping) this.log.warn(`REDIS_URL: Redis refuses commands, documents are taken without it: ${(error as Error).message}`);
      return false;
    }
  }

  /** Takes no new jobs and lets the steps under way end; what does not end in time is handed back, so that others go on at once. */
  onModuleDestroy(): void {
    this.drained = this.shutdown.within(Promise.all([this.queue.pause(true).catch(() => undefined), ...this.takenDirectly]));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.drained;
    await Promise.all(Array.from(this.held, (held) => this.handBack(held)));
  }

  /** A job that names no document is dropped. */
  async answer(job: Job<IssuanceJob>): Promise<void> {
    // A foreign job may have no data at all.
    const data = { ...job.data };
    if (UUID.test(data.tenantId) && UUID.test(data.documentId)) await this.advance(data);
    else this.log.warn(`job ${job.id} dropped: it names no document`);
  }

  free(): number {
    const free = this.settings.WORKER_CONCURRENCY - this.held.size;
    return !this.shutdown.isStopping && free >= this.settings.WORKER_CONCURRENCY * (1 - REFILL_AT) ? free : 0;
  }

  begin(document: IssuanceJob): void {
    const ended: Promise<void> = this.advance(document).finally(() => this.takenDirectly.delete(ended));
    this.takenDirectly.add(ended);
  }

  private async advance({ tenantId, documentId }: IssuanceJob): Promise<void> {
    const held = { tenantId, documentId, token: this.ids.uuid() };
    this.jobsBegun += 1;
    this.held.add(held);
    // The queue waits for its jobs before it closes: not longer than there is time.
    await this.shutdown.within(withLogFields({ document_id: documentId }, () => this.serve(held)).finally(() => this.held.delete(held)));
  }

  begun(): number {
    return this.jobsBegun;
  }

  hasRoom(): boolean {
    return this.held.size < this.settings.WORKER_CONCURRENCY;
  }

  /** Documents in hand now. */
  inHand(): number {
    return this.held.size;
  }

  private async serve(held: Held): Promise<void> {
    const { tenantId, documentId, token } = held;
    try {
      while (!this.shutdown.isStopping && (await this.steps.runOne(tenantId, documentId, token)));
      if (this.shutdown.isStopping) await this.handBack(held);
      await this.killPoints.pass('before-ack');
      // A successor on the same emission point may have waited for this one.
      this.relay.nudge();
    } catch (error) {
      if (error instanceof StaleDocumentError) {
        this.log.warn(`document ${documentId}: ${error.message}; nothing was written`);
        await this.work.outlived(tenantId, documentId, token).catch((failure: unknown) => this.warnOfLoss(documentId, failure));
        return;
      }
      // The lease runs out and the relay announces the document again.
      this.log.error(`document ${documentId}: ${(error as Error).message}`);
      if (isHindered(error)) await this.endLeaseUncounted(held);
    }
  }

  /** Tries until the lease runs out: PostgreSQL, being hindered, may refuse this too. */
  private async endLeaseUncounted({ tenantId, documentId, token }: Held): Promise<void> {
    const end = this.clock.now().getTime() + this.settings.LEASE_SECONDS * 1_000;
    for (;;) {
      try {
        await this.work.endLeaseUncounted(tenantId, documentId, token);
        return;
      } catch (error) {
        if (this.shutdown.isStopping || this.clock.now().getTime() >= end) {
          this.warnOfLoss(documentId, error);
          return;
        }
        await this.sleeper.sleep(PAUSE_AFTER_REFUSAL_MS);
      }
    }
  }

  private warnOfLoss(documentId: string, failure: unknown): void {
    this.log.warn(`document ${documentId} counts this worker as lost: ${(failure as Error).message}`);
  }

  /** Gives up the lease, so that nobody has to wait until it runs out: this process stops. */
  private async handBack({ tenantId, documentId, token }: Held): Promise<void> {
    try {
      await this.work.release(tenantId, documentId, token);
      this.relay.nudge();
    } catch (error) {
      this.log.warn(`document ${documentId} is taken over when its lease runs out: ${(error as Error).message}`);
    }
  }
}
