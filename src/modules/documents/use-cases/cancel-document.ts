import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Language } from '../../../platform/http/field-messages.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { requireAction } from '../domain/acts.js';
import { annulmentOf, decideCancel } from '../domain/cancellation.js';
import type { SagaPolicy } from '../domain/document.js';
import type { CancellationRequested } from '../documents.acts.responses.js';
import { SAGA_POLICY } from '../saga/policy.js';
import { DocumentActs } from './document-acts.js';
import { refuseErrors } from './issuing-desk.js';

/** Records that a document is to be annulled and watches until the SRI says that it is; the annulling itself is done in the portal. */
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
    private readonly acts: DocumentActs,
    @Inject(SAGA_POLICY) private readonly policy: SagaPolicy,
  ) {}

  async execute({ tenant, documentId, reason, language }: CancelDocument): Promise<CancellationRequested> {
    const { status, at, loaded } = await this.acts.perform(tenant, documentId, { action: 'document.cancellation_requested', detail: { reason } }, ({ state, content }, now) => {
      requireAction(state, 'cancel');
      const annulment = annulmentOf(content, now);
      refuseErrors(annulment.findings);
      return { decision: decideCancel(state, annulment, reason, now, this.policy) };
    });
    const { deadline, needsAcceptance } = annulmentOf(loaded.content, at);
    return { document_id: documentId, status, cancellation_requested_at: at, deadline, instructions: INSTRUCTIONS[language](needsAcceptance, deadline) };
  }
}

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
