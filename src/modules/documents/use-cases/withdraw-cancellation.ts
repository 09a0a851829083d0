import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { decideWithdrawal } from '../domain/cancellation.js';
import { DocumentActs } from './document-acts.js';

/** Takes a cancellation back that was asked for and not yet done. */
export class WithdrawCancellation extends Command<void> {
  constructor(
    readonly tenant: TenantContext,
    readonly documentId: string,
  ) {
    super();
  }
}

@CommandHandler(WithdrawCancellation)
export class WithdrawCancellationHandler implements ICommandHandler<WithdrawCancellation> {
  constructor(private readonly acts: DocumentActs) {}

  async execute({ tenant, documentId }: WithdrawCancellation): Promise<void> {
    await this.acts.perform(tenant, documentId, { action: 'document.cancellation_withdrawn' }, ({ state }) => ({ decision: decideWithdrawal(state) }));
  }
}
