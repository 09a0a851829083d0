import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import { type PlatformAdmin, PlatformRepository } from '../persistence/platform.repository.js';
import type { PlatformIssuerRecord } from '../platform.responses.js';

/** Lets an issuer issue nothing more (ISSUER_DISABLED), or lets it issue again. Documents that it has issued go on. */
export class SetIssuerDisabled extends Command<PlatformIssuerRecord> {
  constructor(
    readonly admin: PlatformAdmin,
    readonly tenantId: string,
    readonly issuerId: string,
    readonly disabled: boolean,
  ) {
    super();
  }
}

@CommandHandler(SetIssuerDisabled)
export class SetIssuerDisabledHandler implements ICommandHandler<SetIssuerDisabled> {
  constructor(
    private readonly platform: PlatformRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ admin, tenantId, issuerId, disabled }: SetIssuerDisabled): Promise<PlatformIssuerRecord> {
    return found(await this.platform.setIssuerDisabled(admin, tenantId, issuerId, disabled, this.clock.now()));
  }
}
