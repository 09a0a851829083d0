import type { DocumentContent } from '../../../sri/document-types/content.js';

/** Columns of `documents` that say what the content says, for lists and sums. */
export const CONTENT_COLUMNS = {
  issue_date: 'issueDate',
  subtotal: 'subtotal',
  total_discount: 'totalDiscount',
  total_tax: 'totalTax',
  total: 'total',
  buyer_id_type: 'buyerIdType',
  buyer_id: 'buyerId',
  buyer_name: 'buyerName',
  buyer_email: 'buyerEmail',
  buyer_address: 'buyerAddress',
  modified_document_id: 'modifiedDocumentId',
  modified_document_type: 'modifiedDocumentType',
  modified_document_number: 'modifiedDocumentNumber',
  modified_document_issue_date: 'modifiedDocumentIssueDate',
  reason: 'reason',
} as const satisfies Readonly<Record<string, keyof DocumentContent>>;
