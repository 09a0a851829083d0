import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '../../../shared/domain-error.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { type ActionDecision, DocumentActions } from '../actions/document-actions.js';
import type { DocumentAbandoned } from '../documents.actions.responses.js';
import { decideAbandon, notAllowed, requireAction } from '../domain/actions.js';
import { annulledBy } from '../domain/cancellation.js';
import { isSilenceOfItsOwn } from '../domain/decide.js';
import type { Decision, DocumentState, SagaPolicy } from '../domain/document.js';
import type { LoadedDocument } from '../persistence/documents.repository.js';
import { Consultations } from '../saga/consultations.js';
import { SAGA_POLICY } from '../saga/policy.js';
import { Verdicts } from '../saga/verdicts.js';

/** Gives a document up; its number stays with it, explained by the reason. */
export class AbandonDocument extends Command<DocumentAbandoned> {
  constructor(
    readonly tenant: TenantContext,
    readonly documentId: string,
    readonly reason: string,
    /** The caller saw in the SRI's portal that it is annulled. */
    readonly annulled = false,
  ) {
    super();
  }
}

@CommandHandler(AbandonDocument)
export class AbandonDocumentHandler implements ICommandHandler<AbandonDocument> {
  constructor(
    private readonly actions: DocumentActions,
    private readonly verdicts: Verdicts,
    private readonly consultations: Consultations,
    @Inject(SAGA_POLICY) private readonly policy: SagaPolicy,
  ) {}

  /**
   * @throws DomainError INVALID_STATE, also where the SRI has decided on the document, which is then on record; SRI_UNAVAILABLE
   * where it gives no answer to whether it has (but see `unlessDecided`), or to whether what it showed authorized was annulled
   */
  async execute(command: AbandonDocument): Promise<DocumentAbandoned> {
    const { tenant, documentId, reason } = command;
    const { status, at, loaded, decision } = await this.actions.perform(tenant, documentId, { action: 'document.abandoned', detail: { reason } }, (loaded, now) => this.giveUp(loaded, command, now));
    if (!isGivenUp(decision)) throw notAllowed({ ...loaded.state, ...decision.patch, status }, undefined, 'DECIDED_AT_SRI');
    return { document_id: documentId, status, abandoned_at: at };
  }

  private async giveUp({ state }: LoadedDocument, { reason, annulled }: AbandonDocument, now: Date): Promise<ActionDecision> {
    requireAction(state, 'abandon');
    if (state.errorCode === 'ANSWER_MISMATCH') return this.afterMismatch(state, reason, annulled);
    // A refusal is a verdict, and it is compared later all the same; of what was never sent the SRI has none.
    if (state.status === 'REJECTED' || state.firstSentAt === null) return { decision: decideAbandon(state, reason, now, this.policy) };
    return this.unlessDecided(state, reason);
  }

  /**
   * Who gives up what the SRI has authorized sells it twice. An answer that proves nothing is no verdict, and may be the same for
   * ever: the document is given up. So it is where there was none and it was handed over more than a week ago, for that may be of
   * its key alone; never where the service is plainly away.
   */
  private async unlessDecided(state: DocumentState, reason: string): Promise<ActionDecision> {
    const { decision, records, isHeard, isAway, isAtWork, now } = await this.verdicts.ask(state);
    if (decision.moves.length > 0) return { decision, records, entry: { action: 'document.reconciled' } };
    if (!isHeard && (isAway || !isSilenceOfItsOwn(state, now, this.policy))) throw new DomainError('SRI_UNAVAILABLE');
    return { decision: decideAbandon(state, reason, now, this.policy, { isAtWork }), records };
  }

  private async afterMismatch(state: DocumentState, reason: string, annulled: boolean): Promise<ActionDecision> {
    const { answers, records, now: at } = await this.consultations.askOfEveryKey(state);
    const by = annulledBy(answers, annulled);
    if (annulled && by === null) throw notAllowed(state, undefined, 'NOT_ANNULLED');
    return {
      decision: decideAbandon(state, reason, at, this.policy, { isAnnulled: by !== null }),
      records,
      ...(by === 'caller' && { entry: { action: 'document.abandoned', detail: { reason, annulled } } }),
    };
  }
}

const isGivenUp = ({ moves }: Decision): boolean => moves.some(({ trigger }) => trigger === 'abandoned');
