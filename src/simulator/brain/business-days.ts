const DAY_MS = 24 * 60 * 60 * 1000;

/** Calendar day of a day number as `YYYY-MM-DD`. */
export function calendarDay(dayNumber: number): string {
  return new Date(dayNumber * DAY_MS).toISOString().slice(0, 10);
}

/** Whether a day number is neither Saturday, Sunday nor one of the holidays (`YYYY-MM-DD`). */
function isBusinessDay(dayNumber: number, holidays: readonly string[]): boolean {
  const weekday = new Date(dayNumber * DAY_MS).getUTCDay();
  return weekday !== 0 && weekday !== 6 && !holidays.includes(calendarDay(dayNumber));
}

/** The first business day on or after a day. */
export function businessDayFrom(dayNumber: number, holidays: readonly string[]): number {
  let day = dayNumber;
  while (!isBusinessDay(day, holidays)) day += 1;
  return day;
}

/** The day that is `count` business days after a day. */
export function addBusinessDays(dayNumber: number, count: number, holidays: readonly string[]): number {
  let day = dayNumber;
  for (let left = count; left > 0; left -= 1) day = businessDayFrom(day + 1, holidays);
  return day;
}

/** Year and month of a day number as one count, so that months can be compared. */
export function monthCount(dayNumber: number): number {
  const day = new Date(dayNumber * DAY_MS);
  return day.getUTCFullYear() * 12 + day.getUTCMonth();
}

/** Day number of a day of the month after the one of `dayNumber`. */
export function dayOfNextMonth(dayNumber: number, dayOfMonth: number): number {
  const day = new Date(dayNumber * DAY_MS);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, dayOfMonth) / DAY_MS;
}
