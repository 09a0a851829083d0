import { standingAfter } from './attempts.js';

const NOW = new Date('2026-09-15T12:00:00Z');

describe('a mail after an attempt', () => {
  it('is tried along the ladder, then given up', () => {
    const putOff = { outcome: 'put_off', reason: '451 later' } as const;
    const due = [1, 2, 3].map((attempts) => standingAfter(putOff, attempts, [60, 300], NOW));
    expect(due.map(({ status, dueAt }) => [status, dueAt?.toISOString() ?? null])).toEqual([['queued', '2026-09-15T12:01:00.000Z'], ['queued', '2026-09-15T12:05:00.000Z'], ['failed', null]]);
    expect(due.map(({ failure }) => failure)).toEqual(['451 later', '451 later', '451 later']);
  });

  it('is done once it was taken or refused', () => {
    expect(standingAfter({ outcome: 'taken', messageId: '<x@y>' }, 1, [60], NOW)).toEqual({ status: 'sent', failure: null, messageId: '<x@y>', dueAt: null });
    expect(standingAfter({ outcome: 'bounced', reason: '550 nobody' }, 1, [60], NOW)).toEqual({ status: 'bounced', failure: '550 nobody', messageId: null, dueAt: null });
    expect(standingAfter({ outcome: 'refused', reason: '554 spam' }, 1, [60], NOW)).toEqual({ status: 'failed', failure: '554 spam', messageId: null, dueAt: null });
  });
});
