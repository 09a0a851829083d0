import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK, type Ids, IDS } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { checkRuc } from '../../../sri/taxpayer-id.js';
import { issuerAnswer } from '../answers/issuer-answer.js';
import type { IssuerCreateDto } from '../issuers.dto.js';
import type { IssuerRecord } from '../issuers.responses.js';
import { IssuersRepository } from '../persistence/issuers.repository.js';
import { logoBytes } from '../domain/logo.js';

/** Registers a taxpayer that the tenant issues for. It may issue once a certificate has proved its RUC. */
export class CreateIssuer extends Command<IssuerRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly input: IssuerCreateDto,
  ) {
    super();
  }
}

@CommandHandler(CreateIssuer)
export class CreateIssuerHandler implements ICommandHandler<CreateIssuer> {
  constructor(
    private readonly issuers: IssuersRepository,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  async execute({ tenant, input }: CreateIssuer): Promise<IssuerRecord> {
    const { ruc, logo, ...values } = input;
    const check = checkRuc(ruc, { strict: this.settings.STRICT_RUC_CHECK });
    if (!check.valid) throw new DomainError('INVALID_RUC', { field: 'ruc', problem: check.problem });
    return issuerAnswer(await this.issuers.insert(tenant, this.ids.uuid(), ruc, { ...values, logo: logoBytes(logo) ?? null }, this.clock.now()));
  }
}
