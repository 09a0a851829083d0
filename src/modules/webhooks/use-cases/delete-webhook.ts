import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { WebhooksRepository } from '../persistence/webhooks.repository.js';

/** Removes a webhook with its secrets; what is still on its way is not sent. */
export class DeleteWebhook extends Command<void> {
  constructor(
    readonly tenant: TenantContext,
    readonly webhookId: string,
  ) {
    super();
  }
}

@CommandHandler(DeleteWebhook)
export class DeleteWebhookHandler implements ICommandHandler<DeleteWebhook> {
  constructor(
    private readonly webhooks: WebhooksRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, webhookId }: DeleteWebhook): Promise<void> {
    if (!(await this.webhooks.remove(tenant, webhookId, this.clock.now()))) throw new DomainError('NOT_FOUND');
  }
}
