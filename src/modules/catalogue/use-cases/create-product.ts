import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, CLOCK, type Ids, IDS } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { ProductsRepository } from '../persistence/products.repository.js';
import type { ProductCreateDto } from '../products.dto.js';
import type { ProductRecord } from '../products.responses.js';
import { refuseFaulty } from '../products/refuse-faulty.js';

/** Adds a product or service to the catalogue. */
export class CreateProduct extends Command<ProductRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly input: ProductCreateDto,
  ) {
    super();
  }
}

@CommandHandler(CreateProduct)
export class CreateProductHandler implements ICommandHandler<CreateProduct> {
  constructor(
    private readonly products: ProductsRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  async execute({ tenant, input }: CreateProduct): Promise<ProductRecord> {
    const product = Object.assign({}, input, { aux_code: input.aux_code ?? null, ice_code: input.ice_code ?? null });
    refuseFaulty(product);
    return this.products.insert(tenant, Object.assign(product, { id: this.ids.uuid() }), this.clock.now());
  }
}
