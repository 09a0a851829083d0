import type { CallHandler, ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { finalize, type Observable } from 'rxjs';
import { DomainError } from '../../shared/domain-error.js';
import { answered } from './answered.js';
import type { ServiceRequest } from './service-request.js';
import { TenantSlots } from './tenant-slots.js';

/** Until then one of the calls under way may have ended. */
const RETRY_AFTER_SECONDS = 10;

/** Calls of one kind, each of them much work, that each tenant has under way on this process. */
export class CallSlots {
  private readonly slots: TenantSlots;

  /** @param calls their name in a refusal, and so among the metrics */
  constructor(
    private readonly calls: string,
    private readonly limit: number,
  ) {
    this.slots = new TenantSlots(limit);
  }

  /**
   * Takes a slot.
   * @returns gives it back; to be called once
   * @throws DomainError RATE_LIMITED when the tenant has taken all of its slots
   */
  take(tenantId: string): () => void {
    const leave = this.slots.take(tenantId);
    if (leave !== null) return leave;
    throw new DomainError('RATE_LIMITED', { limit: this.limit, limits: this.calls, retry_after_seconds: RETRY_AFTER_SECONDS });
  }

  /** Goes on with a call in a slot that its tenant takes: it is kept until nobody works on the answer and nobody reads it. */
  hold(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const { tenant } = http.getRequest<ServiceRequest>();
    if (tenant === undefined) throw new Error('slots are of a tenant');
    const leave = this.take(tenant.tenantId);
    const over = answered(http.getResponse<Response>());
    return next.handle().pipe(finalize(() => void over.then(leave)));
  }
}
