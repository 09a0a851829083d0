import { echo, ValidationFailure } from '../../platform/http/validation-failure.js';

/** A place in the order of a tenant's events: transaction and position, both wider than a number holds. */
export interface EventPlace {
  readonly xid: string;
  readonly position: string;
  /** The life of the database in which it was given, empty for the first; null: a place that is the same in every life. */
  readonly lineage: string | null;
}

/** Before all events. */
export const BEFORE_ALL: EventPlace = { xid: '0', position: '0', lineage: null };

const PLACE = /^(\d{1,20})\.(\d{1,19})(?:\.([0-9a-f]{8}))?$/;
const LONGEST = 66;
const MAX_XID = 2n ** 64n - 1n;
const MAX_POSITION = 2n ** 63n - 1n;

/** A place as callers hold it: a word that means nothing to them. */
export const cursorOf = ({ xid, position, lineage }: EventPlace): string => Buffer.from(`${xid}.${position}${lineage ? `.${lineage}` : ''}`).toString('base64url');

/**
 * The place that a cursor stands for.
 * @param loc where the cursor came from, for the finding
 * @throws ValidationFailure when it is none of ours
 */
export function placeOf(cursor: string, loc: readonly string[]): EventPlace {
  const [, xid, position, lineage = ''] = PLACE.exec(Buffer.from(cursor.slice(0, LONGEST), 'base64url').toString('latin1')) ?? [];
  const isOurs = xid !== undefined && position !== undefined && BigInt(xid) <= MAX_XID && BigInt(position) <= MAX_POSITION;
  if (isOurs && cursorOf({ xid, position, lineage }) === cursor) return { xid, position, lineage };
  throw new ValidationFailure([{ loc, type: 'cursor', input: echo(cursor), ctx: {} }]);
}

/**
 * Refuses a place that was given before the database went on from an earlier point: what happened since then has other
 * places, so that a reader who went on from there would pass over some of it.
 * @throws ValidationFailure that says to start anew
 */
export function refuseOtherLife(place: EventPlace, current: EventPlace, loc: readonly string[]): void {
  if (place.lineage === null || place.lineage === current.lineage) return;
  throw new ValidationFailure([{ loc, type: 'cursor_expired', input: echo(cursorOf(place)), ctx: {} }]);
}
