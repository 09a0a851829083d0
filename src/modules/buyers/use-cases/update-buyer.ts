import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { BuyerUpdateDto } from '../buyers.dto.js';
import type { BuyerRecord } from '../buyers.responses.js';
import { BuyersRepository } from '../persistence/buyers.repository.js';

/** Changes the given fields of a profile. Issued documents keep the buyer that they were issued with. */
export class UpdateBuyer extends Command<BuyerRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly profileId: string,
    readonly input: BuyerUpdateDto,
  ) {
    super();
  }
}

@CommandHandler(UpdateBuyer)
export class UpdateBuyerHandler implements ICommandHandler<UpdateBuyer> {
  constructor(
    private readonly buyers: BuyersRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, profileId, input }: UpdateBuyer): Promise<BuyerRecord> {
    return found(await this.buyers.update(tenant, profileId, input, this.clock.now()));
  }
}
