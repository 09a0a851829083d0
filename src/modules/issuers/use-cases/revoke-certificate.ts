import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Logger, LOGGER } from '../../../platform/observability/logger.js';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { CertificatesRepository } from '../persistence/certificates.repository.js';

/** Takes a certificate out of use for ever and destroys its key. */
export class RevokeCertificate extends Command<void> {
  constructor(
    readonly tenant: TenantContext,
    readonly issuerId: string,
    readonly certificateId: string,
  ) {
    super();
  }
}

@CommandHandler(RevokeCertificate)
export class RevokeCertificateHandler implements ICommandHandler<RevokeCertificate> {
  constructor(
    private readonly certificates: CertificatesRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async execute({ tenant, issuerId, certificateId }: RevokeCertificate): Promise<void> {
    const revoked = await this.certificates.revoke(tenant, issuerId, certificateId, this.clock.now());
    if (!revoked) throw new DomainError('NOT_FOUND');
    this.logger.info({ tenant_id: tenant.tenantId, issuer_id: issuerId, certificate_id: certificateId }, 'certificate revoked');
  }
}
