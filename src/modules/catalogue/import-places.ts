import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { inPlace } from '../../platform/http/in-place.js';
import { TenantPlaces } from '../../platform/http/tenant-places.js';
import { Meters } from '../../platform/observability/meters.js';
import { DomainError } from '../../shared/domain-error.js';

/** Imports that a tenant may have under way at once on one process: each is work for seconds and holds a connection to the database. */
const LIMIT = 2;
/** Until then one of those under way may have ended. */
const RETRY_AFTER_SECONDS = 10;

/** For the description of the route. */
export const IMPORTS_BOUND = `A tenant has at most ${LIMIT} imports under way at once on each process; one more is refused with 429.`;

/** Imports that each tenant has under way on this process. */
@Injectable()
export class ImportPlaces {
  private readonly places = new TenantPlaces(LIMIT);

  constructor(private readonly meters: Meters) {}

  /**
   * Takes a place.
   * @returns gives it back; to be called once
   * @throws DomainError RATE_LIMITED when the tenant has taken all of its places
   */
  take(tenantId: string): () => void {
    const leave = this.places.take(tenantId);
    if (leave !== null) return leave;
    this.meters.count('rateLimited', { bucket: 'imports' });
    throw new DomainError('RATE_LIMITED', { limit: LIMIT, limits: 'imports', retry_after_seconds: RETRY_AFTER_SECONDS });
  }
}

/** A place is taken before the file is read, so that no more files than places are in memory, until the answer is given. */
@Injectable()
export class TakesImportPlace implements NestInterceptor {
  constructor(private readonly places: ImportPlaces) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return inPlace(context, next, this.places);
  }
}
