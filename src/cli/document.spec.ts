import type { Api } from './api.js';
import { type DocumentSeen, documentLines, follow, requireAuthorized } from './document.js';
import type { CliFailure } from './failure.js';

const SEEN: DocumentSeen = {
  id: 'd', issuer_id: 'i', document_type: '01', status: 'NUMBER_RESERVED', access_key: null, total: '1.00', buyer_name: null, authorization_date: null, next_attempt_at: null, error: null, sri_messages: [],
};
const PARKED: DocumentSeen = { ...SEEN, error: { code: 'CERTIFICATE_EXPIRED', message: 'Upload a valid certificate.', detail: { suggested_action: 'upload_certificate' } } };

const failureOf = (document: DocumentSeen): CliFailure | null => {
  try {
    requireAuthorized(document);
    return null;
  } catch (error) {
    return error as CliFailure;
  }
};

describe('a document that was issued', () => {
  it('that waits for a certificate is followed no longer, and needs a person', async () => {
    const api = { get: () => Promise.resolve(PARKED) } as unknown as Api;
    expect(await follow(api, 'd', 600)).toBe(PARKED);
    expect(failureOf(PARKED)).toMatchObject({ exit: 'not_authorized', message: expect.stringContaining('Upload a valid certificate.\nPOST /issuers/i/certificates') as unknown });
    expect(documentLines(PARKED)).toContain('  to do       POST /issuers/i/certificates');
  });

  it.each([
    ['pending', SEEN],
    ['pending', { ...SEEN, error: { code: 'SRI_UNAVAILABLE', message: 'x', detail: { suggested_action: 'wait' } } }],
    ['not_authorized', { ...PARKED, status: 'REJECTED' }],
    [undefined, { ...SEEN, status: 'AUTHORIZED' }],
  ] as const)('else ends as %s', (exit, document) => {
    expect(failureOf(document)?.exit).toBe(exit);
    expect(documentLines(document).join()).not.toContain('to do');
  });
});
