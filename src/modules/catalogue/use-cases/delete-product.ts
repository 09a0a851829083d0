import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { ProductsRepository } from '../persistence/products.repository.js';

/** Takes a product out of the catalogue; its row stays, its code may be used again. */
export class DeleteProduct extends Command<void> {
  constructor(
    readonly tenant: TenantContext,
    readonly productId: string,
  ) {
    super();
  }
}

@CommandHandler(DeleteProduct)
export class DeleteProductHandler implements ICommandHandler<DeleteProduct> {
  constructor(
    private readonly products: ProductsRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, productId }: DeleteProduct): Promise<void> {
    if (!(await this.products.remove(tenant, productId, this.clock.now()))) throw new DomainError('NOT_FOUND');
  }
}
