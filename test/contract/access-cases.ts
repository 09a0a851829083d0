import type { Permission } from '../../src/platform/security/permissions.js';
import type { Business } from '../support/business.js';

/**
 * What every route of the service demands and answers: the data of the access
 * matrix, written by hand and held against the application by
 * `access-matrix.spec.ts`. A route without a case fails there.
 */
export interface AccessCase {
  /** Permission that the route must demand; `signed_in`: any person; `public`: nothing. */
  readonly demands: Permission | 'signed_in' | 'public';
  /** Status for a caller who may, on what is the caller's own. */
  readonly own: number;
  /** Ids of this call that differ from the tenant's standing ones: made for it, because the call uses them up. */
  readonly fresh?: (world: World) => Promise<Ids> | Ids;
  readonly body?: (world: World) => unknown;
  /** Media type of a body that is no JSON. */
  readonly type?: string;
  /** Ids in the query, by name, out of the tenant's standing ones. */
  readonly query?: Readonly<Record<string, keyof StandingIds>>;
  /** Public, yet a key that is presented is refused: it stands for no person. */
  readonly refusesKeys?: boolean;
  /** Asked by the members of the tenant in the path: an administrator of the platform, who is none here, finds nothing. */
  readonly ofMembers?: boolean;
  /** What only looks tells in its answer, not by its status, that an id in the body names nothing. */
  readonly dryRun?: boolean;
  /** Path parameters that are no ids. */
  readonly words?: Readonly<Record<string, string>>;
}

export interface StandingIds {
  readonly tenant_id: string;
  readonly issuer_id: string;
  readonly establishment_id: string;
  readonly emission_point_id: string;
  readonly certificate_id: string;
  readonly pause_id: string;
  readonly product_id: string;
  readonly member_id: string;
  readonly api_key_id: string;
  readonly document_id: string;
  readonly modified_document_id: string;
  readonly profile_id: string;
  readonly actor_id: string;
  readonly webhook_id: string;
  readonly delivery_id: string;
}

export type Ids = Readonly<Partial<Record<keyof StandingIds, string>>>;

/** A tenant with one of everything. Its documents: one authorized, which stands for all, a draft and a refused one. */
export interface World {
  readonly business: Business;
  readonly ids: StandingIds;
  readonly draftId: string;
  readonly refusedId: string;
  /** Authorized, of a buyer without an address. */
  readonly unmailedId: string;
  /** Another tenant, for what would spoil this one. */
  readonly spare: Business;
  newDraft(): Promise<string>;
  newBuyer(): Promise<string>;
  newMember(status: 'active' | 'suspended' | 'invited'): Promise<string>;
  newApiKey(): Promise<string>;
  newProduct(): Promise<string>;
  newWebhook(): Promise<string>;
  /** A stored certificate that is not the active one. */
  newCertificate(): Promise<string>;
  certificateFile(): string;
  /** A number that no call has used yet, as a word. */
  word(): string;
}

/** A credit note of one dollar: every id that a document can name. */
const small = ({ business, ids }: World): Record<string, unknown> =>
  business.invoice({
    document_type: '04', reason: 'Devolución', modified_document_id: ids.modified_document_id, payments: [],
    subtotal: '1.00', total_tax: '0.15', total: '1.15',
    lines: [{ line_number: 1, description: 'Devuelto', quantity: '1', unit_price: '1.00', subtotal: '1.00', tax_rate_code: '4' }],
    taxes: [{ tax_code: '2', tax_rate_code: '4', taxable_base: '1.00', rate: '0.15', tax_amount: '0.15' }],
  });

const creditNote = (world: World): unknown => {
  const { lines, taxes, subtotal, total_tax, total } = small(world);
  return { reason: 'Devolución', lines, taxes, subtotal, total_tax, total };
};

/** Three digits, another each time. */
const code = (world: World): string => String(100 + (Number(world.word()) % 900));

/** The port of a service that nobody runs. */
export const NOBODY_LISTENS = 'https://127.0.0.1:8443/';

const draft = async (world: World): Promise<Ids> => ({ document_id: await world.newDraft() });

