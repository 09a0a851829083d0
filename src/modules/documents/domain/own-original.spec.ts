import { DOCUMENT_STATUSES, type DocumentStatus } from './lifecycle.js';
import { refuseUnfit, refuseUnfitSettlements } from './own-original.js';

const asked = (documentType: string, status: DocumentStatus, originalType: string): void =>
  refuseUnfit(documentType, { status, documentType: originalType, errorCode: null, sriMessages: [] }, 'modified_document_id');

function isRefused(documentType: string, status: DocumentStatus): boolean {
  try {
    asked(documentType, status, '03');
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: 'INVALID_STATE', detail: { field: 'modified_document_id', status } });
    return true;
  }
}

it.each(['05', '06', '07'])('refuses a %s for what it cannot be built on, and for nothing else', (type) => {
  expect(DOCUMENT_STATUSES.filter((status) => isRefused(type, status)).sort()).toEqual(['CANCELLED', 'DRAFT', 'FAILED_PERMANENT', 'REJECTED', 'VALIDATED']);
});

it("refuses a withholding from the issuer's own sale, which only the buyer withholds from", () => {
  const found = { code: 'FISCAL_RULE_VIOLATED', detail: [expect.objectContaining({ rule: 'support.own_document', severity: 'error', pointer: '/modified_document_id', expected: '03', actual: '01' }) as unknown] };
  expect(() => asked('07', 'AUTHORIZED', '01')).toThrow(expect.objectContaining(found));
  for (const type of ['05', '06']) expect(() => asked(type, 'AUTHORIZED', '01')).not.toThrow();
});

describe('a purchase settlement that a withholding names by number', () => {
  const field = 'withholding/supporting_documents/1/number';
  const [number, accessKey] = ['001-002-000000003', '1'.repeat(49)];
  const named = (status: DocumentStatus, authorizationNumber: string | null, of = number): void =>
    refuseUnfitSettlements([{ field, type: '03', number: of, issueDate: null, authorizationNumber }], [{ number, accessKey, documentType: '03', status, errorCode: null, sriMessages: [] }]);

  it('is refused where it came to nothing, with its access key or without', () => {
    const refused = expect.objectContaining({ code: 'INVALID_STATE', detail: expect.objectContaining({ field, status: 'REJECTED' }) as unknown });
    for (const key of [null, accessKey]) expect(() => named('REJECTED', key)).toThrow(refused);
    for (const status of ['AUTHORIZED', 'SUBMITTED_TO_SRI'] as const) expect(() => named(status, accessKey)).not.toThrow();
  });

  it('is another with another number or authorization, such as one on paper', () => {
    expect(() => named('REJECTED', null, '001-002-000000004')).not.toThrow();
    for (const other of ['1234567890', '2'.repeat(49)]) expect(() => named('REJECTED', other)).not.toThrow();
  });
});
