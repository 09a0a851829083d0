import type { Language } from '../../../shared/language.js';
import { localizedFinding } from '../../../platform/http/localized-finding.js';
import { type ErrorCode, messageOf } from '../../../shared/error-catalogue.js';
import type { Finding } from '../../../shared/finding.js';
import { refusalMessage } from '../../../shared/refusal-reasons.js';
import { suggest } from '../../../shared/suggested-actions.js';
import { printedNumber } from '../../../sri/access-key.js';
import type { DocumentContent } from '../../../sri/document-types/content.js';
import { wireName } from '../../../sri/document-types/rules/structure.js';
import type { DocumentErrorBody, DocumentRecord } from '../documents.responses.js';

/**
 * Columns of a document in the response's own names (interface specification
 * 2.5). Decimals leave PostgreSQL as strings, dates as calendar days. The SQL
 * function `document_snapshot` keeps the same for events.
 */
export const RECORD_COLUMNS = `
  d.id, d.tenant_id, d.issuer_id, d.establishment_id, d.emission_point_id, d.document_type, d.sequential, d.access_key,
  d.status, d.version, d.idempotency_key, to_char(d.issue_date, 'YYYY-MM-DD') as issue_date,
  d.subtotal::text, d.total_discount::text, d.total_tax::text, d.total::text,
  d.buyer_id_type, d.buyer_id, d.buyer_name, d.buyer_email, d.buyer_address,
  d.modified_document_id, d.modified_document_type, d.modified_document_number,
  to_char(d.modified_document_issue_date, 'YYYY-MM-DD') as modified_document_issue_date,
  d.reason, d.authorization_number, d.authorization_date, d.sri_environment, d.created_at, d.updated_at`;

/** What of the record changes with the document's way, besides. */
export const STATE_COLUMNS = 'd.sri_messages, d.warnings, d.error_code, d.error_detail, d.next_attempt_at, d.cancellation';

/** The open pause under which `d` waits to be sent; null where there is none. */
export const PAUSE_COLUMN = `case when d.error_code is null then (
  select json_build_object('pause_id', p.id, 'scope', p.scope, 'sri_code', p.code, 'document_id', p.document_id)
  from outbox o
  cross join lateral open_pauses(o.tenant_id, o.issuer_id, o.establishment_id, o.emission_point_id, o.document_type) open (id)
  join issuing_pauses p on p.tenant_id = o.tenant_id and p.id = open.id
  where o.tenant_id = d.tenant_id and o.document_id = d.id and o.step = 'submit' and o.due_at < 'infinity' order by p.created_at, p.id limit 1) end as pause`;

/** Parts of the fiscal content that the record shows as they were sent. */
const SHOWN = [
  'payments', 'lines', 'taxes', 'numericCode', 'additionalInfo', 'tip', 'deliveryGuideNumber', 'vehiclePlate', 'foreignTrade', 'reimbursements',
  'thirdPartyCharges', 'substituteGuide', 'transport', 'withholding',
] as const satisfies readonly (keyof DocumentContent)[];

type Shown = Pick<
  DocumentRecord,
  | 'payments' | 'lines' | 'taxes' | 'numeric_code' | 'additional_info' | 'tip' | 'delivery_guide_number' | 'vehicle_plate' | 'foreign_trade'
  | 'reimbursements' | 'third_party_charges' | 'substitute_guide' | 'transport' | 'withholding'
>;

/** A document's columns, by `RECORD_COLUMNS` and `STATE_COLUMNS`. */
export type RecordRow = Omit<DocumentRecord, keyof Shown | 'error' | 'send_email' | 'warnings' | 'number'> & {
  readonly warnings: readonly Finding[];
  readonly error_code: string | null;
  readonly error_detail: unknown;
  /** The open pause under which it waits to be sent. */
  readonly pause?: Readonly<Record<string, string | null>> | null;
};

/** The record of a document out of its columns and the content they belong to, its error and warnings in `language`. */
export function documentRecord({ error_code, error_detail, warnings, pause = null, ...columns }: RecordRow, content: DocumentContent, language: Language): DocumentRecord {
  return {
    ...columns,
    number: columns.access_key === null ? null : printedNumber(columns.access_key),
    warnings: warnings.map((warning) => localizedFinding(warning, language)),
    ...(toWire(Object.fromEntries(SHOWN.map((name) => [name, content[name]]))) as Shown),
    send_email: content.sendEmail ?? true,
    error: pause === null ? documentError(error_code, error_detail, language) : documentError('ISSUER_PAUSED', suggest('resume_pause', pause), language),
    // Nobody knows when that will be.
    next_attempt_at: pause === null ? columns.next_attempt_at : null,
    cancellation: toWire(columns.cancellation) as DocumentRecord['cancellation'],
  };
}

/** What went wrong with a document, in the error envelope's terms; null when nothing did. */
function documentError(code: string | null, detail: unknown, language: Language): DocumentErrorBody | null {
  if (code === null) return null;
  const { abandoned, annulled } = (detail ?? {}) as { readonly abandoned?: string; readonly annulled?: boolean };
  if (abandoned === undefined) return { code, message: messageOf(code as ErrorCode, language), detail: detail ?? null };
  // What its code asks for is not possible any more.
  const reason = code === 'ANSWER_MISMATCH' && annulled !== true ? 'GIVEN_UP_YET_VALID' : 'GIVEN_UP';
  const message = refusalMessage('INVALID_STATE', { reason }, language);
  return { code, message, detail: detail ?? null };
}

/** Stored camelCase content back in the wire's names, at every depth. */
export function toWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toWire);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [wireName(name), toWire(inner)]));
}
