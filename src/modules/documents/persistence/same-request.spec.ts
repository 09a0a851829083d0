import { requireSameRequest } from './same-request.js';

const first = (operation: string) => ({ operation, fingerprint: 'same', response: { document_id: 'd' } });

describe('a used idempotency key', () => {
  it.each(['issue', 'draft', 'credit_note:a'])('gives the first answer to the same operation with the same content: %s', (operation) => {
    expect(() => requireSameRequest(first(operation), operation, 'same')).not.toThrow();
  });

  it.each([
    ['draft', 'issue', 'same', 'draft_made'],
    ['issue', 'draft', 'same', 'already_issued'],
    ['draft', 'issue', 'other', undefined],
    ['issue', 'issue', 'other', undefined],
    // The content of a credit note does not tell which invoice it credits.
    ['credit_note:a', 'credit_note:b', 'same', undefined],
    ['credit_note:a', 'issue', 'same', undefined],
  ])('of %s refuses %s of %s content with reason %s', (done, asked, fingerprint, reason) => {
    expect(() => requireSameRequest(first(done), asked, fingerprint)).toThrow(
      expect.objectContaining({ code: 'DUPLICATE_IDEMPOTENCY_KEY', detail: { ...(reason !== undefined && { reason }), document_id: 'd' } }) as Error,
    );
  });
});
