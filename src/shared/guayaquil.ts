/**
 * Fiscal days. The SRI's calendar is that of America/Guayaquil: UTC-5 all year,
 * without daylight saving since 1993, so a fixed offset is exact for every
 * document this service can issue.
 */
const OFFSET_MS = 5 * 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
const DAY = /^(20[0-9]{2})-([0-9]{2})-([0-9]{2})$/;
const DAYS_OF_MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const local = (instant: Date): string => new Date(instant.getTime() - OFFSET_MS).toISOString();

/** The Guayaquil calendar day of an instant, `YYYY-MM-DD`. */
export function guayaquilDay(instant: Date): string {
  return local(instant).slice(0, 10);
}

/** The instant in Guayaquil time to the second, `2026-08-25T10:31:07-05:00`. */
export function guayaquilTimestamp(instant: Date): string {
  return `${local(instant).slice(0, 19)}-05:00`;
}

/** When a day of Guayaquil begins. Expects an existing day. */
export function guayaquilMidnight(day: string): Date {
  return new Date(`${day}T00:00:00-05:00`);
}

/** Whether the text is an existing day `YYYY-MM-DD` of the years 2000 to 2099, the only ones the SRI's schemas take. */
export function isCalendarDay(text: string): boolean {
  const [, year, month, day] = DAY.exec(text) ?? [];
  return day !== undefined && Number(day) >= 1 && Number(day) <= daysIn(Number(year), Number(month));
}

/** The day `days` later (negative: earlier). Expects an existing day. */
export function addDays(day: string, days: number): string {
  return fromEpochDays(epochDays(day) + days);
}

/** The same day `months` later; the last of the month where that day does not exist (29 February + 12 = 28 February). */
export function addMonths(day: string, months: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const target = new Date(Date.UTC(year, month - 1 + months, 1));
  target.setUTCDate(Math.min(date, daysIn(target.getUTCFullYear(), target.getUTCMonth() + 1)));
  return target.toISOString().slice(0, 10);
}

/** Days from `from` to `to`; negative when `to` is earlier. Expects existing days. */
export function daysBetween(from: string, to: string): number {
  return epochDays(to) - epochDays(from);
}

/** `YYYY-MM-DD` as the SRI writes it: `dd/mm/yyyy`. */
export function toSriDate(day: string): string {
  return `${day.slice(8, 10)}/${day.slice(5, 7)}/${day.slice(0, 4)}`;
}

/** Days of a month of the years 2000 to 2099, each fourth of which is a leap year; 0 for a month that there is not. */
function daysIn(year: number, month: number): number {
  return month === 2 && year % 4 === 0 ? 29 : (DAYS_OF_MONTHS[month - 1] ?? 0);
}

function epochDays(day: string): number {
  return Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1, Number(day.slice(8, 10))) / DAY_MS;
}

function fromEpochDays(days: number): string {
  return new Date(days * DAY_MS).toISOString().slice(0, 10);
}
