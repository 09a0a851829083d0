import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ValidationFailure } from '../../../platform/http/validation-failure.js';
import { type Clock, CLOCK, type Ids, IDS } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { WebhooksRepository } from '../persistence/webhooks.repository.js';
import { WebhookAddresses } from '../webhook-addresses.js';
import { WebhookSecrets } from '../webhook-secret.js';
import type { WebhookCreateDto } from '../webhooks.dto.js';
import type { WebhookCreated } from '../webhooks.responses.js';

/** Every event is fanned out to each of them in its own transaction. */
const MOST_WEBHOOKS = 20;

/** Names an address that events are sent to; answers the secret that signs them, once. */
export class CreateWebhook extends Command<WebhookCreated> {
  constructor(
    readonly tenant: TenantContext,
    readonly input: WebhookCreateDto,
  ) {
    super();
  }
}

@CommandHandler(CreateWebhook)
export class CreateWebhookHandler implements ICommandHandler<CreateWebhook> {
  constructor(
    private readonly webhooks: WebhooksRepository,
    private readonly addresses: WebhookAddresses,
    private readonly secrets: WebhookSecrets,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  async execute({ tenant, input }: CreateWebhook): Promise<WebhookCreated> {
    const url = await this.addresses.accepted(input.url);
    const id = this.ids.uuid();
    const secret = await this.secrets.draw(tenant.tenantId, id);
    const webhook = { id, url, kinds: input.kinds ?? null, description: input.description ?? null, is_active: input.is_active };
    const record = await this.webhooks.insert(tenant, webhook, secret, MOST_WEBHOOKS, this.clock.now());
    if (record === null) throw new ValidationFailure([{ loc: ['body', 'url'], type: 'too_many_webhooks', input: null, ctx: { max: MOST_WEBHOOKS } }]);
    return { ...record, secret: secret.clear };
  }
}
