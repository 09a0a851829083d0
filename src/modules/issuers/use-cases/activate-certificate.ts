import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Language } from '../../../shared/language.js';
import { DomainError } from '../../../shared/domain-error.js';
import { found } from '../../../shared/found.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { certificateAnswer } from '../answers/certificate-answer.js';
import { certificateStatus } from '../domain/certificate-status.js';
import type { CertificateEntry } from '../issuers.responses.js';
import { type CertificateRow, CertificatesRepository } from '../persistence/certificates.repository.js';

/** Makes another stored certificate the one that signs. */
export class ActivateCertificate extends Command<CertificateEntry> {
  constructor(
    readonly tenant: TenantContext,
    readonly issuerId: string,
    readonly certificateId: string,
    readonly language: Language,
  ) {
    super();
  }
}

@CommandHandler(ActivateCertificate)
export class ActivateCertificateHandler implements ICommandHandler<ActivateCertificate> {
  constructor(
    private readonly certificates: CertificatesRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, issuerId, certificateId, language }: ActivateCertificate): Promise<CertificateEntry> {
    const now = this.clock.now();
    const judge = (row: CertificateRow): void => requireActivable(row, now);
    return certificateAnswer(found(await this.certificates.activate(tenant, issuerId, certificateId, judge, now)), now, language);
  }
}

function requireActivable(row: CertificateRow, now: Date): void {
  const status = certificateStatus({ validTo: row.valid_to, revokedAt: row.revoked_at }, now);
  if (status === 'revoked') throw new DomainError('INVALID_STATE', { reason: 'revoked', status, allowed_actions: ['upload_another'] });
  if (status === 'expired') throw new DomainError('CERTIFICATE_EXPIRED', { valid_to: row.valid_to });
}
