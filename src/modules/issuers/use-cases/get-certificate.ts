import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Language } from '../../../shared/language.js';
import { found } from '../../../shared/found.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { certificateAnswer } from '../answers/certificate-answer.js';
import type { CertificateEntry } from '../issuers.responses.js';
import { CertificatesRepository } from '../persistence/certificates.repository.js';

/** One certificate of an issuer. */
export class GetCertificate extends Query<CertificateEntry> {
  constructor(
    readonly tenant: TenantContext,
    readonly issuerId: string,
    readonly certificateId: string,
    readonly language: Language,
  ) {
    super();
  }
}

@QueryHandler(GetCertificate)
export class GetCertificateHandler implements IQueryHandler<GetCertificate> {
  constructor(
    private readonly certificates: CertificatesRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, issuerId, certificateId, language }: GetCertificate): Promise<CertificateEntry> {
    return certificateAnswer(found(await this.certificates.find(tenant.tenantId, issuerId, certificateId)), this.clock.now(), language);
  }
}