export const ACCESS_CASES: Readonly<Record<string, AccessCase>> = {
  'GET /health/live': { demands: 'public', own: 200 },
  'GET /health/ready': { demands: 'public', own: 200 },

  'POST /issuers': {
    demands: 'issuers:write', own: 201,
    body: (world) => ({ ruc: `099${String(1_000_000 + Number(world.word())).slice(-7)}001`, razon_social: 'Otra', direccion_matriz: 'Quito', obligado_contabilidad: false }),
  },
  'GET /issuers': { demands: 'issuers:read', own: 200 },
  'GET /issuers/:issuer_id': { demands: 'issuers:read', own: 200 },
  'PATCH /issuers/:issuer_id': { demands: 'issuers:write', own: 200, body: () => ({ nombre_comercial: 'Ñandú' }) },
  // The standing ones hold documents: found, and not removed.
  'DELETE /issuers/:issuer_id': { demands: 'issuers:write', own: 409 },
  'PATCH /issuers/:issuer_id/establishments/:establishment_id': { demands: 'issuers:write', own: 200, body: () => ({ name: 'Matriz' }) },
  'DELETE /issuers/:issuer_id/establishments/:establishment_id': { demands: 'issuers:write', own: 409 },
  'PATCH /issuers/:issuer_id/establishments/:establishment_id/emission-points/:emission_point_id': { demands: 'issuers:write', own: 200, body: () => ({ is_active: true }) },
  'DELETE /issuers/:issuer_id/establishments/:establishment_id/emission-points/:emission_point_id': { demands: 'issuers:write', own: 409 },
  'GET /issuers/:issuer_id/logo': { demands: 'issuers:read', own: 200 },
  'POST /issuers/:issuer_id/establishments': { demands: 'issuers:write', own: 201, body: (world) => ({ code: code(world), address: 'Quito' }) },
  'GET /issuers/:issuer_id/establishments': { demands: 'issuers:read', own: 200 },
  'GET /issuers/:issuer_id/establishments/:establishment_id': { demands: 'issuers:read', own: 200 },
  'POST /issuers/:issuer_id/establishments/:establishment_id/emission-points': { demands: 'issuers:write', own: 201, body: (world) => ({ code: code(world) }) },
  'GET /issuers/:issuer_id/establishments/:establishment_id/emission-points': { demands: 'issuers:read', own: 200 },
  'GET /issuers/:issuer_id/establishments/:establishment_id/emission-points/:emission_point_id': { demands: 'issuers:read', own: 200 },
  'GET /emission-points/:emission_point_id/sequences': { demands: 'issuers:read', own: 200 },
  'POST /emission-points/:emission_point_id/sequences/:document_type/raise': {
    demands: 'issuers:write', own: 200, words: { document_type: '06' }, body: (world) => ({ next_number: 1_000 + 10 * parseInt(world.word(), 36), reason: 'Otro sistema' }),
  },
  'GET /emission-points/:emission_point_id/sequences/:document_type/gaps': { demands: 'issuers:read', own: 200, words: { document_type: '01' } },
  'POST /issuers/:issuer_id/certificates': { demands: 'issuers:write', own: 201, body: (world) => ({ file_base64: world.certificateFile(), password: 'secreto' }) },
  'POST /issuers/:issuer_id/certificates/check': { demands: 'issuers:write', own: 200, body: (world) => ({ file_base64: world.certificateFile(), password: 'secreto' }) },
  'GET /issuers/:issuer_id/certificates': { demands: 'issuers:read', own: 200 },
  'GET /issuers/:issuer_id/certificates/:certificate_id': { demands: 'issuers:read', own: 200 },
  'DELETE /issuers/:issuer_id/certificates/:certificate_id': {
    demands: 'issuers:write', own: 204, fresh: async (world) => ({ certificate_id: await world.newCertificate() }),
  },
  'POST /issuers/:issuer_id/certificates/:certificate_id/activate': { demands: 'issuers:write', own: 200 },
  'GET /issuers/:issuer_id/pauses': { demands: 'issuers:read', own: 200 },
  'POST /issuers/:issuer_id/pauses/:pause_id/resume': { demands: 'issuers:write', own: 200 },

  'POST /documents': { demands: 'documents:issue', own: 202, body: small },
  'POST /documents/validate': { demands: 'documents:issue', own: 200, body: small, dryRun: true },
  'POST /documents/drafts': { demands: 'documents:issue', own: 201, body: small },
  'GET /documents': { demands: 'documents:read', own: 200, query: { issuer_id: 'issuer_id', modified_document_id: 'document_id' } },
  'GET /documents/export.csv': { demands: 'exports:read', own: 200, query: { issuer_id: 'issuer_id', modified_document_id: 'document_id', cursor: 'document_id' } },
  'GET /documents/export.xlsx': { demands: 'exports:read', own: 200, query: { issuer_id: 'issuer_id', modified_document_id: 'document_id', cursor: 'document_id' } },
  'GET /documents/:document_id': { demands: 'documents:read', own: 200 },
  'PATCH /documents/:document_id': { demands: 'documents:issue', own: 200, fresh: draft, body: small },
  'DELETE /documents/:document_id': { demands: 'documents:issue', own: 204, fresh: draft },
  'POST /documents/:document_id/issue': { demands: 'documents:issue', own: 202, fresh: draft },
  'GET /documents/:document_id/xml': { demands: 'documents:read', own: 200 },
  'GET /documents/:document_id/ride': { demands: 'documents:read', own: 200 },
  'GET /documents/:document_id/history': { demands: 'documents:read', own: 200 },
  // Found, in the state for it, and without anybody to mail it to.
  'POST /documents/:document_id/email': { demands: 'documents:operate', own: 422, body: () => ({}), fresh: ({ unmailedId }) => ({ document_id: unmailedId }) },
  'GET /documents/:document_id/emails': { demands: 'documents:read', own: 200 },
  'POST /documents/:document_id/credit-note': { demands: 'documents:issue', own: 201, body: creditNote },
  // Not the refused document's own numeric code: found, looked at, and not corrected, so that it serves every caller.
  'POST /documents/:document_id/correct': {
    demands: 'documents:operate', own: 400,
    fresh: ({ refusedId }) => ({ document_id: refusedId }),
    body: (world) => ({ ...small(world), numeric_code: '87654321' }),
  },
  // Found and not in the state for it.
  'POST /documents/:document_id/retry': { demands: 'documents:operate', own: 409 },
  'POST /documents/:document_id/reconcile': { demands: 'documents:operate', own: 409 },
  'POST /documents/:document_id/abandon': { demands: 'documents:operate', own: 409, body: () => ({ reason: 'x' }) },
  'POST /documents/:document_id/cancel': { demands: 'documents:issue', own: 409, fresh: ({ draftId }) => ({ document_id: draftId }), body: () => ({ reason: 'x' }) },
  'DELETE /documents/:document_id/cancel': { demands: 'documents:issue', own: 409 },

  'POST /products': { demands: 'products:write', own: 201, body: (world) => ({ main_code: `P-${world.word()}`, name: 'Café', unit_price: '1.00', iva_rate_code: '4' }) },
  'GET /products': { demands: 'products:read', own: 200 },
  'GET /products/export.csv': { demands: 'exports:read', own: 200 },
  'POST /products/import': { demands: 'products:write', own: 200, type: 'text/csv', body: (world) => `main_code,name,unit_price,iva_rate_code\r\nI-${world.word()},Café,1.00,4\r\n` },
  'GET /products/:product_id': { demands: 'products:read', own: 200 },
  'PATCH /products/:product_id': { demands: 'products:write', own: 200, body: () => ({ name: 'Té' }) },
  'DELETE /products/:product_id': { demands: 'products:write', own: 204, fresh: async (world) => ({ product_id: await world.newProduct() }) },
  'GET /buyers': { demands: 'buyers:read', own: 200 },
  // Of nobody: found wanting before anybody is asked.
  'GET /buyers/lookup': { demands: 'buyers:read', own: 400 },
  'POST /buyers': { demands: 'buyers:write', own: 201, body: (world) => ({ buyer_id_type: 'EXTERIOR', buyer_id: `W-${world.word()}`, legal_name: 'X' }) },
  'GET /buyers/:profile_id': { demands: 'buyers:read', own: 200 },
  'PATCH /buyers/:profile_id': { demands: 'buyers:write', own: 200, body: () => ({ notes: 'x' }) },
  'DELETE /buyers/:profile_id': { demands: 'buyers:write', own: 204, fresh: async (world) => ({ profile_id: await world.newBuyer() }) },

  'GET /reference/:table': { demands: 'tenant:read', own: 200, words: { table: 'payment-methods' } },

  'GET /tenant': { demands: 'tenant:read', own: 200 },
  'PATCH /tenant': { demands: 'tenant:write', own: 200, body: () => ({ name: 'Business' }) },
  'GET /tenant/mail-settings': { demands: 'tenant:read', own: 200 },
  'PATCH /tenant/mail-settings': { demands: 'tenant:write', own: 200, body: () => ({ sender_name: 'Comercial' }) },
  'POST /tenant/mail-settings/preview': { demands: 'tenant:read', own: 200, body: () => ({ document_type: '06' }) },
  'GET /tenant/members': { demands: 'members:read', own: 200 },
  'POST /tenant/members/invite': { demands: 'members:write', own: 201, body: (world) => ({ email: `${world.word()}@example.com`, role: 'viewer' }) },
  'PATCH /tenant/members/:member_id': { demands: 'members:write', own: 200, body: () => ({ role: 'accountant' }) },
  'DELETE /tenant/members/:member_id': { demands: 'members:write', own: 204, fresh: async (world) => ({ member_id: await world.newMember('active') }) },
  'POST /tenant/members/:member_id/suspend': { demands: 'members:write', own: 200, fresh: async (world) => ({ member_id: await world.newMember('active') }) },
  'POST /tenant/members/:member_id/resume': { demands: 'members:write', own: 200, fresh: async (world) => ({ member_id: await world.newMember('suspended') }) },
  'POST /tenant/members/:member_id/reinvite': { demands: 'members:write', own: 200, fresh: async (world) => ({ member_id: await world.newMember('invited') }) },
  'GET /tenant/audit-log': { demands: 'audit:read', own: 200, query: { actor_id: 'actor_id' } },

  'GET /events': { demands: 'events:read', own: 200, query: { document_id: 'document_id' } },
  'GET /events/stream': { demands: 'events:read', own: 200, query: { document_id: 'document_id' } },

  'POST /webhooks': { demands: 'webhooks:write', own: 201, body: () => ({ url: NOBODY_LISTENS, is_active: false }) },
  'GET /webhooks': { demands: 'webhooks:read', own: 200 },
  'GET /webhooks/:webhook_id': { demands: 'webhooks:read', own: 200 },
  'PATCH /webhooks/:webhook_id': { demands: 'webhooks:write', own: 200, body: () => ({ description: 'ERP' }) },
  'DELETE /webhooks/:webhook_id': { demands: 'webhooks:write', own: 204, fresh: async (world) => ({ webhook_id: await world.newWebhook() }) },
  'POST /webhooks/:webhook_id/rotate-secret': { demands: 'webhooks:write', own: 200 },
  'POST /webhooks/:webhook_id/test': { demands: 'webhooks:write', own: 202 },
  'POST /webhooks/:webhook_id/replay': { demands: 'webhooks:write', own: 202, body: () => ({ from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }) },
  'GET /webhooks/:webhook_id/deliveries': { demands: 'webhooks:read', own: 200 },
  'GET /webhooks/:webhook_id/deliveries/:delivery_id': { demands: 'webhooks:read', own: 200 },
  'POST /webhooks/:webhook_id/deliveries/:delivery_id/replay': { demands: 'webhooks:write', own: 202 },

  'POST /auth/api-keys': { demands: 'api_keys:write', own: 201, body: () => ({ name: 'key' }) },
  'GET /auth/api-keys': { demands: 'tenant:read', own: 200 },
  'DELETE /auth/api-keys/:api_key_id': { demands: 'api_keys:write', own: 204, fresh: async (world) => ({ api_key_id: await world.newApiKey() }) },

  // What needs no credential is answered to nobody in particular: here, that fields are missing.
  'POST /auth/signup': { demands: 'public', own: 400, body: () => ({}) },
  'POST /auth/login': { demands: 'public', own: 400, body: () => ({}) },
  'POST /auth/refresh': { demands: 'public', own: 401, body: () => ({}) },
  'POST /auth/password/forgot': { demands: 'public', own: 400, body: () => ({}) },
  'POST /auth/password/reset': { demands: 'public', own: 400, body: () => ({}) },
  'POST /auth/email/verify': { demands: 'public', own: 400, body: () => ({}) },
  'POST /auth/invitations/look': { demands: 'public', own: 400, body: () => ({}) },
  'POST /auth/invitations/accept': { demands: 'public', refusesKeys: true, own: 400, body: () => ({}) },
  'GET /auth/google': { demands: 'public', own: 404 },
  'GET /auth/google/callback': { demands: 'public', own: 404 },
  'POST /auth/google/link': { demands: 'signed_in', own: 400, body: () => ({}) },
  'POST /auth/logout': { demands: 'public', refusesKeys: true, own: 422, body: () => ({ refresh_token: 5 }) },
  'POST /auth/tenants': { demands: 'signed_in', own: 201, body: () => ({ tenant_name: 'Otra' }) },
  'POST /auth/email/verify/send': { demands: 'signed_in', own: 202 },
  'GET /auth/me': { demands: 'signed_in', own: 200 },
  'DELETE /auth/me/tenants/:tenant_id': { demands: 'signed_in', ofMembers: true, own: 204 },
  'PATCH /auth/me': { demands: 'signed_in', own: 200, body: () => ({ name: 'Rosa Calle' }) },
  // The people of this matrix have no password.
  'POST /auth/password/change': { demands: 'signed_in', own: 409, body: () => ({ current_password: 'any', password: 'cuatro palabras al azar' }) },
  'DELETE /auth/sessions': { demands: 'signed_in', own: 204 },

  'POST /platform/tenants': { demands: 'platform:write', own: 201, body: (world) => ({ name: 'New', owner_email: `${world.word()}@example.com` }) },
  'GET /platform/tenants': { demands: 'platform:read', own: 200 },
  'PATCH /platform/tenants/:tenant_id': { demands: 'platform:write', own: 200, body: () => ({ is_active: true }) },
  'POST /platform/tenants/:tenant_id/issuers/:issuer_id/disable': { demands: 'platform:write', own: 200, fresh: ({ spare }) => ({ tenant_id: spare.tenantId, issuer_id: spare.issuerId }) },
  'POST /platform/tenants/:tenant_id/issuers/:issuer_id/enable': { demands: 'platform:write', own: 200, fresh: ({ spare }) => ({ tenant_id: spare.tenantId, issuer_id: spare.issuerId }) },
};
