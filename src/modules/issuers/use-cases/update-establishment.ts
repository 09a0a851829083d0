import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { EstablishmentUpdateDto } from '../issuers.dto.js';
import type { EstablishmentRecord } from '../issuers.responses.js';
import { EstablishmentsRepository } from '../persistence/establishments.repository.js';

/** Changes the given fields of an establishment; the code stays, for it stands in access keys. */
export class UpdateEstablishment extends Command<EstablishmentRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly issuerId: string,
    readonly establishmentId: string,
    readonly input: EstablishmentUpdateDto,
  ) {
    super();
  }
}

@CommandHandler(UpdateEstablishment)
export class UpdateEstablishmentHandler implements ICommandHandler<UpdateEstablishment> {
  constructor(
    private readonly establishments: EstablishmentsRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, issuerId, establishmentId, input }: UpdateEstablishment): Promise<EstablishmentRecord> {
    return found(await this.establishments.update(tenant, issuerId, establishmentId, input, this.clock.now()));
  }
}
