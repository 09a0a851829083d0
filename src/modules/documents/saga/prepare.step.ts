import { Inject, Injectable, Logger } from '@nestjs/common';
import { EnvelopeError, KeyUnavailableError } from '../../../platform/secrets/key-wrapper.js';
import { DomainError } from '../../../shared/domain-error.js';
import { CLOCK, type Clock } from '../../../shared/ports.js';
import { suggest } from '../../../shared/suggested-actions.js';
import { documentDigest } from '../../../sri/document-digest.js';
import { documentType } from '../../../sri/document-types/registry.js';
import { HostCannotSignError, UnsignableError } from '../../../sri/signing/xades.js';
import { SigningKeys } from '../../issuers/public.js';
import { recheck } from '../domain/decide.js';
import type { Decision, DocumentState, Move, SagaPolicy, Work } from '../domain/document.js';
import { allows, type DocumentStatus } from '../domain/lifecycle.js';
import { DocumentsRepository, type LoadedDocument } from '../persistence/documents.repository.js';
import { KillPoints } from '../../../platform/faults/kill-points.js';
import { SAGA_POLICY } from './policy.js';
import type { FreshSignature, LeasedDocument, NextWork, SagaStep } from './step.js';

/** Moves that lead from where the document stands to "signed and in the queue". */
const MOVES: Partial<Record<DocumentStatus, readonly Move[]>> = {
  NUMBER_RESERVED: [{ trigger: 'xml_built' }, { trigger: 'signed' }, { trigger: 'queued' }],
  XML_GENERATED: [{ trigger: 'signed' }, { trigger: 'queued' }],
  RECEPTION_RETRY_SCHEDULED: [{ trigger: 'resigned' }],
};

/**
 * Builds the XML from the frozen content, signs it and stores the signed bytes
 * before anything may be sent: at once, or with the beginning of the transmission
 * where the document need not wait for its turn. Without a usable certificate it is
 * parked and resumes by itself when one is activated.
 */
@Injectable()
export class PrepareStep implements SagaStep {
  private readonly log = new Logger(PrepareStep.name);

  constructor(
    private readonly documents: DocumentsRepository,
    private readonly signingKeys: SigningKeys,
    private readonly killPoints: KillPoints,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SAGA_POLICY) private readonly policy: SagaPolicy,
  ) {}

  async run({ loaded, token, clearUntil }: LeasedDocument): Promise<NextWork | null> {
    const { state, activeCertificate } = loaded;
    const moves = MOVES[state.status];
    if (!moves) throw new Error(`prepare has nothing to do in ${state.status}`);
    const now = this.clock.now();
    const problem = certificateProblem(activeCertificate, now);
    if (problem !== null || activeCertificate === null) {
      await this.documents.advance(state, this.park(state, problem ?? 'CERTIFICATE_NOT_FOUND', now), token, now);
      return null;
    }
    const signedXml = await this.sign(loaded, activeCertificate.id, now, token);
    if (signedXml === null) return null;
    await this.killPoints.pass('after-sign', loaded.content.numericCode);

    const signingNo = state.signingNo + 1;
    const digest = documentDigest(signedXml.toString('utf8'));
    const signature: FreshSignature = {
      moves,
      patch: { signingNo, errorCode: null, errorDetail: null },
      signing: { signingNo, certificateId: activeCertificate.id, digest, xml: signedXml },
    };
    const work: Work = { step: 'submit', dueAt: now, keepLease: true };
    if (clearUntil !== null && this.clock.now() < clearUntil) return { ...work, signature };
    await this.documents.advance(state, { moves, patch: signature.patch, work }, token, now, { signing: signature.signing });
    await this.killPoints.pass('after-signed-commit', loaded.content.numericCode);
    return work;
  }

  /** Null when it could not be signed: the document has then been put off, parked or failed. */
  private async sign(loaded: LoadedDocument, certificateId: string, now: Date, token: string): Promise<Buffer | null> {
    const { state, issuerId } = loaded;
    try {
      const signer = await this.signingKeys.signerFor(state.tenantId, issuerId, certificateId);
      const xml = this.build(loaded);
      await this.killPoints.pass('after-xml', loaded.content.numericCode);
      return await signer.sign(xml, now);
    } catch (error) {
      // Revoked since the document was loaded: as good as missing.
      if (error instanceof DomainError && error.code === 'CERTIFICATE_NOT_FOUND') {
        await this.documents.advance(state, this.park(state, 'CERTIFICATE_NOT_FOUND', now), token, now);
        return null;
      }
      // The keeper of the master key is away, this worker lacks the key, or its host no longer signs: the document waits, another worker may do it.
      if (error instanceof KeyUnavailableError || error instanceof HostCannotSignError) {
        this.log.error(`document ${state.id} waits for its signing key: ${error.message}`);
        await this.documents.advance(state, waitForKey(new Date(now.getTime() + KEY_PAUSE_MS)), token, now);
        return null;
      }
      // The database is away or the process is ending: another worker goes on.
      if (!(error instanceof EnvelopeError || error instanceof UnsignableError || error instanceof BuildFailure)) throw error;
      this.log.error(`document ${state.id} cannot be built or signed: ${error.message}`);
      await this.documents.advance(state, { moves: [{ trigger: 'failed' }], patch: { errorCode: 'SIGNING_FAILED' }, work: recheck(state, now, this.policy) }, token, now);
      return null;
    }
  }

  /**
   * Parks the document until a certificate is activated. If a version from before a correction was sent, and callers cannot
   * reconcile in this state, the SRI is asked about that version daily. Where a certificate was
   * activated since the worker looked, it goes on at once: advance_document sees to it.
   */
  private park(state: DocumentState, errorCode: 'CERTIFICATE_NOT_FOUND' | 'CERTIFICATE_EXPIRED', now: Date): Decision {
    const comparison = recheck(state, now, this.policy);
    const work: Work = (allows(state.status, 'reconcile') ? null : comparison) ?? { step: 'prepare', dueAt: 'never' };
    return { moves: [], patch: { errorCode, errorDetail: suggest('upload_certificate') }, work };
  }

  /** @throws BuildFailure when no retry mends it */
  private build({ state, content, issuer, sequential }: LoadedDocument): string {
    try {
      const type = documentType(content.documentType);
      if (!type) throw new Error(`document type ${content.documentType} is not registered`);
      return type.buildXml(content, issuer, { sequential, accessKey: state.accessKey });
    } catch (error) {
      throw new BuildFailure((error as Error).message);
    }
  }
}

/** The accepted content cannot be written as XML: a fault of ours. */
class BuildFailure extends Error {}

function certificateProblem(certificate: LoadedDocument['activeCertificate'], now: Date): 'CERTIFICATE_NOT_FOUND' | 'CERTIFICATE_EXPIRED' | null {
  if (certificate === null) return 'CERTIFICATE_NOT_FOUND';
  return certificate.validTo <= now ? 'CERTIFICATE_EXPIRED' : null;
}

const KEY_PAUSE_MS = 60_000;

const waitForKey = (dueAt: Date): Decision => ({
  moves: [], patch: { errorCode: 'SIGNING_KEY_UNAVAILABLE', errorDetail: suggest('wait') }, work: { step: 'prepare', dueAt },
});
