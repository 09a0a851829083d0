import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { CallSlots } from './call-slots.js';

/** For the description of a route that exports. */
export const EXPORTS_BOUND = 'A tenant has a few exports under way at once (`EXPORTS_PER_TENANT`, 4 for each process); one more is refused with 429.';

/** Exports that each tenant has under way on this process: one of a million rows is work for minutes. */
@Injectable()
export class ExportSlots extends CallSlots {
  constructor(@Inject(SETTINGS) settings: Pick<Settings, 'EXPORTS_PER_TENANT'>) {
    super('exports', settings.EXPORTS_PER_TENANT);
  }
}

/** For routes that export what a tenant has. */
@Injectable()
export class TakesExportSlot implements NestInterceptor {
  constructor(private readonly slots: ExportSlots) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return this.slots.hold(context, next);
  }
}
