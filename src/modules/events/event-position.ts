import { echo, ValidationFailure } from '../../platform/http/validation-failure.js';

/** A position in the order of a tenant's events: its transaction and its position therein, both wider than a number holds. */
export interface EventPosition {
  readonly xid: string;
  readonly position: string;
  /** The life of the database in which it was given, empty for the first; null: a position that is the same in every life. */
  readonly lineage: string | null;
  /** How many removals of the tenant's events its reader began after, where it lies before the newest of these events, else 0; null: begins. */
  readonly removals: number | null;
}

/** Before all events. */
export const BEFORE_ALL: EventPosition = { xid: '0', position: '0', lineage: null, removals: null };

const WRITTEN = /^(\d{1,20})\.(\d{1,19})(?:\.([0-9a-f]{8}))?(?:~([1-9]\d{0,9}))?$/;
/** Of a cursor, in letters. */
export const LONGEST_CURSOR = 80;
const MAX_XID = 2n ** 64n - 1n;
const MAX_POSITION = 2n ** 63n - 1n;
const MAX_REMOVALS = 2 ** 31 - 1;

/** A position as callers hold it: a word that means nothing to them. */
export const cursorOf = ({ xid, position, lineage, removals }: EventPosition): string =>
  Buffer.from(`${xid}.${position}${lineage ? `.${lineage}` : ''}${removals ? `~${removals}` : ''}`).toString('base64url');

/**
 * The position that a cursor stands for.
 * @param loc where the cursor came from, for the finding
 * @throws ValidationFailure when it is none of ours
 */
export function positionOf(cursor: string, loc: readonly string[]): EventPosition {
  const [, xid, position, lineage = '', removed = '0'] = WRITTEN.exec(Buffer.from(cursor.slice(0, LONGEST_CURSOR), 'base64url').toString('latin1')) ?? [];
  const removals = Number(removed);
  const isOurs = xid !== undefined && position !== undefined && BigInt(xid) <= MAX_XID && BigInt(position) <= MAX_POSITION && removals <= MAX_REMOVALS;
  if (isOurs && cursorOf({ xid, position, lineage, removals }) === cursor) return { xid, position, lineage, removals };
  throw new ValidationFailure([{ loc, type: 'cursor', input: echo(cursor), ctx: {} }]);
}

/**
 * Refuses a position from which a reader would pass over events: it was given before the database went on from an earlier
 * point, since which what happened has other positions, or events behind it are gone because they were too old.
 * @param found what was found behind it
 * @throws ValidationFailure that says to start anew
 */
export function refuseExpired(given: EventPosition, found: { readonly at: EventPosition; readonly isExpired: boolean }, loc: readonly string[]): void {
  const isOfThisLife = given.lineage === null || given.lineage === found.at.lineage;
  if (isOfThisLife && !found.isExpired) return;
  throw new ValidationFailure([{ loc, type: 'cursor_expired', input: echo(cursorOf(given)), ctx: {} }]);
}
