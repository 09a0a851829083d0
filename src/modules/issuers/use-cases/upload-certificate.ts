import { createPrivateKey, type KeyObject } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Logger, LOGGER } from '../../../platform/observability/logger.js';
import { Envelope } from '../../../platform/secrets/envelope.js';
import { type OpenedContainer, Pkcs12Opener } from '../../../platform/secrets/pkcs12-opener.js';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK, type Ids, IDS } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { certificateCarriesRuc, type CertificateDescription, describeCertificate } from '../../../sri/signing/certificate.js';
import { verifySignedDocument } from '../../../sri/signing/self-check.js';
import { XadesSigner } from '../../../sri/signing/xades.js';
import type { CertificateEntry } from '../issuers.responses.js';
import { CertificatesRepository } from '../persistence/certificates.repository.js';
import { IssuersRepository } from '../persistence/issuers.repository.js';
import { certificateAnswer } from './certificate-answer.js';
import { found } from './issuer-answer.js';

/** Takes in an issuer's signing certificate and makes it the active one. */
export class UploadCertificate extends Command<CertificateEntry> {
  constructor(
    readonly tenant: TenantContext,
    readonly issuerId: string,
    readonly file: Buffer,
    readonly password: string,
  ) {
    super();
  }
}

const TEST_DOCUMENT = '<factura id="comprobante" version="1.1.0"><infoTributaria><razonSocial>Ñandú &amp; Cía</razonSocial></infoTributaria></factura>';

/**
 * Opens the file in isolation, holds it against the issuer, proves that its key signs, seals the key for this record
 * and claims the RUC. The file and its password are forgotten afterwards; the clear key is wiped.
 */
@CommandHandler(UploadCertificate)
export class UploadCertificateHandler implements ICommandHandler<UploadCertificate> {
  constructor(
    private readonly issuers: IssuersRepository,
    private readonly certificates: CertificatesRepository,
    private readonly opener: Pkcs12Opener,
    private readonly envelope: Envelope,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async execute({ tenant, issuerId, file, password }: UploadCertificate): Promise<CertificateEntry> {
    const { ruc } = found(await this.issuers.find(tenant.tenantId, issuerId));
    const now = this.clock.now();
    const opened = await this.open(file, password, now);
    try {
      const certificateDer = Buffer.from(opened.certificateDer);
      const description = describeCertificate(certificateDer);
      requireUsable(description, ruc, now);
      await requireSigns(certificateDer, privateKeyOf(opened), now);
      const id = this.ids.uuid();
      const owner = { tenantId: tenant.tenantId, issuerId, certificateId: id };
      const sealedKey = await this.envelope.seal(opened.privateKeyPkcs8, owner);
      const row = await this.certificates.store(
        tenant,
        { ...description, id, issuerId, ruc, certificateDer, sealedKey },
        now,
      );
      this.logger.info({ tenant_id: tenant.tenantId, issuer_id: issuerId, certificate_id: row.id }, 'certificate activated');
      return certificateAnswer(row, now);
    } finally {
      opened.privateKeyPkcs8.fill(0);
    }
  }

  private async open(file: Buffer, password: string, now: Date): Promise<OpenedContainer> {
    const result = await this.opener.open(file, password, now);
    if (result.kind === 'opened') return result;
    if (result.reason === 'too_large') throw new DomainError('PAYLOAD_TOO_LARGE', { reason: result.reason });
    throw new DomainError('INVALID_CERTIFICATE', { reason: result.reason, explanation: result.message });
  }
}

function requireUsable(description: CertificateDescription, ruc: string, now: Date): void {
  if (!certificateCarriesRuc(description, ruc)) {
    throw new DomainError('INVALID_CERTIFICATE', { reason: 'ruc_mismatch', issuer_ruc: ruc, certificate_rucs: description.rucs });
  }
  if (!description.keyUsage.includes('digitalSignature')) {
    throw new DomainError('INVALID_CERTIFICATE', { reason: 'no_signing_key' });
  }
  if (description.validTo <= now) throw new DomainError('CERTIFICATE_EXPIRED', { valid_to: description.validTo });
  if (description.validFrom > now) {
    throw new DomainError('INVALID_CERTIFICATE', { reason: 'not_yet_valid', valid_from: description.validFrom });
  }
}

/** Signs a sample and has it verified by other code than the signer's. */
async function requireSigns(certificateDer: Buffer, privateKey: KeyObject, now: Date): Promise<void> {
  const signed = await new XadesSigner(certificateDer, privateKey).sign(TEST_DOCUMENT, now);
  const check = verifySignedDocument(signed, { expectedCertificate: certificateDer });
  if (!check.valid) throw new DomainError('INVALID_CERTIFICATE', { reason: 'test_signature_failed' });
}

const privateKeyOf = ({ privateKeyPkcs8 }: OpenedContainer): KeyObject =>
  createPrivateKey({ key: Buffer.from(privateKeyPkcs8.buffer, privateKeyPkcs8.byteOffset, privateKeyPkcs8.length), format: 'der', type: 'pkcs8' });
