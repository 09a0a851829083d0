import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { actLine } from '../../../platform/audit/audit-trail.js';
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
    const now = this.clock.now();
    const line = actLine(tenant, { action: 'pause.resumed', target: { kind: 'pause', id: pauseId }, detail: { issuer_id: issuerId } }, now);
    const [pause] = await this.transaction.call<PauseRecord>(
      tenant.tenantId,
      `select id, tenant_id, scope, issuer_id, establishment_id, emission_point_id, document_type, code as sri_code, document_id, created_at, resumed_at
       from (select p.*, record_act($1, $5) from resume_pause($1, $2, $3, $4) p) resumed`,
      [issuerId, pauseId, now, line],
    );
    if (!pause) throw new DomainError('NOT_FOUND');
    return pause;
  }
}
