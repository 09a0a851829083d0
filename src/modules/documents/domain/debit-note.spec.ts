import { refuseUndebitable } from './debit-note.js';
import { DOCUMENT_STATUSES, type DocumentStatus } from './lifecycle.js';

const isRefused = (status: DocumentStatus): boolean => {
  try {
    refuseUndebitable({ status, errorCode: null, sriMessages: [] }, 'modified_document_id');
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: 'INVALID_STATE', detail: { field: 'modified_document_id', status } });
    return true;
  }
};

it('refuses a debit note to what came to nothing, and to nothing else', () => {
  expect(DOCUMENT_STATUSES.filter(isRefused).sort()).toEqual(['CANCELLED', 'DRAFT', 'FAILED_PERMANENT', 'REJECTED', 'VALIDATED']);
});
