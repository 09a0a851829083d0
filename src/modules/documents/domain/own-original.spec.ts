import { DOCUMENT_STATUSES, type DocumentStatus } from './lifecycle.js';
import { refuseUnfit } from './own-original.js';

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

it.each(['05', '06', '07'])('refuses a %s for what came to nothing, and for nothing else', (type) => {
  expect(DOCUMENT_STATUSES.filter((status) => isRefused(type, status)).sort()).toEqual(['CANCELLED', 'DRAFT', 'FAILED_PERMANENT', 'REJECTED', 'VALIDATED']);
});

it("refuses a withholding from the issuer's own sale, which only the buyer withholds from", () => {
  const found = { code: 'FISCAL_RULE_VIOLATED', detail: [expect.objectContaining({ rule: 'support.own_document', severity: 'error', pointer: '/modified_document_id', expected: '03', actual: '01' }) as unknown] };
  expect(() => asked('07', 'AUTHORIZED', '01')).toThrow(expect.objectContaining(found));
  for (const type of ['05', '06']) expect(() => asked(type, 'AUTHORIZED', '01')).not.toThrow();
});
