import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Language } from '../../../shared/language.js';
import { ValidationFailure } from '../../../platform/http/validation-failure.js';
import { type Logger, LOGGER } from '../../../platform/observability/logger.js';
import { SigningSelfTest } from '../../../platform/observability/signing-self-test.js';
import { Envelope } from '../../../platform/secrets/envelope.js';
import { type OpenedContainer, Pkcs12Opener } from '../../../platform/secrets/pkcs12-opener.js';
import { DomainError } from '../../../shared/domain-error.js';
import { found } from '../../../shared/found.js';
import { type Clock, CLOCK, type Ids, IDS } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { certificateAnswer } from '../answers/certificate-answer.js';
import { checkMessage } from '../certificate-check-messages.js';
import { type CheckFinding, refusedFindings } from '../domain/certificate-checks.js';
import type { CertificateEntry } from '../issuers.responses.js';
import { CertificatesRepository, MOST_CERTIFICATES } from '../persistence/certificates.repository.js';
import { IssuersRepository } from '../persistence/issuers.repository.js';
import { examineCertificate } from '../signing/examine-certificate.js';

/** Takes in an issuer's signing certificate and makes it the active one. */
export class UploadCertificate extends Command<CertificateEntry> {
  constructor(
    readonly tenant: TenantContext,
    readonly issuerId: string,
    readonly file: Buffer,
    readonly password: string,
    readonly language: Language,
  ) {
    super();
  }
}

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
    private readonly signing: SigningSelfTest,
    private readonly envelope: Envelope,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async execute({ tenant, issuerId, file, password, language }: UploadCertificate): Promise<CertificateEntry> {
    const { ruc } = found(await this.issuers.find(tenant.tenantId, issuerId));
    const now = this.clock.now();
    const opened = await this.open(tenant.tenantId, file, password, ruc, now, language);
    try {
      const { certificateDer, description, findings } = await examineCertificate(opened, ruc, now, () => this.signing.passes());
      if (opened.refusal !== null) throw refused(opened.refusal, findings, language);
      requireSound(findings, language);
      const id = (await this.certificates.idOf(tenant.tenantId, issuerId, description.fingerprintSha256)) ?? this.ids.uuid();
      const owner = { tenantId: tenant.tenantId, issuerId, certificateId: id };
      const sealedKey = await this.envelope.seal(opened.privateKeyPkcs8, owner);
      const row = await this.certificates.store(
        tenant,
        { ...description, id, issuerId, ruc, certificateDer, sealedKey, findings },
        now,
      );
      if (row === null) throw new ValidationFailure([{ loc: ['body', 'file_base64'], type: 'too_many_certificates', input: null, ctx: { max: MOST_CERTIFICATES } }]);
      this.logger.info({ tenant_id: tenant.tenantId, issuer_id: issuerId, certificate_id: row.id }, 'certificate activated');
      return certificateAnswer(row, now, language);
    } finally {
      opened.privateKeyPkcs8.fill(0);
    }
  }

  private async open(tenantId: string, file: Buffer, password: string, ruc: string, now: Date, language: Language): Promise<OpenedContainer> {
    const result = await this.opener.open(tenantId, file, password, ruc, now);
    if (result.kind === 'opened') return result;
    throw refused(result.reason, refusedFindings(result.reason), language);
  }
}

/** The refusal of a file, explained in the words of the check that failed for this reason, or else of the first that failed. */
function refused(reason: string, findings: readonly CheckFinding[], language: Language, facts: Readonly<Record<string, unknown>> = {}): DomainError {
  const failed = findings.filter(({ outcome }) => outcome === 'failed');
  const cause = failed.find(({ detail }) => detail.reason === reason) ?? failed[0];
  return new DomainError('INVALID_CERTIFICATE', { reason, ...(cause !== undefined && { explanation: checkMessage(cause, language) }), ...facts });
}

/** Warnings do not hinder; of several failures the first is the reason. */
function requireSound(findings: readonly CheckFinding[], language: Language): void {
  const failed = findings.find(({ outcome }) => outcome === 'failed');
  if (failed === undefined) return;
  const { reason, ...facts } = failed.detail;
  if (reason === 'expired') throw new DomainError('CERTIFICATE_EXPIRED', facts);
  throw refused(reason, [failed], language, facts);
}
