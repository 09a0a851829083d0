import type { Api } from './api.js';
import { heldUp } from './waiting.js';

/** An API that answers by the path before the query. */
const answering = (answers: Readonly<Record<string, unknown>>): Api => ({ get: (path: string) => Promise.resolve(answers[path] ?? answers[path.split('?')[0]!] ?? { items: [], total: 0 }) }) as unknown as Api;
const ISSUERS = { items: [{ id: 'i', ruc: '1790012345001' }] };
const UNSIGNED = { '/issuers': ISSUERS, '/documents?status=NUMBER_RESERVED&page_size=1': { total: 3 }, '/documents?status=NUMBER_RESERVED&page_size=1&issuer_id=i': { total: 2 } };

describe('what waits for a person', () => {
  it('is documents without a certificate that signs', async () => {
    const held = [{ issuer_id: 'i', ruc: '1790012345001', documents: 2, cause: 'no valid certificate', act: 'POST /issuers/i/certificates' }];
    expect(await heldUp(answering(UNSIGNED))).toEqual(held);
    for (const one of [{ is_active: true, status: 'expired' }, { is_active: false, status: 'active' }]) expect(await heldUp(answering({ ...UNSIGNED, '/issuers/i/certificates': { items: [one] } }))).toEqual(held);
    expect(await heldUp(answering({ ...UNSIGNED, '/issuers/i/certificates': { items: [{ is_active: true, status: 'expiring' }] } }))).toEqual([]);
  });

  it('is every open pause', async () => {
    const pause = { id: 'p', scope: 'issuer', sri_code: '57', created_at: '2026-01-02T00:00:00Z', resumed_at: null };
    const answers = { '/issuers': ISSUERS, '/issuers/i/pauses': { items: [pause, { ...pause, id: 'q', resumed_at: '2026-01-03T00:00:00Z' }] } };
    expect(await heldUp(answering(answers))).toMatchObject([{ cause: 'paused since 2026-01-02T00:00:00Z: SRI 57, issuer', documents: 0, act: expect.stringContaining('/issuers/i/pauses/p/resume') as unknown }]);
  });
});
