import { echo, ValidationFailure } from '../../platform/http/validation-failure.js';

/** A position in the order of a tenant's events: its transaction and its position therein, both wider than a number holds. */
export interface EventPosition {
  readonly xid: string;
  readonly position: string;
  /** The life of the database in which it was given, empty for the first; null: a position that is the same in every life. */
  readonly lineage: string | null;
}

/** Before all events. */
export const BEFORE_ALL: EventPosition = { xid: '0', position: '0', lineage: null };

const WRITTEN = /^(\d{1,20})\.(\d{1,19})(?:\.([0-9a-f]{8}))?$/;
const LONGEST = 66;
const MAX_XID = 2n ** 64n - 1n;
const MAX_POSITION = 2n ** 63n - 1n;

/** A position as callers hold it: a word that means nothing to them. */
export const cursorOf = ({ xid, position, lineage }: EventPosition): string => Buffer.from(`${xid}.${position}${lineage ? `.${lineage}` : ''}`).toString('base64url');

/**
 * The position that a cursor stands for.
 * @param loc where the cursor came from, for the finding
 * @throws ValidationFailure when it is none of ours
 */
export function positionOf(cursor: string, loc: readonly string[]): EventPosition {
  const [, xid, position, lineage = ''] = WRITTEN.exec(Buffer.from(cursor.slice(0, LONGEST), 'base64url').toString('latin1')) ?? [];
  const isOurs = xid !== undefined && position !== undefined && BigInt(xid) <= MAX_XID && BigInt(position) <= MAX_POSITION;
  if (isOurs && cursorOf({ xid, position, lineage }) === cursor) return { xid, position, lineage };
  throw new ValidationFailure([{ loc, type: 'cursor', input: echo(cursor), ctx: {} }]);
}

/**
 * Refuses a position that was given before the database went on from an earlier point: what happened since then has other
 * positions, so that a reader who went on from there would pass over some of it.
 * @throws ValidationFailure that says to start anew
 */
export function refuseOtherLife(given: EventPosition, current: EventPosition, loc: readonly string[]): void {
  if (given.lineage === null || given.lineage === current.lineage) return;
  throw new ValidationFailure([{ loc, type: 'cursor_expired', input: echo(cursorOf(given)), ctx: {} }]);
}
