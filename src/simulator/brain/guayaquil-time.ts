const OFFSET_MS = 5 * 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Number of the calendar day in Guayaquil (UTC-5, no daylight saving) counted from 1970-01-01. */
export function guayaquilDayNumber(instant: Date): number {
  return Math.floor((instant.getTime() - OFFSET_MS) / DAY_MS);
}

/** `2026-09-15T10:15:36-05:00`: how the SRI prints an instant. */
export function guayaquilDateTime(instant: Date): string {
  return `${new Date(instant.getTime() - OFFSET_MS).toISOString().slice(0, 19)}-05:00`;
}

/** Day number of a `dd/mm/yyyy` date, or null when the calendar has no such day. */
export function dayNumberOf(sriDate: string): number | null {
  const match = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(sriDate);
  if (!match) return null;
  const [day, month, year] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const instant = new Date(Date.UTC(year, month - 1, day));
  const exists =
    instant.getUTCFullYear() === year && instant.getUTCMonth() === month - 1 && instant.getUTCDate() === day;
  return exists ? instant.getTime() / DAY_MS : null;
}

/**
 * Instant of an xs:dateTime. A time without offset is read as Guayaquil's, as
 * the SRI does. Null when the text is no date-time.
 */
export function instantOf(dateTime: string): Date | null {
  const match = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})?$/.exec(dateTime);
  if (!match) return null;
  const instant = new Date(match[2] === undefined ? `${dateTime}-05:00` : dateTime);
  return Number.isNaN(instant.getTime()) ? null : instant;
}

/** The instant at which a day number begins in Guayaquil. */
export function startOfDay(dayNumber: number): Date {
  return new Date(dayNumber * DAY_MS + OFFSET_MS);
}
