import { InjectQueue } from '@nestjs/bull';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Job, Queue } from 'bull';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { isHindered } from '../../../platform/database/hindered.js';
import { withLogFields } from '../../../platform/observability/log-context.js';
import { Meters } from '../../../platform/observability/meters.js';
import { type DirectWorker, OutboxRelay } from '../../../platform/outbox/relay.js';
import { ISSUANCE_QUEUE, type IssuanceJob } from '../../../platform/queue/issuance-bell.js';
import type { Consumer } from '../../../platform/queue/queue-watchdog.js';
import { ofDocument } from '../../../platform/tracing/document-trace.js';
import { noteSpan, traced } from '../../../platform/tracing/spans.js';
import { Shutdown } from '../../../platform/shutdown/shutdown.js';
import { CLOCK, type Clock, IDS, type Ids, SLEEPER, type Sleeper } from '../../../shared/ports.js';
import { UUID } from '../../../shared/uuid.js';
import { awaitsSignature, recheck } from '../domain/decide.js';
import { MAX_LOST_LEASES, NOT_SIGNED, type SagaPolicy, type Work } from '../domain/document.js';
import { isSettled, LIFECYCLE, type Step } from '../domain/lifecycle.js';
import { DocumentsRepository, type LoadedDocument, StaleDocumentError } from '../persistence/documents.repository.js';
import { AuthorizeStep } from './authorize.step.js';
import { KillPoints } from '../../../platform/faults/kill-points.js';
import { SAGA_POLICY } from './policy.js';
import { PrepareStep } from './prepare.step.js';
import type { LeasedDocument, NextWork, SagaStep } from './step.js';
import { SubmitStep } from './submit.step.js';
import { WatchStep } from './watch.step.js';
import { suggest } from '../domain/suggested-actions.js';

/** A document that this worker has taken in hand. */
interface Held extends IssuanceJob {
  readonly token: string;
}

/** Share of this worker's places at which they are filled up again without a bell: looking for due work costs much the same for one document as for many. */
const REFILL_AT = 0.5;

/** How long `clearToSend` is trusted. Signing takes milliseconds; after a slow one the turn and the pauses must be checked again. */
const CLEAR_FOR_MS = 1_000;

const PAUSE_AFTER_REFUSAL_MS = 1_000;

/**
 * Answers the bell, or the relay while there is none: takes the document's lease, runs the step that is due, and
 * goes on while the next step is due at once. The job itself proves nothing: a
 * lost, repeated or foreign job finds no due row and ends without effect.
 */
@Injectable()
export class IssuanceProcessor implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown, Consumer, DirectWorker {
  private readonly log = new Logger(IssuanceProcessor.name);
  private readonly steps: Readonly<Record<Step, SagaStep>>;
  private jobsBegun = 0;
  private readonly held = new Set<Held>();
  /** Begun without a bell: Bull does not wait for them. */
  private readonly takenDirectly = new Set<Promise<void>>();
  private drained: Promise<void> = Promise.resolve();

