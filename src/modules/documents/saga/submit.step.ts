import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../../shared/ports.js';
import type { Decision, DocumentState, Work } from '../domain/document.js';
import { DocumentsRepository } from '../persistence/documents.repository.js';
import { postpone } from './postpone.js';
import { SriCalls } from './sri-calls.js';
import type { LeasedDocument, SagaStep } from './step.js';
import { Transmission } from './transmission.js';

/** Sends the signed bytes, once the SRI's reception may be called. */
@Injectable()
export class SubmitStep implements SagaStep {
  constructor(
    private readonly documents: DocumentsRepository,
    private readonly transmission: Transmission,
    private readonly calls: SriCalls,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async run(document: LeasedDocument): Promise<Work | null> {
    const { loaded, token, signature } = document;
    const { state, signed } = loaded;
    const now = this.clock.now();
    const xml = signature?.signing.xml ?? signed?.xml;
    if (xml === undefined) throw new Error(`document ${state.id} has nothing signed to send`);
    const hasExpired = signed !== null && signed.certificateValidTo <= now && !signed.wasSent;
    if (!signature && (hasExpired || state.isResigning)) {
      const again = signAgain(state, now);
      await this.documents.advance(state, again, token, now);
      return again.work;
    }
    const permit = await this.calls.acquire('reception', { acceptedAt: loaded.acceptedAt, turn: signature ? 'fresh' : 'announced' });
    if (permit.kind === 'wait') return await postpone(this.documents, document, 'submit', permit.until, now, { reason: permit.reason });
    return await this.transmission.send(document, xml, permit);
  }
}

/**
 * The certificate ran out or was revoked between signing and sending, and these bytes were not sent, so a new signature is clean;
 * or the signed content was corrected since, and must not be sent.
 */
const signAgain = ({ status }: DocumentState, now: Date): Decision => ({
  moves: status === 'RECEPTION_PENDING' ? [{ trigger: 'signature_stale' }] : [],
  patch: {},
  work: { step: 'prepare', dueAt: now, keepLease: true },
});
