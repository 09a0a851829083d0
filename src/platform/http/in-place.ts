import type { CallHandler, ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { finalize, type Observable } from 'rxjs';
import { answered } from './answered.js';
import type { ServiceRequest } from './service-request.js';

/** Goes on in a place that the tenant takes: it is kept until nobody works on the answer and nobody reads it. */
export function inPlace(context: ExecutionContext, next: CallHandler, places: { take(tenantId: string): () => void }): Observable<unknown> {
  const http = context.switchToHttp();
  const { tenant } = http.getRequest<ServiceRequest>();
  if (tenant === undefined) throw new Error('places are of a tenant');
  const leave = places.take(tenant.tenantId);
  const over = answered(http.getResponse<Response>());
  return next.handle().pipe(finalize(() => void over.then(leave)));
}
