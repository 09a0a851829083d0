/** Columns of an export of documents, in their order. Amounts are the record's decimals; instants are UTC. */
export const EXPORT_COLUMNS = [
  { name: 'id', kind: 'text' },
  { name: 'document_type', kind: 'text' },
  { name: 'number', kind: 'text' },
  { name: 'issue_date', kind: 'day' },
  { name: 'status', kind: 'text' },
  { name: 'access_key', kind: 'text' },
  { name: 'authorization_number', kind: 'text' },
  { name: 'authorization_date', kind: 'text' },
  { name: 'issuer_ruc', kind: 'text' },
  { name: 'issuer_razon_social', kind: 'text' },
  { name: 'buyer_id_type', kind: 'text' },
  { name: 'buyer_id', kind: 'text' },
  { name: 'buyer_name', kind: 'text' },
  { name: 'buyer_email', kind: 'text' },
  { name: 'subtotal', kind: 'decimal' },
  { name: 'total_discount', kind: 'decimal' },
  { name: 'total_tax', kind: 'decimal' },
  { name: 'total', kind: 'decimal' },
  { name: 'modified_document_number', kind: 'text' },
  { name: 'reason', kind: 'text' },
  { name: 'error_code', kind: 'text' },
  { name: 'sri_environment', kind: 'text' },
  { name: 'created_at', kind: 'text' },
  { name: 'updated_at', kind: 'text' },
] as const;

export type ExportColumn = (typeof EXPORT_COLUMNS)[number]['name'];
export type ExportRow = readonly (string | null)[];
