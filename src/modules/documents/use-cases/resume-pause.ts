import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { actLine } from '../../../platform/audit/audit-trail.js';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { DomainError } from '../../../shared/domain-error.js';
import { CLOCK, type Clock } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { PauseRecord } from '../documents.acts.responses.js';

/** How many documents are woken in one transaction, far below what a statement has time for. */
const WOKEN_AT_ONCE = 10_000;

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
       from (select p.*, record_act($1, $5) from end_pause($1, $2, $3, $4) p) resumed`,
      [issuerId, pauseId, now, line],
    );
    if (!pause) throw new DomainError('NOT_FOUND');
    await this.wake(tenant, pauseId, now);
    return pause;
  }

  /** The pause has ended: what is not woken here, because the process ends, wakes by itself within ten minutes. */
  private async wake({ tenantId }: TenantContext, pauseId: string, now: Date): Promise<void> {
    const some = async (): Promise<number> =>
      (await this.transaction.call<{ woken: number }>(tenantId, 'select wake_resumed($1, $2, $3, $4) as woken', [pauseId, now, WOKEN_AT_ONCE]))[0]?.woken ?? 0;
    while ((await some()) > 0);
  }
}
