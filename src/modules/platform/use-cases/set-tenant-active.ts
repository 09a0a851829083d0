import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import { type PlatformAdmin, PlatformRepository } from '../persistence/platform.repository.js';
import type { PlatformTenantRecord } from '../platform.responses.js';

/** Closes a tenant to its members and keys, or opens it again. Documents that it has issued go on. */
export class SetTenantActive extends Command<PlatformTenantRecord> {
  constructor(
    readonly admin: PlatformAdmin,
    readonly tenantId: string,
    readonly isActive: boolean,
  ) {
    super();
  }
}

@CommandHandler(SetTenantActive)
export class SetTenantActiveHandler implements ICommandHandler<SetTenantActive> {
  constructor(
    private readonly platform: PlatformRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ admin, tenantId, isActive }: SetTenantActive): Promise<PlatformTenantRecord> {
    return found(await this.platform.setActive(admin, tenantId, isActive, this.clock.now()));
  }
}
