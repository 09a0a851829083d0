import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { catchError, type Observable } from 'rxjs';
import { isStoreOutage } from '../../platform/database/store-outage.js';
import type { ServiceRequest } from '../../platform/http/service-request.js';
import { DomainError } from '../../shared/domain-error.js';
import { isObject } from '../../shared/is-object.js';
import type { TenantContext } from '../../shared/tenant-context.js';
import { GetDocument } from './use-cases/get-document.js';

/**
 * Adds to the refusal of an act that the document's state does not allow what its record suggests: a document that waits for a
 * person allows no act of its own, and what moves it is done elsewhere. A refusal with a reason says by that what to do.
 */
@Injectable()
export class SuggestionInRefusal implements NestInterceptor {
  constructor(private readonly queries: QueryBus) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { tenant, params } = context.switchToHttp().getRequest<ServiceRequest>();
    return next.handle().pipe(
      catchError(async (refusal: unknown) => {
        throw tenant !== undefined && isOfState(refusal) ? await this.withSuggestion(refusal, tenant, String(params['document_id'])) : refusal;
      }),
    );
  }

  private async withSuggestion(refusal: DomainError & { readonly detail: object }, tenant: TenantContext, documentId: string): Promise<DomainError> {
    try {
      const { error } = await this.queries.execute(new GetDocument(tenant, documentId));
      const { suggested_action, pause_id } = (error?.detail ?? {}) as { readonly suggested_action?: string; readonly pause_id?: string };
      if (suggested_action === undefined) return refusal;
      return new DomainError(refusal.code, { ...refusal.detail, suggested_action, ...(pause_id !== undefined && { pause_id }) });
    } catch (error) {
      if (!isStoreOutage(error)) throw error;
      // It was refused, though the record can no longer be read.
      return refusal;
    }
  }
}

const isOfState = (refusal: unknown): refusal is DomainError & { readonly detail: object } =>
  refusal instanceof DomainError && refusal.code === 'INVALID_STATE' && isObject(refusal.detail) && !('reason' in refusal.detail);
