import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { TenantRecord } from '../members.responses.js';
import { TenantRepository } from '../persistence/tenant.repository.js';

/** Names the tenant anew. */
export class UpdateTenant extends Command<TenantRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly name: string,
  ) {
    super();
  }
}

@CommandHandler(UpdateTenant)
export class UpdateTenantHandler implements ICommandHandler<UpdateTenant> {
  constructor(
    private readonly tenants: TenantRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, name }: UpdateTenant): Promise<TenantRecord> {
    return { ...(await this.tenants.rename(tenant, name, this.clock.now())), sri_environment: tenant.environment };
  }
}
