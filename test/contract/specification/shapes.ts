/** The shapes of answers (specification 2.5 and 2.7) as data: name of each field, and what its value looks like. */
type Kind = (value: unknown) => boolean;

const text: Kind = (value) => typeof value === 'string';
const uuid: Kind = (value) => typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);
const integer: Kind = (value) => Number.isSafeInteger(value);
const flag: Kind = (value) => typeof value === 'boolean';
const list: Kind = Array.isArray;
const object: Kind = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const day: Kind = (value) => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value);
const instant: Kind = (value) => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/.test(value);
const decimal: Kind = (value) => typeof value === 'string' && /^\d+(\.\d+)?$/.test(value);
const money: Kind = (value) => typeof value === 'string' && /^\d+\.\d{2}$/.test(value);
const orNull = (kind: Kind): Kind => (value) => value === null || kind(value);
const oneOf = (...values: string[]): Kind => (value) => typeof value === 'string' && values.includes(value);

export type Shape = Readonly<Record<string, Kind>>;

/** DocumentStatus (specification 2.6). */
export const STATUSES = [
  'DRAFT', 'VALIDATED', 'NUMBER_RESERVED', 'XML_GENERATED', 'SIGNED', 'RECEPTION_PENDING', 'SUBMITTED_TO_SRI', 'RECEIVED_BY_SRI', 'AUTHORIZATION_PENDING',
  'AUTHORIZED', 'REJECTED', 'RECEPTION_RETRY_SCHEDULED', 'AUTHORIZATION_RETRY_SCHEDULED', 'RECEPTION_UNKNOWN', 'AUTHORIZATION_UNKNOWN',
  'MANUAL_REVIEW_REQUIRED', 'FAILED_PERMANENT', 'CANCELLATION_REQUESTED', 'CANCELLED', 'VOIDED_BY_NC',
];
const status = oneOf(...STATUSES);
const TYPES = ['01', '03', '04', '05', '06', '07'];
const role = oneOf('tenant_owner', 'tenant_admin', 'billing_operator', 'accountant', 'viewer');
const environment = oneOf('TEST', 'PRODUCTION');
const times = { created_at: instant, updated_at: instant };

export const ACCEPTED: Shape = { document_id: uuid, status, access_key: text };

export const SYNC_SUBMIT: Shape = {
  document_id: uuid, status: text, action_taken: text, sri_messages: list,
  authorization_number: orNull(text), authorization_date: orNull(instant), new_access_key: orNull(text),
};

export const SRI_MESSAGE: Shape = { identifier: orNull(text), message: text, additional_info: orNull(text), message_type: text };

export const DOCUMENT: Shape = {
  id: uuid, tenant_id: uuid, issuer_id: uuid, establishment_id: uuid, emission_point_id: uuid, document_type: oneOf(...TYPES), sequential: orNull(integer),
  access_key: orNull(text), status, idempotency_key: orNull(text), issue_date: day, subtotal: money, total_discount: money, total_tax: money, total: money,
  buyer_id_type: orNull(text), buyer_id: orNull(text), buyer_name: orNull(text), buyer_email: orNull(text), buyer_address: orNull(text),
  modified_document_id: orNull(uuid), modified_document_type: orNull(text), modified_document_number: orNull(text), modified_document_issue_date: orNull(day),
  reason: orNull(text), authorization_number: orNull(text), authorization_date: orNull(instant), sri_environment: environment, ...times, payments: list,
};

export const LIST_ITEM: Shape = {
  id: uuid, tenant_id: uuid, issuer_id: uuid, issuer_razon_social: text, document_type: oneOf(...TYPES), sequential: orNull(integer), issue_date: day, total: money, status,
  buyer_name: orNull(text), buyer_id: orNull(text), access_key: orNull(text), authorization_number: orNull(text), authorization_date: orNull(instant),
  sri_environment: environment, ...times,
};

export const PRODUCT: Shape = {
  id: uuid, tenant_id: uuid, main_code: text, aux_code: orNull(text), name: text, unit_price: decimal, default_discount: decimal, tax_code: text, iva_rate_code: text,
  applies_tourism_iva: flag, applies_ice: flag, ice_code: orNull(text), additional_fields: orNull(object), is_active: flag, deleted_at: orNull(instant), ...times,
};

export const ESTABLISHMENT: Shape = { id: uuid, tenant_id: uuid, issuer_id: uuid, code: text, name: orNull(text), address: text, is_active: flag, ...times };

export const EMISSION_POINT: Shape = { id: uuid, tenant_id: uuid, establishment_id: uuid, code: text, initial_sequential: integer, is_active: flag, ...times };

export const BUYER_ITEM: Shape = {
  id: uuid, tenant_id: uuid, buyer_id: text, buyer_id_type: text, legal_name: text, trade_name: orNull(text), contributor_status: orNull(text), contributor_type: orNull(text),
  address: orNull(text), notes: orNull(text), is_active: flag, ...times, sri_last_verified_at: orNull(instant),
};

export const BUYER: Shape = { ...BUYER_ITEM, email: orNull(text) };

export const LOOKUP: Shape = { found: flag, source: oneOf('tenant_profile', 'sri_cache', 'sri_live'), is_frequent: flag, buyer: orNull(object) };

export const LOOKUP_BUYER: Shape = {
  id: orNull(uuid), id_type: text, legal_name: text, trade_name: orNull(text), contributor_status: orNull(text), contributor_type: orNull(text), address: orNull(text),
};

export const MEMBER: Shape = {
  member_id: uuid, tenant_id: uuid, user_id: orNull(uuid), email: text, name: orNull(text), role, status: oneOf('invited', 'active', 'suspended'), invited_at: instant, invitation_expires_at: orNull(instant), last_login_at: orNull(instant),
};

export const CERTIFICATE: Shape = { id: uuid, tenant_id: uuid, issuer_id: uuid, status: oneOf('active', 'expiring', 'expired', 'revoked'), created_at: instant };

export const PAGE: Shape = { items: list, total: integer, page: integer, page_size: integer };
export const CERTIFICATE_LIST: Shape = { items: list, total: integer };
export const ERROR: Shape = { code: text, message: text, detail: () => true, request_id: text };
export const FIELD_FINDING: Shape = { loc: (value) => Array.isArray(value) && value.every(text), msg: text, type: text, input: () => true, ctx: object };

/** What of a shape an answer breaks: `field: value` for each; empty when it keeps to it. Fields of our own may be there too. */
export function breaches(shape: Shape, answer: unknown): string[] {
  if (!object(answer)) return [`no object: ${JSON.stringify(answer)}`];
  const fields = answer as Record<string, unknown>;
  return Object.entries(shape)
    .filter(([name, kind]) => !Object.hasOwn(fields, name) || !kind(fields[name]))
    .map(([name]) => `${name}: ${Object.hasOwn(fields, name) ? JSON.stringify(fields[name]) : 'absent'}`);
}
