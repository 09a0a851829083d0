import { ApiHeader } from '@nestjs/swagger';
import type { Response } from 'express';
import type { ServiceRequest } from './service-request.js';

const MAX_WAIT_SECONDS = 30;

/** Describes the header of an operation that waits with its caller. */
export const TakesPrefer = (): MethodDecorator =>
  ApiHeader({
    name: 'Prefer',
    required: false,
    description: `wait=N: wait up to N seconds (1 to ${MAX_WAIT_SECONDS}) until the document is decided, or waits for a person (under a pause or for a certificate too)`,
  });

/**
 * Seconds a caller is ready to wait until a document is decided, or waits for a
 * person, from `Prefer: wait=N` (RFC 7240), cut to 30. Null when not asked for or
 * not understood: a preference that a server does not know is ignored.
 */
export function preferredWait(header: string | undefined): number | null {
  const match = /(?:^|[,;]\s*)wait\s*=\s*"?(\d{1,9})"?\s*(?:$|[,;])/i.exec(header ?? '');
  const seconds = Number(match?.[1] ?? 0);
  return seconds >= 1 ? Math.min(seconds, MAX_WAIT_SECONDS) : null;
}

/** How long a caller waits. */
export interface Wait {
  readonly seconds: number;
  /** Whether its connection is gone, so that nobody waits any more. */
  readonly hasLeft: () => boolean;
}

/** Begins the wait that a caller asked for, behind all that the service had to do: how long it takes is not the service's slowness. */
export function beginWait(response: Response, seconds: number): Wait {
  response.setHeader('Preference-Applied', `wait=${seconds}`);
  (response.req as ServiceRequest).waitsSince = process.hrtime.bigint();
  return { seconds, hasLeft: () => response.closed || response.req.socket.destroyed };
}
