import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { IssuersRepository } from '../persistence/issuers.repository.js';

/** Removes an issuer that holds no document, with all that belongs to it. */
export class DeleteIssuer extends Command<void> {
  constructor(
    readonly tenant: TenantContext,
    readonly issuerId: string,
  ) {
    super();
  }
}

@CommandHandler(DeleteIssuer)
export class DeleteIssuerHandler implements ICommandHandler<DeleteIssuer> {
  constructor(
    private readonly issuers: IssuersRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, issuerId }: DeleteIssuer): Promise<void> {
    if (!(await this.issuers.remove(tenant, issuerId, this.clock.now()))) throw new DomainError('NOT_FOUND');
  }
}
