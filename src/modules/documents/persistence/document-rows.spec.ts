import { NOT_SIGNED } from '../domain/document.js';
import { type LoadedRow, toLoaded } from './document-rows.js';

const KEY = '1'.repeat(49);

/** A document whose second signing is current. */
const row = (document: Record<string, unknown>): LoadedRow => ({
  document: {
    id: 'd', tenant_id: 't', status: 'MANUAL_REVIEW_REQUIRED', version: 9, access_key: KEY, signing_no: 2, content_revision: 1, sri_messages: [],
    created_at: '2026-11-21T15:00:00Z', updated_at: '2026-11-21T16:00:00Z', next_attempt_at: null, due_step: 'authorize', error_code: null, error_detail: null, ...document,
  },
  content: {} as never, issuer_snapshot: {} as never,
  digests: [1, 2].map((signingNo) => ({ signingNo, digest: `${signingNo}`, signedAt: '2026-11-21T15:00:00Z', accessKey: KEY, contentRevision: 1 })),
  signed_xml: null, signing_certificate_valid_to: null, certificate_id: null, certificate_valid_to: null,
});

describe('a document as it is loaded', () => {
  it.each<[string, Record<string, unknown>, boolean]>([
    ['waits for the SRI', {}, false],
    ['is to be signed', { due_step: 'prepare' }, true],
    ['could not be signed anew', { status: 'FAILED_PERMANENT', error_code: 'SIGNING_FAILED' }, true],
    ['lost its workers before it was signed anew', { error_code: 'ATTEMPTS_EXHAUSTED', error_detail: { suggested_action: 'retry', reason: NOT_SIGNED } }, true],
    ['lost its workers otherwise', { error_code: 'ATTEMPTS_EXHAUSTED', error_detail: { suggested_action: 'retry' } }, false],
    ['was corrected since', { content_revision: 2 }, true],
    ['has another access key since', { access_key: '2'.repeat(49) }, true],
    ['was never signed', { signing_no: 0, error_code: 'SIGNING_FAILED' }, false],
  ])('that %s: %p: whether its signing is spent: %p', (_name, document, isResigning) => {
    expect(toLoaded(row(document)).state.isResigning).toBe(isResigning);
  });

  it('knows when its next step was due, and when it was written last', () => {
    const { dueAt, changedAt } = toLoaded(row({ next_attempt_at: '2026-11-21T17:00:00+00:00' })).state;
    expect([dueAt, changedAt]).toEqual([new Date('2026-11-21T17:00:00Z'), new Date('2026-11-21T16:00:00Z')]);
    expect(toLoaded(row({})).state.dueAt).toBeNull();
  });
});
