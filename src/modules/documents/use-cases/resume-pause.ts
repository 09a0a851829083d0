import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { DomainError } from '../../../shared/domain-error.js';
import { CLOCK, type Clock } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { PauseRecord } from '../documents.acts.responses.js';

/** Lets the submissions of a paused scope go on; the documents the SRI refused meanwhile are retried one by one. Resuming twice is the same as once. */
export class ResumePause extends Command<PauseRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly issuerId: string,
    readonly pauseId: string,
  ) {
    super();
  }
}

@CommandHandler(ResumePause)
export class ResumePauseHandler implements ICommandHandler<ResumePause> {
  constructor(
    private readonly transaction: TenantTransaction,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, issuerId, pauseId }: ResumePause): Promise<PauseRecord> {
    return this.transaction.run(tenant.tenantId, async (manager) => {
      const [rows] = await manager.query<[PauseRecord[], number]>(
        `update issuing_pauses set resumed_at = coalesce(resumed_at, $4) where tenant_id = $1 and issuer_id = $2 and id = $3
         returning id, scope, issuer_id, establishment_id, emission_point_id, document_type, code as sri_code, document_id, created_at, resumed_at`,
        [tenant.tenantId, issuerId, pauseId, this.clock.now()],
      );
      const [pause] = rows;
      if (!pause) throw new DomainError('NOT_FOUND');
      return pause;
    });
  }
}
