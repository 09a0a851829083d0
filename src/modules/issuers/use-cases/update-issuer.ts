import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { issuerAnswer } from '../answers/issuer-answer.js';
import type { IssuerUpdateDto } from '../issuers.dto.js';
import type { IssuerRecord } from '../issuers.responses.js';
import { IssuersRepository } from '../persistence/issuers.repository.js';
import { logoBytes } from '../domain/logo.js';

/** Changes the given fields of an issuer; issued documents keep the snapshot they were issued with. */
export class UpdateIssuer extends Command<IssuerRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly issuerId: string,
    readonly input: IssuerUpdateDto,
  ) {
    super();
  }
}

@CommandHandler(UpdateIssuer)
export class UpdateIssuerHandler implements ICommandHandler<UpdateIssuer> {
  constructor(
    private readonly issuers: IssuersRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, issuerId, input }: UpdateIssuer): Promise<IssuerRecord> {
    const { logo, ...others } = input;
    const values = logo === undefined ? others : { ...others, logo: logoBytes(logo) ?? null };
    return issuerAnswer(found(await this.issuers.update(tenant, issuerId, values, this.clock.now())));
  }
}
