/** Wrong passwords in a row that close the way of passwords, and for how long. */
export const FAILURES_BEFORE_LOCK = 10;
export const LOCK_MS = 15 * 60_000;
