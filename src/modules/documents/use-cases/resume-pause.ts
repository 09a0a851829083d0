import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { actLine } from '../../../platform/audit/audit-trail.js';
import { found } from '../../../shared/found.js';
import { CLOCK, type Clock } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { PauseRecord } from '../documents.actions.responses.js';
import { PausesRepository } from '../persistence/pauses.repository.js';

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
    private readonly pauses: PausesRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, issuerId, pauseId }: ResumePause): Promise<PauseRecord> {
    const act = actLine(tenant, { action: 'pause.resumed', target: { kind: 'pause', id: pauseId }, detail: { issuer_id: issuerId } }, this.clock.now());
    const pause = found(await this.pauses.end(tenant.tenantId, issuerId, pauseId, act));
    // The pause has ended: what is not woken here, because the process ends, wakes by itself within ten minutes.
    while ((await this.pauses.wake(tenant.tenantId, pauseId, WOKEN_AT_ONCE)) > 0);
    return pause;
  }
}
