import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ValidationFailure } from '../../../platform/http/validation-failure.js';
import { generateApiKey } from '../../../platform/security/api-key.js';
import { type Chance, CHANCE, type Clock, CLOCK, type Ids, IDS } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { ApiKeyCreated } from '../api-keys.responses.js';
import { ApiKeysRepository, MOST_KEYS } from '../persistence/api-keys.repository.js';

/** Makes a key of this deployment's environment. The answer holds the only copy of it. */
export class CreateApiKey extends Command<ApiKeyCreated> {
  constructor(
    readonly tenant: TenantContext,
    readonly name: string,
  ) {
    super();
  }
}

@CommandHandler(CreateApiKey)
export class CreateApiKeyHandler implements ICommandHandler<CreateApiKey> {
  constructor(
    private readonly keys: ApiKeysRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(CHANCE) private readonly chance: Chance,
  ) {}

  async execute({ tenant, name }: CreateApiKey): Promise<ApiKeyCreated> {
    const { clear, prefix, hash } = generateApiKey(this.chance, tenant.environment);
    const record = await this.keys.insert(tenant, { id: this.ids.uuid(), name, prefix, hash }, this.clock.now());
    if (record === null) throw new ValidationFailure([{ loc: ['body', 'name'], type: 'too_many_keys', input: null, ctx: { max: MOST_KEYS } }]);
    return { ...record, key: clear };
  }
}
