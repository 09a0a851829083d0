import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Language } from '../../../shared/language.js';
import { found } from '../../../shared/found.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { certificateAnswer } from '../answers/certificate-answer.js';
import type { CertificateList } from '../issuers.responses.js';
import { CertificatesRepository } from '../persistence/certificates.repository.js';

/** The certificates of an issuer that are not revoked, and the newest revoked ones, newest first. */
export class ListCertificates extends Query<CertificateList> {
  constructor(
    readonly tenant: TenantContext,
    readonly issuerId: string,
    readonly language: Language,
  ) {
    super();
  }
}

@QueryHandler(ListCertificates)
export class ListCertificatesHandler implements IQueryHandler<ListCertificates> {
  constructor(
    private readonly certificates: CertificatesRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, issuerId, language }: ListCertificates): Promise<CertificateList> {
    const { rows, total } = found(await this.certificates.list(tenant.tenantId, issuerId));
    const now = this.clock.now();
    return { items: rows.map((row) => certificateAnswer(row, now, language)), total };
  }
}
