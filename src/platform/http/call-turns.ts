import { setImmediate } from 'node:timers/promises';
import type { CallHandler, ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { finalize, type Observable, of } from 'rxjs';
import { DomainError } from '../../shared/domain-error.js';
import { FairTurns, type Room } from '../fair-turns.js';
import type { ServiceRequest } from './service-request.js';

/** Until then some of the calls that wait have had their turn. */
const RETRY_AFTER_SECONDS = 2;

/** Calls of one kind, each of them some work, which tenants make in turns on this process: the calls of one hold those of no other up. */
export class CallTurns {
  private readonly turns: FairTurns;

  /** @param calls their name in a refusal, and so among the metrics */
  constructor(
    private readonly calls: string,
    private readonly room: Room,
  ) {
    this.turns = new FairTurns(room);
  }

  /**
   * Goes on with a call when it is its tenant's turn, which ends with the work on it; with one that nobody waits for any more, not at all.
   * @throws DomainError RATE_LIMITED when too many calls wait
   */
  async hold(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const { tenant } = http.getRequest<ServiceRequest>();
    if (tenant === undefined) throw new Error('turns are of a tenant');
    const leave = await this.turns.enter(tenant.tenantId, () => this.refusal());
    // What came meanwhile goes first: else the turns of one tenant would follow each other without a pause.
    // eslint-disable-next-line no-restricted-syntax -- no wait, but the end of the turn
    await setImmediate();
    const { closed, req } = http.getResponse<Response>();
    if (!closed && !req.socket.destroyed) return next.handle().pipe(finalize(leave));
    leave();
    // Nest wants something to answer with, though nobody reads it.
    return of(undefined);
  }

  private refusal(): DomainError {
    return new DomainError('RATE_LIMITED', { limit: this.room.atOnceOfTenant + this.room.waitingOfTenant, limits: this.calls, retry_after_seconds: RETRY_AFTER_SECONDS });
  }
}
