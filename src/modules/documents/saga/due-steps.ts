import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { KillPoints } from '../../../platform/faults/kill-points.js';
import { Meters } from '../../../platform/observability/meters.js';
import { Shutdown } from '../../../platform/shutdown/shutdown.js';
import { ofDocument } from '../../../platform/tracing/document-trace.js';
import { noteSpan, traced } from '../../../platform/tracing/spans.js';
import { CLOCK, type Clock } from '../../../shared/ports.js';
import { suggest } from '../../../shared/suggested-actions.js';
import { awaitsSignature, recheck } from '../domain/decide.js';
import { MAX_LOST_LEASES, NOT_SIGNED, type SagaPolicy, type Work } from '../domain/document.js';
import { isSettled, LIFECYCLE, type Step } from '../domain/lifecycle.js';
import { DocumentsRepository, type LoadedDocument, StaleDocumentError } from '../persistence/documents.repository.js';
import { SAGA_POLICY } from './policy.js';
import { type LeasedDocument, type NextWork, SAGA_STEPS, type SagaStep } from './step.js';

/** How long `clearToSend` is trusted. Signing takes milliseconds; after a slow one the turn and the pauses must be checked again. */
const CLEAR_FOR_MS = 1_000;

/** Takes a document's lease and runs the step that is due on it. */
@Injectable()
export class DueSteps {
  private readonly log = new Logger(DueSteps.name);

  constructor(
    private readonly documents: DocumentsRepository,
    @Inject(SAGA_STEPS) private readonly steps: Readonly<Record<Step, SagaStep>>,
    private readonly killPoints: KillPoints,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(SAGA_POLICY) private readonly policy: SagaPolicy,
    private readonly meters: Meters,
    private readonly shutdown: Shutdown,
  ) {}

  /**
   * Runs the one step that is due.
   * @param token the holder's, under which the lease is taken, or held from an earlier step
   * @returns whether the next step is due at once; false, too, when there was nothing to take
   * @throws StaleDocumentError when another worker took the document meanwhile; nothing was written
   */
  async runOne(tenantId: string, documentId: string, token: string): Promise<boolean> {
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
