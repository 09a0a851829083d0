import { createPrivateKey } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Envelope } from '../../../platform/secrets/envelope.js';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import { HostCannotSignError, UnsignableError, XadesSigner } from '../../../sri/signing/xades.js';
import { CertificatesRepository } from '../persistence/certificates.repository.js';

/** A clear key is used at most this long. It leaves the memory when a document is signed after that. */
const KEEP_MS = 5 * 60 * 1_000;
const MAX_SIGNERS = 500;

interface CachedSigner {
  readonly signer: Promise<XadesSigner>;
  readonly until: number;
}

/** Opens sealed keys for the worker, and keeps the signers in use for a few minutes. */
@Injectable()
export class SigningKeys {
  /** In order of use: the first is the least recently used. */
  private readonly signers = new Map<string, CachedSigner>();

  constructor(
    private readonly certificates: CertificatesRepository,
    private readonly envelope: Envelope,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * The signer of a certificate.
   * @throws DomainError CERTIFICATE_NOT_FOUND when it is unknown or revoked
   * @throws KeyUnavailableError when the master key is not at hand now
   * @throws EnvelopeError when its key does not open (damage): no retry mends that
   * @throws UnsignableError when what opens is no RSA key of the certificate: nor that
   * @throws HostCannotSignError where this host makes no such signatures
   */
  async signerFor(tenantId: string, issuerId: string, certificateId: string): Promise<XadesSigner> {
    const name = `${tenantId}/${issuerId}/${certificateId}`;
    const now = this.clock.now().getTime();
    this.dropExpired(now);
    const cached = this.signers.get(name) ?? { signer: this.load(tenantId, issuerId, certificateId), until: now + KEEP_MS };
    this.signers.delete(name);
    this.signers.set(name, cached);
    const [oldest] = this.signers.keys();
    if (this.signers.size > MAX_SIGNERS && oldest !== undefined) this.signers.delete(oldest);
    try {
      return await cached.signer;
    } catch (error) {
      if (this.signers.get(name) === cached) this.signers.delete(name);
      throw error;
    }
  }

  private dropExpired(now: number): void {
    for (const [name, { until }] of this.signers) {
      if (until <= now) this.signers.delete(name);
    }
  }

  private async load(tenantId: string, issuerId: string, certificateId: string): Promise<XadesSigner> {
    const sealed = await this.certificates.findSealed(tenantId, issuerId, certificateId);
    if (sealed === null) throw new DomainError('CERTIFICATE_NOT_FOUND', { certificate_id: certificateId });
    const pkcs8 = await this.envelope.open(sealed.sealedKey, { tenantId, issuerId, certificateId });
    try {
      return new XadesSigner(sealed.certificateDer, createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }));
    } catch (error) {
      // The key of a certificate never changes: one that cannot be read, or is not the certificate's, cannot sign at the next try either.
      throw error instanceof HostCannotSignError ? error : new UnsignableError((error as Error).message, { cause: error });
    } finally {
      pkcs8.fill(0);
    }
  }
}
