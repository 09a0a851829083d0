import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Language } from '../../../shared/language.js';
import { SigningSelfTest } from '../../../platform/observability/signing-self-test.js';
import { Pkcs12Opener } from '../../../platform/secrets/pkcs12-opener.js';
import { found } from '../../../shared/found.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { certificateCarriesRuc } from '../../../sri/signing/certificate.js';
import { checksAnswer } from '../answers/certificate-answer.js';
import { refusedFindings, worstOutcome } from '../domain/certificate-checks.js';
import type { CertificateReport } from '../issuers.responses.js';
import { IssuersRepository } from '../persistence/issuers.repository.js';
import { examineCertificate } from '../signing/examine-certificate.js';

/** Tells everything that is right and wrong with a certificate for an issuer; nothing of it is kept. */
export class CheckCertificate extends Query<CertificateReport> {
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

const UNKNOWN = { subject: null, issuer_name: null, serial_number: null, ruc: null, valid_from: null, valid_to: null } as const;

@QueryHandler(CheckCertificate)
export class CheckCertificateHandler implements IQueryHandler<CheckCertificate> {
  constructor(
    private readonly issuers: IssuersRepository,
    private readonly opener: Pkcs12Opener,
    private readonly signing: SigningSelfTest,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, issuerId, file, password, language }: CheckCertificate): Promise<CertificateReport> {
    const { ruc } = found(await this.issuers.find(tenant.tenantId, issuerId));
    const now = this.clock.now();
    const opened = await this.opener.open(tenant.tenantId, file, password, ruc, now);
    if (opened.kind === 'refused') {
      const findings = refusedFindings(opened.reason);
      return { ...UNKNOWN, outcome: worstOutcome(findings), checks: checksAnswer(findings, language) };
    }
    try {
      const { description, findings } = await examineCertificate(opened, ruc, now, () => this.signing.passes());
      return {
        outcome: worstOutcome(findings),
        subject: description.subject,
        issuer_name: description.issuerName,
        serial_number: description.serialNumber,
        ruc: certificateCarriesRuc(description, ruc) ? ruc : (description.rucs[0] ?? null),
        valid_from: description.validFrom,
        valid_to: description.validTo,
        checks: checksAnswer(findings, language),
      };
    } finally {
      opened.privateKeyPkcs8.fill(0);
    }
  }
}
