import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { EstablishmentsRepository } from '../persistence/establishments.repository.js';

/** Removes an establishment that holds no document, with its emission points. */
export class DeleteEstablishment extends Command<void> {
  constructor(
    readonly tenant: TenantContext,
    readonly issuerId: string,
    readonly establishmentId: string,
  ) {
    super();
  }
}

@CommandHandler(DeleteEstablishment)
export class DeleteEstablishmentHandler implements ICommandHandler<DeleteEstablishment> {
  constructor(
    private readonly establishments: EstablishmentsRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, issuerId, establishmentId }: DeleteEstablishment): Promise<void> {
    if (!(await this.establishments.remove(tenant, issuerId, establishmentId, this.clock.now()))) throw new DomainError('NOT_FOUND');
  }
}
