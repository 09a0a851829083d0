import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import { type Clock, CLOCK, type Ids, IDS } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { EstablishmentCreateDto } from '../issuers.dto.js';
import type { EstablishmentRecord } from '../issuers.responses.js';
import { EstablishmentsRepository } from '../persistence/establishments.repository.js';

/** Adds an establishment to an issuer. */
export class CreateEstablishment extends Command<EstablishmentRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly issuerId: string,
    readonly input: EstablishmentCreateDto,
  ) {
    super();
  }
}

@CommandHandler(CreateEstablishment)
export class CreateEstablishmentHandler implements ICommandHandler<CreateEstablishment> {
  constructor(
    private readonly establishments: EstablishmentsRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  async execute({ tenant, issuerId, input }: CreateEstablishment): Promise<EstablishmentRecord> {
    const establishment = { id: this.ids.uuid(), issuerId, code: input.code, name: input.name ?? null, address: input.address };
    return found(await this.establishments.insert(tenant, establishment, this.clock.now()));
  }
}
