import { SETTINGS_SCHEMA } from '../../../config/settings.js';
import { isDelivered, nextAttemptAt } from './schedule.js';

const NOW = new Date('2026-03-01T12:00:00Z');
const MINUTE = 60;
const HOUR = 3_600;

describe('the schedule of deliveries', () => {
  const ladder = SETTINGS_SCHEMA.shape.WEBHOOK_LADDER.parse(undefined).map((seconds) => seconds * 1_000);
  const waits = (status: number | null): (number | null)[] =>
    Array.from({ length: 11 }, (_, i) => {
      const next = nextAttemptAt({ status, round: i + 1, kind: 'document.authorized' }, NOW, ladder);
      return next === null ? null : (next.getTime() - NOW.getTime()) / 1_000;
    });

  it.each([500, 301, 307, 404, 429, 199, null])('after %p goes on for three days and ends', (status) => {
    expect(waits(status)).toEqual([5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR, 24 * HOUR, 24 * HOUR, null, null]);
  });

  it.each([200, 202, 204, 299])('is over with %p', (status) => {
    expect([isDelivered(status), waits(status).every((wait) => wait === null)]).toEqual([true, true]);
  });

  it('is over when the address is gone, and after one test', () => {
    expect([isDelivered(410), waits(410)[0]]).toEqual([false, null]);
    expect(nextAttemptAt({ status: 500, round: 1, kind: 'ping' }, NOW, ladder)).toBeNull();
  });
});
