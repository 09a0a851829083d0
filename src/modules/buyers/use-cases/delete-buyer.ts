import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { BuyersRepository } from '../persistence/buyers.repository.js';

/** Deletes a profile for good: it holds personal data and nothing refers to it. To only put a buyer aside, make the profile inactive. */
export class DeleteBuyer extends Command<void> {
  constructor(
    readonly tenant: TenantContext,
    readonly profileId: string,
  ) {
    super();
  }
}

@CommandHandler(DeleteBuyer)
export class DeleteBuyerHandler implements ICommandHandler<DeleteBuyer> {
  constructor(
    private readonly buyers: BuyersRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, profileId }: DeleteBuyer): Promise<void> {
    if (!(await this.buyers.delete(tenant, profileId, this.clock.now()))) throw new DomainError('NOT_FOUND');
  }
}
