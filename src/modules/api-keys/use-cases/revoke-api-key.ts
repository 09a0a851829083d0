import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { ApiKeysRepository } from '../persistence/api-keys.repository.js';

/** Takes a key out of use for ever; the next request with it is refused, on every process. A key may revoke itself. */
export class RevokeApiKey extends Command<void> {
  constructor(
    readonly tenant: TenantContext,
    readonly apiKeyId: string,
  ) {
    super();
  }
}

@CommandHandler(RevokeApiKey)
export class RevokeApiKeyHandler implements ICommandHandler<RevokeApiKey> {
  constructor(
    private readonly keys: ApiKeysRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, apiKeyId }: RevokeApiKey): Promise<void> {
    if (!(await this.keys.revoke(tenant, apiKeyId, this.clock.now()))) throw new DomainError('NOT_FOUND');
  }
}
