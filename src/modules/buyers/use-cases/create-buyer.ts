import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { type Clock, CLOCK, type Ids, IDS } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { BuyerCreateDto } from '../buyers.dto.js';
import type { BuyerRecord } from '../buyers.responses.js';
import { OF_PROFILE, refuseIdentification } from '../identification/refuse-identification.js';
import { BuyersRepository } from '../persistence/buyers.repository.js';

/** Keeps a profile of somebody whom the tenant deals with. */
export class CreateBuyer extends Command<BuyerRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly input: BuyerCreateDto,
  ) {
    super();
  }
}

@CommandHandler(CreateBuyer)
export class CreateBuyerHandler implements ICommandHandler<CreateBuyer> {
  constructor(
    private readonly buyers: BuyersRepository,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  async execute({ tenant, input }: CreateBuyer): Promise<BuyerRecord> {
    const { buyer_id_type: idType, buyer_id: id, ...values } = input;
    refuseIdentification(OF_PROFILE, idType, id, this.settings.STRICT_RUC_CHECK);
    return this.buyers.insert(tenant, this.ids.uuid(), { idType, id }, values, this.clock.now());
  }
}
