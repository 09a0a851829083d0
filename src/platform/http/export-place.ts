import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { DomainError } from '../../shared/domain-error.js';
import { Meters } from '../observability/meters.js';
import { inPlace } from './in-place.js';
import { TenantPlaces } from './tenant-places.js';

/** Until then one of those under way may have ended. */
const RETRY_AFTER_SECONDS = 10;

/** For the description of a route that exports. */
export const EXPORTS_BOUND = 'A tenant has a few exports under way at once (`EXPORTS_PER_TENANT`, 4 for each process); one more is refused with 429.';

/** Exports that each tenant has under way on this process: one of a million rows is work for minutes. */
@Injectable()
export class ExportPlaces {
  private readonly places: TenantPlaces;

  constructor(
    private readonly meters: Meters,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'EXPORTS_PER_TENANT'>,
  ) {
    this.places = new TenantPlaces(settings.EXPORTS_PER_TENANT);
  }

  /**
   * Takes a place.
   * @returns gives it back; to be called once
   * @throws DomainError RATE_LIMITED when the tenant has taken all of its places
   */
  take(tenantId: string): () => void {
    const leave = this.places.take(tenantId);
    if (leave !== null) return leave;
    this.meters.count('rateLimited', { bucket: 'exports' });
    throw new DomainError('RATE_LIMITED', { limit: this.settings.EXPORTS_PER_TENANT, limits: 'exports', retry_after_seconds: RETRY_AFTER_SECONDS });
  }
}

/** For routes that export what a tenant has: a place is taken until nobody works on the answer and nobody reads it. */
@Injectable()
export class TakesExportPlace implements NestInterceptor {
  constructor(private readonly places: ExportPlaces) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return inPlace(context, next, this.places);
  }
}
