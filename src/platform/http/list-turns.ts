import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { CallTurns } from './call-turns.js';

/** For the description of a route that reads such a list. */
export const LISTS_BOUND = 'Of a tenant a few lists are read at once on each process; more wait for their turn, and are refused with 429 where too many wait.';

/**
 * Lists that tenants read on this process. A search through all that a tenant has may take a second, and a connection as long:
 * the lists of one take a quarter of the connections and those of all half, so that everything else finds one.
 */
@Injectable()
export class ListTurns extends CallTurns {
  constructor(@Inject(SETTINGS) { DATABASE_POOL_SIZE }: Pick<Settings, 'DATABASE_POOL_SIZE'>) {
    const part = (of: number): number => Math.max(1, Math.floor(DATABASE_POOL_SIZE / of));
    super('lists', { atOnce: part(2), atOnceOfTenant: part(4), waiting: 400, waitingOfTenant: 40 });
  }
}

/** For routes that read a list in which a tenant may have any number of rows. */
@Injectable()
export class TakesListTurn implements NestInterceptor {
  constructor(private readonly turns: ListTurns) {}

  intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    return this.turns.hold(context, next);
  }
}
