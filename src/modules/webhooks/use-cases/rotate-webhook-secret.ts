import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { WebhooksRepository } from '../persistence/webhooks.repository.js';
import { WebhookSecrets } from '../webhook-secret.js';
import type { WebhookSecretRotated } from '../webhooks.responses.js';

/** So long messages carry the signature of the former secret too. */
const OVERLAP_MS = 24 * 60 * 60 * 1_000;

/** Puts a new secret in force; receivers have a day to learn it. */
export class RotateWebhookSecret extends Command<WebhookSecretRotated> {
  constructor(
    readonly tenant: TenantContext,
    readonly webhookId: string,
  ) {
    super();
  }
}

@CommandHandler(RotateWebhookSecret)
export class RotateWebhookSecretHandler implements ICommandHandler<RotateWebhookSecret> {
  constructor(
    private readonly webhooks: WebhooksRepository,
    private readonly secrets: WebhookSecrets,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, webhookId }: RotateWebhookSecret): Promise<WebhookSecretRotated> {
    const now = this.clock.now();
    const secret = await this.secrets.draw(tenant.tenantId, webhookId);
    const previousUntil = new Date(now.getTime() + OVERLAP_MS);
    if (!(await this.webhooks.rotateSecret(tenant, webhookId, secret, previousUntil, now))) throw new DomainError('NOT_FOUND');
    return { secret: secret.clear, previous_valid_until: previousUntil };
  }
}
