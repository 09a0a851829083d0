import type { Request } from 'express';
import type { TenantContext } from '../../shared/tenant-context.js';
import type { SignedInPerson } from '../security/person.js';
import { plainAddress } from './caller-address.js';

/** A request on its way through the pipeline: what middleware and guards have added so far. */
export interface ServiceRequest extends Request {
  /** Set first of all; echoed as `X-Request-Id`. */
  requestId?: string;
  /** Set where `Expect` asks for something else than `100-continue`. */
  hasUnknownExpectation?: true;
  /** Set by the authentication guard where a permission was asked for; absent on other routes. */
  tenant?: TenantContext;
  /** Set by the authentication guard when a person calls, not a key. */
  person?: SignedInPerson;
  /** The key or person that calls, once its credential is found good, though the call be refused for its tenant. */
  callerId?: string;
  /** Set when the access token is one of ours and of no session that is open. */
  hasEndedSession?: true;
  /** The access token under examination. */
  presentedToken?: string;
  /** When all was done but the wait that the caller asked for, by the process's own clock (`hrtime`). */
  waitsSince?: bigint;
}

/** What the audit log keeps of a request besides who made it. */
export interface RequestOrigin {
  readonly requestId: string;
  /** The client's address as far as it can be known; null when the connection is already gone. */
  readonly address: string | null;
}

export const originOf = (request: ServiceRequest): RequestOrigin => ({
  requestId: request.requestId ?? '',
  address: plainAddress(request.ip),
});