  constructor(
    @InjectQueue(ISSUANCE_QUEUE) private readonly queue: Queue<IssuanceJob>,
    private readonly documents: DocumentsRepository,
    private readonly relay: OutboxRelay,
    private readonly killPoints: KillPoints,
    prepare: PrepareStep,
    submit: SubmitStep,
    authorize: AuthorizeStep,
    watch: WatchStep,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(SAGA_POLICY) private readonly policy: SagaPolicy,
    private readonly meters: Meters,
    private readonly shutdown: Shutdown,
  ) {
    this.steps = { prepare, submit, authorize, watch };
  }

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
      while (!this.shutdown.isStopping && (await this.runDueStep(tenantId, documentId, token)));
      if (this.shutdown.isStopping) await this.handBack(held);
      await this.killPoints.pass('before-ack');
      // A successor on the same emission point may have waited for this one.
      this.relay.nudge();
    } catch (error) {
      if (error instanceof StaleDocumentError) {
        this.log.warn(`document ${documentId}: ${error.message}; nothing was written`);
        await this.relay.outlived(tenantId, documentId, token).catch((failure: unknown) => this.warnOfLoss(documentId, failure));
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
        await this.relay.endLeaseUncounted(tenantId, documentId, token);
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

  /** @returns false when nothing is due for this worker now */
  private async runDueStep(tenantId: string, documentId: string, token: string): Promise<boolean> {
    const now = this.clock.now();
    const taken = await this.documents.take(tenantId, documentId, token, now, this.settings.LEASE_SECONDS * 1_000);
    if (taken === null) return false;
    const { claim, clearToSend, loaded } = taken;
    await this.killPoints.pass('after-claim', loaded.content.numericCode);
    if (claim.lostLeases >= MAX_LOST_LEASES && (await this.giveUp(loaded, token))) return false;
    const document: LeasedDocument = { loaded, token, clearUntil: clearToSend ? new Date(now.getTime() + CLEAR_FOR_MS) : null };
    const next = await this.runStep(claim.step, document);
    if (next?.signature === undefined) return this.isDue(next);
    // A signature that is not stored yet is nothing lost: whoever goes on signs anew.
    if (this.shutdown.isStopping) return false;
    return this.isDue(await this.runStep(next.step, { ...document, signature: next.signature }));
  }

  private isDue(work: NextWork | null): boolean {
    return work !== null && work.dueAt !== 'never' && work.dueAt <= this.clock.now();
  }

  private runStep(step: Step, document: LeasedDocument): Promise<NextWork | null> {
    const { content, state } = document.loaded;
    const span = ofDocument(`saga ${step}`, { tenantId: state.tenantId, documentId: state.id }, { 'sello.step': step, 'sello.document_type': content.documentType, 'sello.status_before': state.status });
    return traced({ ...span, kind: 'consumer' }, () => this.measured(step, document));
  }

  private async measured(step: Step, document: LeasedDocument): Promise<NextWork | null> {
    const startedAt = performance.now();
    let outcome = 'failed';
    try {
      const next = await this.steps[step].run(document);
      outcome = this.isDue(next) ? 'advanced' : next === null ? 'ended' : 'waits';
      return next;
    } catch (error) {
      if (error instanceof StaleDocumentError) outcome = 'stale';
      throw error;
    } finally {
      noteSpan({ 'sello.outcome': outcome });
      this.meters.time('sagaSteps', { step, outcome }, performance.now() - startedAt);
    }
  }

  /** Gives up the lease, so that nobody has to wait until it runs out: this process stops. */
  private async handBack({ tenantId, documentId, token }: Held): Promise<void> {
    await this.relay.handBack(tenantId, documentId, token).catch((error: unknown) => {
      this.log.warn(`document ${documentId} is taken over when its lease runs out: ${(error as Error).message}`);
    });
  }

  /**
   * A document on which workers keep dying is handed to a person, so that the others flow; slow workers do not count, nor those
   * that a PostgreSQL that is full or locked kept from storing their result. Like every decided document it is compared with the SRI later: an
   * earlier sending may still be authorized.
   * @returns false where the state knows no giving up and the step has to go on
   */
  private async giveUp({ state }: LoadedDocument, token: string): Promise<boolean> {
    const now = this.clock.now();
    const work = recheck(state, now, this.policy);
    const { moves } = LIFECYCLE[state.status];
    if ('gave_up' in moves) {
      const errorDetail = suggest('retry', awaitsSignature(state) ? { reason: NOT_SIGNED } : {});
      const patch = { errorCode: 'ATTEMPTS_EXHAUSTED', errorDetail };
      await this.documents.advance(state, { moves: [{ trigger: 'gave_up' }], patch, work }, token, now);
      this.log.error(`document ${state.id} lost ${MAX_LOST_LEASES} workers in ${state.status}: a person must look`);
      return true;
    }
    // The SRI's portal goes on without us: the annulment is watched again tomorrow.
    const watched = state.status === 'CANCELLATION_REQUESTED';
    if (!isSettled(state.status) && !watched) return false;
    const later: Work | null = watched ? { step: 'watch', dueAt: new Date(now.getTime() + this.policy.recheckEveryMs) } : work;
    await this.documents.advance(state, { moves: [], patch: {}, work: later }, token, now);
    return true;
  }
}
