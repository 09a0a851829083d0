import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { ProductsRepository } from '../persistence/products.repository.js';
import type { ProductUpdateDto } from '../products.dto.js';
import type { ProductRecord } from '../products.responses.js';
import { refuseFaulty } from '../products/refuse-faulty.js';

/** Changes the given fields of a product; documents and drafts keep what they were written with. */
export class UpdateProduct extends Command<ProductRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly productId: string,
    readonly input: ProductUpdateDto,
  ) {
    super();
  }
}

@CommandHandler(UpdateProduct)
export class UpdateProductHandler implements ICommandHandler<UpdateProduct> {
  constructor(
    private readonly products: ProductsRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, productId, input }: UpdateProduct): Promise<ProductRecord> {
    return found(await this.products.change(tenant, productId, input, refuseFaulty, this.clock.now()));
  }
}
