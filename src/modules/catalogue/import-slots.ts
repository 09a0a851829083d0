import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { CallSlots } from '../../platform/http/call-slots.js';

const LIMIT = 2;

/** For the description of the route. */
export const IMPORTS_BOUND = `A tenant has at most ${LIMIT} imports under way at once on each process; one more is refused with 429.`;

/** Imports that each tenant has under way on this process: each is work for seconds and holds a connection to the database. */
@Injectable()
export class ImportSlots extends CallSlots {
  constructor() {
    super('imports', LIMIT);
  }
}

/** A slot is taken before the file is read, so that no more files than slots are in memory. */
@Injectable()
export class TakesImportSlot implements NestInterceptor {
  constructor(private readonly slots: ImportSlots) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return this.slots.hold(context, next);
  }
}
