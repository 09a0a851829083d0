import { addDays, addMonths, daysBetween, guayaquilDay, guayaquilMidnight, guayaquilTimestamp, isCalendarDay, toSriDate } from './guayaquil.js';

describe('Guayaquil calendar', () => {
  it('changes day at 05:00 UTC', () => {
    expect(guayaquilDay(new Date('2026-03-01T04:59:59.999Z'))).toBe('2026-02-28');
    expect(guayaquilDay(new Date('2026-03-01T05:00:00Z'))).toBe('2026-03-01');
    expect(guayaquilDay(new Date('2027-01-01T00:30:00Z'))).toBe('2026-12-31');
  });

  it('agrees with the time zone database', () => {
    const zone = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Guayaquil', dateStyle: 'short' });
    for (let hour = 0; hour < 24 * 400; hour += 7) {
      const instant = new Date(Date.UTC(2026, 0, 1, hour));
      expect(guayaquilDay(instant)).toBe(zone.format(instant));
    }
  });

  it('writes timestamps with the offset', () => {
    expect(guayaquilTimestamp(new Date('2026-08-25T15:31:07.900Z'))).toBe('2026-08-25T10:31:07-05:00');
  });

  it.each(['2026-01-05', '2028-02-29', '2000-01-01', '2099-12-31'])('knows the day %s', (day) => {
    expect(isCalendarDay(day)).toBe(true);
  });

  it.each([
    '2026-02-30',
    '2026-13-01',
    '2026-00-10',
    '2025-02-29',
    '2026-1-5',
    '05/01/2026',
    '20260105',
    '2026-01-05T00:00:00Z',
    '2026-01-05 ',
    '2026-01-05\n',
    '+002026-01-05',
    '0000-01-01',
    '1999-12-31',
    '2100-01-01',
    '9999-01-01',
    '10000-01-01',
    '2026-01-0٥',
    'today',
    '',
  ])('refuses %p as a day', (day) => {
    expect(isCalendarDay(day)).toBe(false);
  });

  it('knows every day of the century, and no other', () => {
    const two = (number: number): string => String(number).padStart(2, '0');
    const wrong: string[] = [];
    for (let year = 2000; year <= 2099; year += 1) {
      for (let month = 0; month <= 13; month += 1) {
        for (let day = 0; day <= 32; day += 1) {
          const text = `${year}-${two(month)}-${two(day)}`;
          const exists = new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10) === text;
          if (isCalendarDay(text) !== exists) wrong.push(text);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('adds and counts days over months and leap years', () => {
    expect(addDays('2028-02-28', 1)).toBe('2028-02-29');
    expect(addDays('2026-03-01', -1)).toBe('2026-02-28');
    expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
    expect(daysBetween('2026-01-01', '2027-01-01')).toBe(365);
    expect(daysBetween('2026-01-02', '2026-01-01')).toBe(-1);
  });

  it.each([
    ['2024-02-29', 12, '2025-02-28'],
    ['2025-01-31', 1, '2025-02-28'],
    ['2025-11-21', 12, '2026-11-21'],
    ['2025-12-31', 2, '2026-02-28'],
    ['2027-12-31', 2, '2028-02-29'],
  ])('%s plus %i months is %s', (day, months, expected) => {
    expect(addMonths(day, months)).toBe(expected);
  });

  it('begins a day at its midnight', () => {
    expect(guayaquilMidnight('2026-03-01').toISOString()).toBe('2026-03-01T05:00:00.000Z');
    expect(guayaquilTimestamp(guayaquilMidnight('2026-03-01'))).toBe('2026-03-01T00:00:00-05:00');
  });

  it('writes days as the SRI does', () => {
    expect(toSriDate('2026-09-15')).toBe('15/09/2026');
  });
});
