import type { Api } from './api.js';
import { heldUp } from './waiting.js';

const ISSUER = { id: 'i', ruc: '1790012344001' };
const EXPIRED = { is_active: true, status: 'expired' };
const VALID = { is_active: true, status: 'expiring' };
const OPEN = { id: 'p', scope: 'establishment', sri_code: '57', created_at: '2026-09-15T10:00:00Z', resumed_at: null };

/** The service of one issuer. */
function serviceWith(counts: Readonly<Record<string, number>>, certificates: readonly object[], pauses: readonly object[] = []): Api {
  const get = (path: string): Promise<unknown> => {
    const { pathname, searchParams } = new URL(path, 'http://x');
    if (pathname === '/documents') {
      const own = counts[searchParams.get('status') ?? ''] ?? 0;
      // Others have one more of each.
      return Promise.resolve({ total: searchParams.get('issuer_id') === ISSUER.id ? own : own + 1 });
    }
    if (pathname === '/issuers') return Promise.resolve({ items: [ISSUER] });
    return Promise.resolve({ items: pathname.endsWith('/pauses') ? pauses : certificates });
  };
  return { get } as unknown as Api;
}

describe('what holds documents up until a person acts', () => {
  it.each(['NUMBER_RESERVED', 'XML_GENERATED', 'RECEPTION_RETRY_SCHEDULED'])('is a missing certificate for those that are to be signed: %s', async (state) => {
    expect(await heldUp(serviceWith({ [state]: 7 }, [EXPIRED]))).toEqual([
      { issuer_id: 'i', ruc: ISSUER.ruc, documents: 7, cause: 'no valid certificate', act: 'POST /issuers/i/certificates' },
    ]);
  });

  it('is no certificate that is still valid, nor one that nothing waits for', async () => {
    expect(await heldUp(serviceWith({ NUMBER_RESERVED: 7 }, [EXPIRED, VALID]))).toEqual([]);
    expect(await heldUp(serviceWith({ AUTHORIZED: 7 }, [EXPIRED]))).toEqual([]);
    expect(await heldUp(serviceWith({ NUMBER_RESERVED: 7 }, [{ ...VALID, is_active: false }]))).toHaveLength(1);
  });

  it('is a pause for those that are to be sent, also again, until it is resumed', async () => {
    const counts = { RECEPTION_PENDING: 2, RECEPTION_RETRY_SCHEDULED: 3 };
    expect(await heldUp(serviceWith(counts, [VALID], [OPEN, { ...OPEN, id: 'q', resumed_at: '2026-09-16T10:00:00Z' }]))).toEqual([
      {
        issuer_id: 'i', ruc: ISSUER.ruc, documents: 5,
        cause: 'paused since 2026-09-15T10:00:00Z: SRI 57, establishment', act: 'settle the cause, then POST /issuers/i/pauses/p/resume',
      },
    ]);
  });
});
