import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Language } from '../../../shared/language.js';
import { DomainError } from '../../../shared/domain-error.js';
import { CLOCK, type Clock, IDS, type Ids } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { ConsultationClient } from '../../../sri/soap/consultation.js';
import { type Act, type ActionDecision, DocumentActions, type Performed } from '../actions/document-actions.js';
import type { CancellationRequested } from '../documents.actions.responses.js';
import { requireAction } from '../domain/actions.js';
import { annulmentOf, decideAnnulled, decideCancel } from '../domain/cancellation.js';
import type { SagaPolicy } from '../domain/document.js';
import { refuseErrors } from '../issuing/issuance-preflight.js';
import type { LoadedDocument } from '../persistence/documents.repository.js';
import { consultationRecords } from '../saga/consultation-records.js';
import { SAGA_POLICY } from '../saga/policy.js';

/**
 * Records that a document is to be annulled and watches until the SRI says that it is; the annulling itself is done in the
 * portal. A cancellation that the rules refuse is recorded all the same if the SRI shows the document annulled already.
 */
export class CancelDocument extends Command<CancellationRequested> {
  constructor(
    readonly tenant: TenantContext,
    readonly documentId: string,
    readonly reason: string,
    readonly language: Language = 'es',
  ) {
    super();
  }
}

@CommandHandler(CancelDocument)
export class CancelDocumentHandler implements ICommandHandler<CancelDocument> {
  constructor(
    private readonly actions: DocumentActions,
    private readonly consultation: ConsultationClient,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(SAGA_POLICY) private readonly policy: SagaPolicy,
  ) {}

  async execute({ tenant, documentId, reason, language }: CancelDocument): Promise<CancellationRequested> {
    const perform = (act: Act): Promise<Performed> => this.actions.perform(tenant, documentId, { action: 'document.cancellation_requested', detail: { reason } }, act);
    const { status, at, loaded, decision } = await perform((asked, now) => this.request(asked, reason, now)).catch((refusal: unknown) => {
      if (!(refusal instanceof DomainError) || refusal.code !== 'FISCAL_RULE_VIOLATED') throw refusal;
      return perform((asked) => this.recordAnnulled(asked, reason, refusal));
    });
    const { deadline, needsAcceptance } = annulmentOf(loaded.content, at);
    const instructions = status === 'CANCELLED' ? ALREADY_ANNULLED[language] : INSTRUCTIONS[language](needsAcceptance, deadline);
    // The time that the record shows; the write is a moment later.
    const { requestedAt = at.toISOString() } = decision.patch.cancellation ?? {};
    return { document_id: documentId, status, cancellation_requested_at: requestedAt, deadline, instructions };
  }

  private request({ state, content }: LoadedDocument, reason: string, now: Date): ActionDecision {
    requireAction(state, 'cancel');
    const annulment = annulmentOf(content, now);
    refuseErrors(annulment.findings);
    return { decision: decideCancel(state, annulment, reason, now, this.policy) };
  }

  /** @throws DomainError the refusal, where the SRI does not show the document annulled or does not answer */
  private async recordAnnulled({ state, content }: LoadedDocument, reason: string, refusal: DomainError): Promise<ActionDecision> {
    requireAction(state, 'cancel');
    const startedAt = this.clock.now();
    const answer = await this.consultation.query(state.accessKey);
    const now = this.clock.now();
    const decision = decideAnnulled(state, annulmentOf(content, now), reason, answer, now, this.policy);
    if (decision === null) throw refusal;
    return { decision, records: consultationRecords(this.ids, state, answer, startedAt) };
  }
}

/** Instead of instructions, where nothing is left to do. */
const ALREADY_ANNULLED: Readonly<Record<Language, string>> = {
  es: 'El SRI ya muestra el comprobante como anulado: no queda nada por hacer.',
  en: 'The SRI shows the document as annulled already: nothing is left to do.',
};

/** What the taxpayer does in the portal, whose own words stay Spanish. */
const INSTRUCTIONS: Readonly<Record<Language, (needsAcceptance: boolean, deadline: string | null) => string>> = {
  es: (needsAcceptance, deadline) => {
    const until = deadline === null ? '' : ` hasta el ${deadline}`;
    const acceptance = needsAcceptance ? ' El receptor debe aceptarla dentro de cinco días hábiles; si no responde, no surte efecto.' : '';
    return `Anule el comprobante en SRI en línea, Comprobantes electrónicos, Anulación${until}.${acceptance} El estado pasa a CANCELLED cuando el SRI lo confirma.`;
  },
  en: (needsAcceptance, deadline) => {
    const until = deadline === null ? '' : `, until ${deadline}`;
    const acceptance = needsAcceptance ? ' The receiver must accept it within five business days; without an answer it has no effect.' : '';
    return `Annul the document in SRI en línea, Comprobantes electrónicos, Anulación${until}.${acceptance} The status becomes CANCELLED when the SRI confirms it.`;
  },
};
