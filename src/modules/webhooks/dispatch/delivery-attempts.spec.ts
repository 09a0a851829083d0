import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { Settings } from '../../../config/settings.js';
import type { GuardedPost } from '../../../platform/egress/guarded-post.js';
import type { KillPoints } from '../../../platform/faults/kill-points.js';
import type { Meters } from '../../../platform/observability/meters.js';
import type { EventCard } from '../../events/public.js';
import type { BegunAttempt, DispatchRepository, EndedAttempt } from '../persistence/dispatch.repository.js';
import { DeliveryAttempts } from './delivery-attempts.js';
import type { SigningSecrets } from './signing-secrets.js';

const NOW = new Date('2026-05-04T10:00:00.000Z');
const DELIVERY = { tenantId: 't', deliveryId: 'd', isFailing: false };
const CARD: EventCard = { id: 'e', type: 'sequence.low', created_at: '2026-05-04T10:00:00+00:00', tenant_id: 't', version: null, data: {}, content: null };

describe('an attempt at a delivery', () => {
  /** Of our own, as they are counted. */
  const faults: unknown[] = [];

  /** What was put on record of an attempt at this event. */
  async function made(event: EventCard, { claimedAt, isHeld }: { claimedAt: Date; isHeld: boolean } = { claimedAt: NOW, isHeld: true }): Promise<{ ended: EndedAttempt[]; bodies: string[]; renewed: unknown[] }> {
    const renewed: unknown[] = [];
    faults.length = 0;
    const ended: EndedAttempt[] = [];
    const bodies: string[] = [];
    const begun: BegunAttempt = { webhook_id: 'w', url: 'https://receiver.example/', secrets: [], event, number: 1, round: 1 };
    const work: Pick<DispatchRepository, 'renew' | 'begin' | 'end'> = {
      renew: (...call) => Promise.resolve(renewed.push(call) > 0 && isHeld),
      begin: () => Promise.resolve(begun),
      end: (_tenant, _delivery, _token, _now, one) => Promise.resolve(void ended.push(one)),
    };
    const http: Pick<GuardedPost, 'post'> = { post: (_url, _headers, body) => Promise.resolve({ status: bodies.push(body) && 200 }) };
    const attempts = new DeliveryAttempts(
      work as DispatchRepository,
      { open: () => Promise.resolve([Buffer.alloc(32)]) } as unknown as SigningSecrets,
      http as GuardedPost,
      { pass: () => Promise.resolve() } as unknown as KillPoints,
      { now: () => NOW },
      { uuid: () => 'of-the-event' },
      { sleep: () => Promise.resolve() },
      { WEBHOOK_LADDER: [5], WEBHOOK_TIMEOUT_SECONDS: 10, WEBHOOK_DISABLE_AFTER_SECONDS: 1 } as unknown as Settings,
      { time: () => undefined, count: (_metric: string, labels: unknown) => faults.push(labels) } as unknown as Meters,
    );
    await attempts.make(DELIVERY, { token: 'token', claimedAt, leaseMs: 20_000 });
    return { ended, bodies, renewed };
  }
  beforeEach(() => void jest.spyOn(Logger.prototype, 'error').mockReturnValue());
  afterEach(() => void jest.restoreAllMocks());

  it('at an event that nobody foresaw ends all the same, and is tried again by the schedule', async () => {
    const { ended, bodies } = await made({ ...CARD, created_at: 'not a time' });
    expect(bodies).toEqual([]);
    expect(ended).toEqual([expect.objectContaining({ outcome: 'internal', statusCode: null, nextAt: new Date(NOW.getTime() + 5_000) })]);
    expect(faults).toEqual([{ source: 'webhook', code: 'internal' }]);
  });

  it('that begins late holds its lease anew, and is not made when that was lost', async () => {
    const claimedAt = new Date(NOW.getTime() - 8_000);
    expect(await made(CARD)).toMatchObject({ renewed: [], bodies: [expect.any(String)] });
    expect(await made(CARD, { claimedAt, isHeld: true })).toMatchObject({ renewed: [['t', 'd', 'token', NOW, 20_000]], bodies: [expect.any(String)] });
    expect(await made(CARD, { claimedAt, isHeld: false })).toMatchObject({ renewed: [expect.anything()], bodies: [], ended: [] });
  });

  it('at an event of a later version, whose error code it does not know, arrives', async () => {
    const document = { id: 'of-the-document', access_key: null, warnings: [], error_code: 'OF_A_LATER_VERSION', error_detail: null, cancellation: null, content_revision: 1 };
    const { ended, bodies } = await made({ ...CARD, type: 'document.failed', data: { document }, content: {} as EventCard['content'] });
    expect(ended).toEqual([expect.objectContaining({ outcome: 'delivered' })]);
    expect(JSON.parse(bodies[0]!)).toMatchObject({ data: { document: { error: { code: 'OF_A_LATER_VERSION', message: expect.stringContaining('OF_A_LATER_VERSION') } } } });
  });
});
