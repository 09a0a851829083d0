import { echo, ValidationFailure } from '../../platform/http/validation-failure.js';

/** A place in the order of a tenant's events: transaction and position, both wider than a number holds. */
export interface EventPlace {
  readonly xid: string;
  readonly position: string;
}

/** Before all events. */
export const BEFORE_ALL: EventPlace = { xid: '0', position: '0' };

const PLACE = /^(\d{1,20})\.(\d{1,19})$/;
const MAX_XID = 2n ** 64n - 1n;
const MAX_POSITION = 2n ** 63n - 1n;

/** A place as callers hold it: a word that means nothing to them. */
export const cursorOf = ({ xid, position }: EventPlace): string => Buffer.from(`${xid}.${position}`).toString('base64url');

/**
 * The place that a cursor stands for.
 * @param loc where the cursor came from, for the finding
 * @throws ValidationFailure when it is none of ours
 */
export function placeOf(cursor: string, loc: readonly string[]): EventPlace {
  const [, xid, position] = PLACE.exec(Buffer.from(cursor.slice(0, 64), 'base64url').toString('latin1')) ?? [];
  if (xid !== undefined && position !== undefined && BigInt(xid) <= MAX_XID && BigInt(position) <= MAX_POSITION && cursorOf({ xid, position }) === cursor) return { xid, position };
  throw new ValidationFailure([{ loc, type: 'cursor', input: echo(cursor), ctx: {} }]);
}
