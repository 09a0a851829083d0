import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { CallTurns } from '../../platform/http/call-turns.js';
import type { ServiceRequest } from '../../platform/http/service-request.js';

/** For the description of the routes. */
export const DRAFTS_BOUND = 'Drafts and dry runs of a tenant that are large, and changes of drafts, are worked on one at a time on each process; more wait for their turn, and are refused with 429 where too many wait.';

/** Below it a body is a matter of milliseconds. */
const LARGE_BODY_BYTES = 65_536;

/**
 * What tenants draft and try on this process. A document of thousands of lines keeps the process's one thread busy for a third of a
 * second, and nothing else is answered meanwhile.
 */
@Injectable()
export class DraftTurns extends CallTurns {
  constructor() {
    super('drafts', { atOnce: 4, atOnceOfTenant: 1, waiting: 400, waitingOfTenant: 40 });
  }
}

/** For routes that judge a whole document. Of a change only the stored draft shows how large that is. */
@Injectable()
export class TakesDraftTurn implements NestInterceptor {
  constructor(private readonly turns: DraftTurns) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const { method, headers } = context.switchToHttp().getRequest<ServiceRequest>();
    const isSmall = method !== 'PATCH' && Number(headers['content-length'] ?? Infinity) < LARGE_BODY_BYTES;
    return isSmall ? next.handle() : this.turns.hold(context, next);
  }
}
