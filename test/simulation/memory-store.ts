import { gunzipSync } from 'node:zlib';
import { allMoves, DOCUMENT_STATUSES } from '../../src/modules/documents/domain/lifecycle.js';
import { OWN_SQL_STATE } from '../../src/platform/database/own-sql-state.js';
import { buildAccessKey } from '../../src/sri/access-key.js';
import type { StoreSnapshot } from './snapshot.js';
import type { Call, Store } from './store.js';

/**
 * The tables and SQL functions of the service in memory: one call is one
 * transaction, done or refused as a whole. The functions follow the ones in
 * `migrations/`; what they share with PostgreSQL is checked by running the same
 * histories there (`postgres.spec.ts`).
 */

type Json = Record<string, unknown>;

/** How long claim_step lets a row rest that waits for its predecessor or for its scope. */
const LEFT_OUT_MS = 600_000;

/** A refusal with the SQLSTATE that PostgreSQL would give. */
class SqlError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export interface CertificateRow {
  readonly tenant_id: string;
  readonly id: string;
  readonly issuer_id: string;
  valid_from: number;
  valid_to: number;
  is_active: boolean;
}

/** A tenant able to issue: one issuer, one establishment, some emission points. */
export interface PlaceRow {
  readonly tenantId: string;
  readonly apiKeyId: string;
  readonly issuerId: string;
  readonly ruc: string;
  readonly establishmentId: string;
  readonly points: readonly { readonly id: string; readonly code: string; readonly initialSequential: number }[];
}

export interface OutboxRow {
  tenant_id: string;
  document_id: string;
  step: string;
  due_at: number;
  ahead: boolean;
  announced_at: number | null;
  announcements: number;
  lease_token: string | null;
  lease_until: number | null;
  lost_leases: number;
  issuer_id: string;
  establishment_id: string;
  emission_point_id: string;
  document_type: string;
  sequential: number;
  unsent: boolean;
}

interface PauseRow {
  readonly tenant_id: string;
  readonly scope: string;
  readonly issuer_id: string;
  readonly establishment_id: string | null;
  readonly emission_point_id: string | null;
  readonly document_type: string | null;
}

export type DocumentRow = {
  [column: string]: unknown;
  tenant_id: string; id: string; issuer_id: string; establishment_id: string; emission_point_id: string; document_type: string; sri_environment: string;
  sequential: number; access_key: string; status: string; version: number; idempotency_key: string | null; content_revision: number;
  signing_no: number; next_attempt_at: number | null; error_code: string | null; received_at: string | null; readonly created_at: string;
};

interface SignedRow { signing_no: number; certificate_id: string; digest: string; signed_at: number; access_key: string; content_revision: number; xml: Buffer }
export interface AttemptRow { id: string; document_id: string; service: string; signing_no: number; started_at: number; finished_at: number | null; outcome: string | null }
interface ContentRow { revision: number; content: unknown; issuer_snapshot: unknown }
interface HistoryRow { version: number; from_status: string | null; trigger: string; to_status: string; detail?: unknown }
interface EventRow { id: string; type: string; document_id: string; document_version: number }
interface KeyRow { operation: string; fingerprint: string; document_id: string; response: Json }

const MOVES = new Set(allMoves().map(({ from, to }) => `${from}>${to}`));
const PATCHED = [
  'authorization_number', 'authorization_date', 'error_code', 'error_detail', 'sri_messages', 'signing_no', 'suspicion',
  'reception_attempts', 'authorization_attempts', 'first_sent_at', 'received_at', 'deadline_at', 'cancellation',
] as const;

/** Those of them that are instants. */
const INSTANTS = ['authorization_date', 'first_sent_at', 'received_at', 'deadline_at'] as const;

const iso = (at: number): string => new Date(at).toISOString();
/** As timestamptz reads what JavaScript writes: no year has more than four digits, and none was 0. */
function instant(value: unknown): number {
  if (value === 'infinity') return Infinity;
  if (typeof value !== 'string') return (value as Date).getTime();
  if (!/^(?!0000)\d{4}-/.test(value)) throw new SqlError('22008', `date/time field value out of range: "${value}"`);
  return Date.parse(value);
}
const parse = (value: unknown): Json | null => (value === null || value === undefined ? null : (JSON.parse(value as string) as Json));

export class MemoryStore implements Store {
  readonly places = new Map<string, PlaceRow>();
  readonly certificates: CertificateRow[] = [];
  readonly documents = new Map<string, DocumentRow>();
  readonly outbox = new Map<string, OutboxRow>();
  readonly counters = new Map<string, number>();
  readonly keys = new Map<string, KeyRow>();
  readonly attempts = new Map<string, AttemptRow>();
  private pauses: PauseRow[] = [];
  private readonly resumed: { readonly pause: PauseRow; readonly at: number }[] = [];
  private readonly contents = new Map<string, ContentRow[]>();
  private readonly signed = new Map<string, SignedRow[]>();
  private readonly history = new Map<string, HistoryRow[]>();
  private readonly events = new Map<string, EventRow[]>();
  private readonly numbers = new Set<string>();

  /** Runs one SQL function. @throws SqlError as PostgreSQL would refuse; nothing is written then */
  execute({ name, parameters: p }: Pick<Call, 'name' | 'parameters'>): Json[] {
    switch (name) {
      case 'issuing_context': return [this.issuingContext(p)];
      case 'issue_document': return [this.issueDocument(p)];
      case 'advance_document': return [this.advanceDocument(p)];
      case 'correct_document': return [this.correctDocument(p)];
      case 'was_refused_at_authorization': return [{ was_refused: this.wasRefusedAtAuthorization(p[0] as string, p[1] as string) }];
      // No document here names another.
      case 'outdated_references': return [];
      case 'load_document': return this.loadDocument(p[0] as string, p[1] as string);
      case 'take': {
        const [claim] = this.claimStep(p);
        if (!claim) return [];
        const work = this.outbox.get(`${p[0] as string}/${p[1] as string}`)!;
        const clear_to_send = claim['step'] === 'prepare' ? !this.mustWait({ ...work, step: 'submit' }) : null;
        return this.loadDocument(p[0] as string, p[1] as string).map((loaded) => ({ ...claim, clear_to_send, ...loaded }));
      }
      case 'announce_going_round': return this.announceDue(p);
      case 'outlived': return this.outlived(p);
      case 'leave_to_relay': return this.leaveToRelay(p);
      case 'stored': return this.stored(`${p[0] as string}/${p[1] as string}`);
      case 'get_document': return this.getDocument(p[0] as string, p[1] as string);
      default: throw new Error(`the store in memory does not know ${name}`);
    }
  }

  expireCertificate(tenantId: string, now: number): void {
    for (const row of this.certificates) if (row.tenant_id === tenantId && row.is_active) row.valid_to = now;
  }

  /** A certificate becomes the issuer's active one; parked documents go on (trigger resume_parked_documents). */
  uploadCertificate(tenantId: string, id: string, now: number): void {
    const place = this.places.get(tenantId)!;
    const row: CertificateRow = { tenant_id: tenantId, id, issuer_id: place.issuerId, valid_from: now - 86_400_000, valid_to: now + 365 * 86_400_000, is_active: true };
    for (const other of this.certificates) if (other.tenant_id === row.tenant_id && other.issuer_id === row.issuer_id) other.is_active = false;
    this.certificates.push(row);
    for (const work of this.outbox.values()) {
      const document = this.documents.get(`${work.tenant_id}/${work.document_id}`);
      if (work.tenant_id !== row.tenant_id || document?.issuer_id !== row.issuer_id) continue;
      const isCompared = work.step === 'authorize' && ['NUMBER_RESERVED', 'XML_GENERATED'].includes(document.status);
      if (!isCompared && (work.due_at !== Infinity || !['NUMBER_RESERVED', 'XML_GENERATED', 'RECEPTION_RETRY_SCHEDULED'].includes(document.status))) continue;
      work.step = 'prepare';
      work.due_at = now;
      work.ahead = false;
      work.announced_at = null;
    }
  }

  private leaveToRelay([tenants, documents]: readonly unknown[]): Json[] {
    for (const [index, document] of (documents as string[]).entries()) {
      const work = this.outbox.get(`${(tenants as string[])[index]}/${document}`);
      if (work?.step === 'prepare' && work.lease_token === null) work.announced_at = null;
    }
    return [{ leave_to_relay: '' }];
  }

  private issuingContext([tenant, issuer, establishment, point, key]: readonly unknown[]): Json {
    const place = this.places.get(tenant as string);
    const row = place?.points.find(({ id }) => id === point);
    const known = place && row && place.issuerId === issuer && place.establishmentId === establishment;
    const certificate = this.certificates.find((c) => c.tenant_id === tenant && c.issuer_id === issuer && c.is_active);
    const replay = this.keys.get(`${tenant as string}/${issuer as string}/${String(key)}`);
    return {
      context: known
        ? {
            ruc: place.ruc, razon_social: 'Emisor', nombre_comercial: null, direccion_matriz: 'Quito', obligado_contabilidad: true,
            contribuyente_especial: null, agente_retencion: null, gran_contribuyente: null, regimen_rimpe: 'none', default_payment_method: '20',
            issuer_active: true, establishment_code: '001', establishment_address: 'Quito', establishment_active: true,
            point_code: row.code, point_active: true,
            certificate_id: certificate?.id ?? null,
            certificate_valid_from: certificate ? iso(certificate.valid_from) : null,
            certificate_valid_to: certificate ? iso(certificate.valid_to) : null,
            certificate_ruc: place.ruc,
          }
        : null,
      replay: key !== null && replay ? { operation: replay.operation, fingerprint: replay.fingerprint, response: replay.response } : null,
    };
  }

  private issueDocument(p: readonly unknown[]): Json {
    const [tenant, , id, at, header, content, snapshot, , key, print] = p as [string, string, string, Date, string, string, string, string, string | null, string];
    const now = at.getTime();
    const h = parse(header) as Json & { issuer_id: string; emission_point_id: string; document_type: string; sri_environment: string; issue_date: string };
    const keyName = `${tenant}/${h.issuer_id}/${String(key)}`;
    if (key !== null) {
      const first = this.keys.get(keyName);
      if (first) return { outcome: 'replayed', fingerprint: first.fingerprint, operation: first.operation, response: first.response };
    }
    this.lastLook(tenant, h.issuer_id, now);
    const { sequential, accessKey, counter } = this.nextNumber(tenant, h, parse(content)!, parse(snapshot)!);
    this.requireFreeNumber(tenant, h, sequential);
    if (this.documents.has(`${tenant}/${id}`)) throw new SqlError('23505', 'duplicate key value violates unique constraint "documents_pkey"');
    this.counters.set(counter, sequential);
    const answer = { document_id: id, status: 'NUMBER_RESERVED', access_key: accessKey };
    if (key !== null) this.keys.set(keyName, { operation: 'issue', fingerprint: print, document_id: id, response: answer });
    this.insertDocument(tenant, id, h, sequential, accessKey, key, now, parse(content), parse(snapshot));
    this.insertWork(tenant, id, h, sequential, now);
    return { outcome: this.outbox.get(`${tenant}/${id}`)?.ahead === true ? 'in_line' : 'accepted', fingerprint: print, operation: 'issue', response: answer };
  }

  private correctDocument(p: readonly unknown[]): Json {
    const [tenant, , id, version, at, header, content, snapshot] = p as [string, string, string, number, Date, string, string, string];
    const now = at.getTime();
    const rowKey = `${tenant}/${id}`;
    const d = this.documents.get(rowKey);
    if (d?.status !== 'REJECTED' || d.version !== version) throw new SqlError(OWN_SQL_STATE.documentMoved, `document ${id} is no longer REJECTED at version ${version}`);
    this.lastLook(tenant, d.issuer_id, now);
    const { idempotency_key, content_revision } = d;
    const h = parse(header)!;
    const revision = content_revision + 1;
    Object.assign(d, h, {
      idempotency_key, content_revision: revision, status: 'NUMBER_RESERVED', version: version + 1, access_key: this.keyOf(d, h, parse(content)!, parse(snapshot)!, d.sequential),
      error_code: null, error_detail: null, sri_messages: [], suspicion: null, reception_attempts: 0, authorization_attempts: 0,
      received_at: null, deadline_at: null, next_attempt_at: now, updated_at: iso(now),
    });
    append(this.contents, rowKey, [{ revision, content: parse(content), issuer_snapshot: parse(snapshot) }]);
    append(this.history, rowKey, [{ version: version + 1, from_status: 'REJECTED', trigger: 'corrected', to_status: 'NUMBER_RESERVED' }]);
    this.outbox.delete(rowKey);
    this.outbox.set(rowKey, { ...this.firstWork(tenant, id, d, d.sequential, now), unsent: false });
    return { access_key: d.access_key };
  }

  private mayHaveBeenRefused(d: DocumentRow): boolean {
    return d.signing_no > 1 || d.content_revision > 1 || d.status === 'RECEPTION_RETRY_SCHEDULED';
  }

  private wasRefusedAtAuthorization(tenant: string, id: string): boolean {
    const refusals = (this.history.get(`${tenant}/${id}`) ?? []).filter(({ trigger }) => trigger === 'refused');
    return refusals.some(({ detail }) => (detail as { service?: string } | null)?.service === 'authorization');
  }

  /** What `restore_content` does before a document is advanced. */
  private restoreContent(d: DocumentRow, [revision, accessKey, columns]: readonly unknown[]): void {
    const signed = this.contents.get(`${d.tenant_id}/${d.id}`)!.find((one) => one.revision === revision)!.content as Json;
    const header = Object.entries(JSON.parse(columns as string) as Record<string, string>).map(([column, property]) => [column, signed[property]]);
    Object.assign(d, Object.fromEntries(header), { content_revision: revision, access_key: accessKey });
  }

  private canIssue(tenant: string, issuer: string, now: number): boolean {
    return this.certificates.some((c) => c.tenant_id === tenant && c.issuer_id === issuer && c.is_active && c.valid_to > now);
  }

  lastLook(tenant: string, issuer: string, now: number): void {
    if (!this.canIssue(tenant, issuer, now)) throw new SqlError(OWN_SQL_STATE.certificateExpired, 'no usable certificate');
  }

  /** What `take_number` would give; the caller stores the counter. */
  nextNumber(tenant: string, h: Json, content: Json, snapshot: Json): { sequential: number; accessKey: string; counter: string } {
    const point = this.places.get(tenant)?.points.find((one) => one.id === h['emission_point_id']);
    if (!point) throw new SqlError(OWN_SQL_STATE.emissionPointGone, 'emission point gone');
    const counter = `${tenant}/${point.id}/${String(h['document_type'])}/${String(h['sri_environment'])}`;
    const last = this.counters.get(counter);
    const sequential = last === undefined ? point.initialSequential : last + 1;
    if (sequential > 999_999_999) throw new SqlError(OWN_SQL_STATE.sequenceExhausted, 'sequence exhausted');
    return { sequential, accessKey: this.keyOf(h, h, content, snapshot, sequential), counter };
  }

  private keyOf(series: Json, h: Json, content: Json, snapshot: Json, sequential: number): string {
    return buildAccessKey({
      issueDate: h['issue_date'] as string, documentType: series['document_type'] as '01', ruc: snapshot['ruc'] as string,
      environment: series['sri_environment'] === 'PRODUCTION' ? '2' : '1', establishment: snapshot['establishmentCode'] as string,
      emissionPoint: snapshot['emissionPointCode'] as string, sequential, numericCode: content['numericCode'] as string,
    });
  }

  /** The unique index documents_number. */
  requireFreeNumber(tenant: string, h: Json, sequential: number): string {
    const number = `${tenant}/${String(h['emission_point_id'])}/${String(h['document_type'])}/${String(h['sri_environment'])}/${sequential}`;
    if (this.numbers.has(number)) throw new SqlError('23505', 'duplicate key value violates unique constraint "documents_number"');
    return number;
  }

  insertDocument(tenant: string, id: string, h: Json, sequential: number, accessKey: string, key: string | null, now: number, content: unknown, snapshot: unknown): void {
    this.numbers.add(this.requireFreeNumber(tenant, h, sequential));
    this.documents.set(`${tenant}/${id}`, {
      ...h, tenant_id: tenant, id, sequential, access_key: accessKey, status: 'NUMBER_RESERVED', version: 1, idempotency_key: key, content_revision: 1,
      authorization_number: null, authorization_date: null, error_code: null, error_detail: null, sri_messages: [], signing_no: 0, suspicion: null,
      reception_attempts: 0, authorization_attempts: 0, first_sent_at: null, received_at: null, deadline_at: null, cancellation: null, next_attempt_at: now, created_at: iso(now), updated_at: iso(now),
    } as unknown as DocumentRow);
    this.contents.set(`${tenant}/${id}`, [{ revision: 1, content, issuer_snapshot: snapshot }]);
    this.history.set(`${tenant}/${id}`, [{ version: 1, from_status: null, trigger: 'number_taken', to_status: 'NUMBER_RESERVED' }]);
  }

  insertWork(tenant: string, id: string, h: Json, sequential: number, now: number): void {
    const work = this.firstWork(tenant, id, h, sequential, now);
    if (this.hasUnsentPredecessor(work)) Object.assign(work, { ahead: true, announced_at: null, announcements: 0 });
    this.outbox.set(`${tenant}/${id}`, work);
  }

  private firstWork(tenant: string, id: string, h: Json, sequential: number, now: number): OutboxRow {
    return {
      tenant_id: tenant, document_id: id, step: 'prepare', due_at: now, ahead: false, announced_at: now, announcements: 1, lease_token: null, lease_until: null,
      lost_leases: 0, issuer_id: h['issuer_id'] as string, establishment_id: h['establishment_id'] as string, emission_point_id: h['emission_point_id'] as string, document_type: h['document_type'] as string, sequential, unsent: true,
    };
  }

  private hasUnsentPredecessor(work: OutboxRow): boolean {
    for (const o of this.outbox.values()) {
      if (
        o.tenant_id === work.tenant_id && o.emission_point_id === work.emission_point_id && o.document_type === work.document_type &&
        o.sequential < work.sequential && o.unsent && o.due_at < Infinity
      ) return true;
    }
    return false;
  }

  private isPaused(work: OutboxRow): boolean {
    return this.pauses.some(
      (p) =>
        p.tenant_id === work.tenant_id && p.issuer_id === work.issuer_id &&
        (p.establishment_id === null || p.establishment_id === work.establishment_id) &&
        (p.emission_point_id === null || p.emission_point_id === work.emission_point_id) &&
        (p.document_type === null || p.document_type === work.document_type),
    );
  }

  /** Whether a submission waits for its turn or for its scope to be resumed. */
  private mustWait(work: OutboxRow): boolean {
    return work.step === 'submit' && (this.isPaused(work) || (work.unsent && this.hasUnsentPredecessor(work)));
  }

  resumePauses(now: number): void {
    for (const work of this.outbox.values()) if (work.due_at < Infinity && this.isPaused(work) && work.step === 'submit' && work.ahead) Object.assign(work, { ahead: false, due_at: Math.min(now, work.due_at - LEFT_OUT_MS), announced_at: null });
    this.resumed.push(...this.pauses.map((pause) => ({ pause, at: now })));
    this.pauses = [];
  }

  private announceDue([at, patience, limit, bounds]: readonly unknown[]): Json[] {
    const now = (at as Date).getTime();
    const capacity = (bounds === null ? {} : JSON.parse(bounds as string)) as Record<string, number>;
    const due = [...this.outbox.values()]
      .filter(
        (d) =>
          d.due_at <= now &&
          (d.announced_at === null || d.announced_at < now - (patience as number)) &&
          (d.lease_until === null || d.lease_until < now),
      )
      .sort((a, b) => a.due_at - b.due_at)
      .filter(({ step }) => (capacity[step] = (capacity[step] ?? Number(limit)) - 1) >= 0)
      .slice(0, limit as number);
    for (const row of due) {
      row.announced_at = now;
      row.announcements += 1;
    }
    return due
      .map((row) => ({ tenant_id: row.tenant_id, document_id: row.document_id, announcement: row.announcements }))
      .sort((a, b) => a.document_id.localeCompare(b.document_id));
  }

  private claimStep([tenant, document, token, at, lease]: readonly unknown[]): Json[] {
    const now = (at as Date).getTime();
    const work = this.outbox.get(`${tenant as string}/${document as string}`);
    if (!work || work.due_at > now || (work.lease_token !== token && work.lease_until !== null && work.lease_until >= now)) return [];
    if (this.mustWait(work)) {
      work.ahead = true;
      work.due_at = now + LEFT_OUT_MS;
      work.announced_at = null;
      work.lease_token = null;
      work.lease_until = null;
      return [];
    }
    if (work.lease_token !== null && work.lease_token !== token) work.lost_leases += 1;
    work.lease_token = token as string;
    work.lease_until = now + (lease as number);
    return [{ step: work.step, lost_leases: work.lost_leases }];
  }

  private outlived([tenant, document, token]: readonly unknown[]): Json[] {
    const work = this.outbox.get(`${tenant as string}/${document as string}`);
    if (work && work.lost_leases > 0 && work.lease_token !== token) work.lost_leases -= 1;
    return [];
  }

  private wasSent({ id, signing_no }: DocumentRow): boolean {
    for (const attempt of this.attempts.values()) {
      if (attempt.document_id === id && attempt.service === 'reception' && attempt.signing_no === signing_no && attempt.outcome !== 'not_delivered') return true;
    }
    return false;
  }

  private loadDocument(tenant: string, id: string): Json[] {
    const d = this.documents.get(`${tenant}/${id}`);
    if (!d) return [];
    const content = this.contents.get(`${tenant}/${id}`)?.find(({ revision }) => revision === d.content_revision);
    const signings = this.signed.get(`${tenant}/${id}`) ?? [];
    const signed = signings.find(({ signing_no }) => signing_no === d.signing_no);
    const signer = this.certificates.find((c) => c.tenant_id === tenant && c.id === signed?.certificate_id);
    const active = this.certificates.find((c) => c.tenant_id === tenant && c.issuer_id === d.issuer_id && c.is_active);
    return [{
      document: { ...d, next_attempt_at: d.next_attempt_at === null ? null : iso(d.next_attempt_at), due_step: this.outbox.get(`${tenant}/${id}`)?.step ?? null, signing_sent: this.wasSent(d), refused_at_authorization: this.mayHaveBeenRefused(d) && this.wasRefusedAtAuthorization(tenant, id) },
      content: content?.content ?? null,
      issuer_snapshot: content?.issuer_snapshot ?? null,
      digests: signings.map(({ signing_no, digest, signed_at, access_key, content_revision }) => ({ signingNo: signing_no, digest, signedAt: iso(signed_at), accessKey: access_key, contentRevision: content_revision })),
      signed_xml: signed?.xml ?? null,
      signing_certificate_valid_to: signer ? new Date(signer.valid_to) : null,
      certificate_id: active?.id ?? null,
      certificate_valid_from: active ? new Date(active.valid_from) : null,
      certificate_valid_to: active ? new Date(active.valid_to) : null,
    }];
  }

  private advanceDocument(p: readonly unknown[]): Json {
    const [tenant, id, status, version, token, at, movesJson, patchJson, workJson, eventsJson, recordsJson, bytes] = p as
      [string, string, string, number, string | null, Date, string, string, string | null, string, string, Buffer | null];
    const now = at.getTime();
    const rowKey = `${tenant}/${id}`;
    const d = this.documents.get(rowKey);
    if (d?.status !== status || d.version !== version) throw new SqlError(OWN_SQL_STATE.documentMoved, `document ${id} is no longer ${status} at version ${version}`);
    const held = this.outbox.get(rowKey);
    if (token !== null && held?.lease_token !== token) throw new SqlError(OWN_SQL_STATE.documentMoved, `lease of document ${id} was lost`);

    const moves = JSON.parse(movesJson) as { trigger: string; to: string; detail: unknown }[];
    const history: HistoryRow[] = [];
    let from = d.status;
    moves.forEach(({ trigger, to, detail }, index) => {
      if (!(DOCUMENT_STATUSES as readonly string[]).includes(to) || (to !== from && !MOVES.has(`${from}>${to}`))) {
        throw new SqlError(OWN_SQL_STATE.moveNotAllowed, `no move from ${from} to ${to}`);
      }
      history.push({ version: version + index + 1, from_status: from, trigger, to_status: to, detail });
      from = to;
    });
    const events = (JSON.parse(eventsJson) as { id: string; type: string }[]).map(
      (event): EventRow => ({ ...event, document_id: id, document_version: version + moves.length }),
    );
    const known = this.events.get(rowKey) ?? [];
    if (events.some((e) => known.some((k) => k.document_version === e.document_version && k.type === e.type))) {
      throw new SqlError('23505', 'duplicate key value violates unique constraint "events_once_per_version"');
    }

    const patch = parse(patchJson) ?? {};
    const records = parse(recordsJson) ?? {};
    for (const value of [...INSTANTS.map((column) => patch[column]), (records['pause'] as Json | undefined)?.['decidedAt']]) if (typeof value === 'string') instant(value);

    if (p.length > 12 && typeof p[12] === 'number') this.restoreContent(d, p.slice(12));
    d.status = from;
    d.version = version + moves.length;
    (d as Json)['updated_at'] = iso(now);
    for (const column of PATCHED) if (column in patch) (d as Json)[column] = patch[column];
    let work = parse(workJson);
    // Without a certificate it is parked, or compared daily: where one was activated meanwhile it goes on at once.
    const isParked = work?.['step'] === 'prepare' && work['due_at'] === 'infinity';
    const isCompared = work?.['recheck'] === true && (from === 'NUMBER_RESERVED' || from === 'XML_GENERATED');
    if ((isParked || isCompared) && this.canIssue(tenant, d.issuer_id, now)) work = { ...work, step: 'prepare', due_at: iso(now), recheck: false };
    const keep = work !== null && 'keep' in work;
    const dueAt = work !== null && !keep ? instant(work['due_at']) : Infinity;
    if (!keep) d.next_attempt_at = dueAt === Infinity || work?.['recheck'] === true ? null : dueAt;
    append(this.history, rowKey, history);
    append(this.events, rowKey, events);
    this.writeRecords(rowKey, d, records, bytes, now);
    if (records['pause']) this.pauseScope(d, records['pause'] as Json);
    return { new_version: d.version, successor_woken: !keep && this.setWork(rowKey, d, work, dueAt, now) };
  }

  private writeRecords(rowKey: string, d: DocumentRow, records: Json, bytes: Buffer | null, now: number): void {
    const { id } = d;
    const row = (name: string): (Json & { id: string }) | undefined => records[name] as (Json & { id: string }) | undefined;
    const signing = row('signing');
    if (signing) {
      append(this.signed, rowKey, [{ signing_no: signing['signing_no'] as number, certificate_id: signing['certificate_id'] as string, digest: signing['digest'] as string, signed_at: now, access_key: d.access_key, content_revision: d.content_revision, xml: bytes! }]);
    }
    const attempt = row('attempt');
    if (attempt) this.attempts.set(attempt.id, { id: attempt.id, document_id: id, service: attempt['service'] as string, signing_no: attempt['signing_no'] as number, started_at: now, finished_at: null, outcome: null });
    const finished = row('finished');
    const open = finished && this.attempts.get(finished.id);
    if (open) Object.assign(open, { finished_at: now, outcome: finished['outcome'] as string });
    const asked = row('asked');
    if (asked) this.attempts.set(asked.id, { id: asked.id, document_id: id, service: asked['service'] as string, signing_no: asked['signing_no'] as number, started_at: instant(asked['started_at']), finished_at: now, outcome: asked['outcome'] as string });
  }

  private wasServedSince(scope: PauseRow, since: number): boolean {
    return (
      this.resumed.some(({ pause, at }) => at > since && JSON.stringify(pause) === JSON.stringify(scope)) ||
      [...this.documents.values()].some(
        (x) =>
          x.tenant_id === scope.tenant_id && x.issuer_id === scope.issuer_id && x.authorization_date !== null && instant(x.authorization_date) > since &&
          (scope.establishment_id === null || x.establishment_id === scope.establishment_id) &&
          (scope.emission_point_id === null || x.emission_point_id === scope.emission_point_id) &&
          (scope.document_type === null || x.document_type === scope.document_type),
      )
    );
  }

  private pauseScope(d: DocumentRow, pause: Json): void {
    const scope = pause['scope'] as string;
    const threshold = pause['threshold'] as number;
    if (threshold > 1) {
      const mates = [...this.documents.values()].filter(
        (x) => x.tenant_id === d.tenant_id && x.emission_point_id === d.emission_point_id && x.document_type === d.document_type && x.sri_environment === d.sri_environment,
      );
      const lastTaken = Math.max(0, ...mates.filter((y) => y.received_at !== null).map((y) => y.sequential));
      const same = mates.filter((x) => (x.id === d.id || x.error_code === d.error_code) && x.sequential > lastTaken);
      if (threshold > same.length) return;
    }
    const row: PauseRow = {
      tenant_id: d.tenant_id, scope, issuer_id: d.issuer_id,
      establishment_id: scope === 'establishment' || scope === 'emission_point' ? d.establishment_id : null,
      emission_point_id: scope === 'emission_point' ? d.emission_point_id : null,
      document_type: scope === 'document_type' || scope === 'emission_point' ? d.document_type : null,
    };
    if (threshold > 1 && this.resumed.some((seen) => seen.at > Date.parse(d.created_at) && JSON.stringify(seen.pause) === JSON.stringify(row))) return;
    if (threshold === 1 && this.wasServedSince(row, Date.parse(pause['decidedAt'] as string))) return;
    if (this.pauses.some((open) => JSON.stringify(open) === JSON.stringify(row))) return;
    this.pauses.push(row);
    append(this.events, `${d.tenant_id}/${d.id}`, [{ id: pause['event_id'] as string, type: 'issuer.paused', document_id: d.id, document_version: d.version }]);
  }

  /** @returns whether the document that waited for this one was woken */
  private setWork(rowKey: string, d: DocumentRow, work: Json | null, dueAt: number, now: number): boolean {
    const old = this.outbox.get(rowKey);
    if (work === null) this.outbox.delete(rowKey);
    else this.putWork(rowKey, d, work, dueAt, old);
    const next = this.outbox.get(rowKey);
    const waited = old !== undefined && old.unsent && old.due_at < Infinity;
    const waits = next !== undefined && next.unsent && next.due_at < Infinity;
    return waited && !waits && this.wakeSuccessor(old, now);
  }

  private wakeSuccessor(work: OutboxRow, now: number): boolean {
    let successor: OutboxRow | undefined;
    for (const o of this.outbox.values()) {
      if (
        o.tenant_id === work.tenant_id && o.emission_point_id === work.emission_point_id && o.document_type === work.document_type &&
        o.sequential > work.sequential && o.unsent && o.due_at < Infinity && (successor === undefined || o.sequential < successor.sequential)
      ) successor = o;
    }
    if (successor) Object.assign(successor, { ahead: false, due_at: successor.ahead && successor.step === 'submit' ? Math.min(now, successor.due_at - LEFT_OUT_MS) : successor.due_at, announced_at: null });
    return successor !== undefined;
  }

  private putWork(rowKey: string, d: DocumentRow, work: Json, dueAt: number, old: OutboxRow | undefined): void {
    const keep = work['keep_lease'] === true && old !== undefined;
    this.outbox.set(rowKey, {
      tenant_id: d.tenant_id, document_id: d.id, issuer_id: d.issuer_id, establishment_id: d.establishment_id,
      emission_point_id: d.emission_point_id, document_type: d.document_type, sequential: d.sequential,
      step: work['step'] as string, due_at: dueAt, lost_leases: 0,
      ahead: work['step'] === 'prepare' && (old?.ahead ?? false),
      announcements: old?.announcements ?? 0,
      announced_at: keep ? old.announced_at : null,
      unsent: 'unsent' in work ? work['unsent'] === true : (old?.unsent ?? false),
      lease_token: keep ? old.lease_token : null,
      lease_until: keep ? old.lease_until : null,
    });
  }

  private stored(rowKey: string): Json[] {
    const d = this.documents.get(rowKey);
    return d ? [{ access_key: d.access_key }] : [];
  }

  private getDocument(tenant: string, id: string): Json[] {
    const d = this.documents.get(`${tenant}/${id}`);
    const content = d && this.contents.get(`${tenant}/${id}`)?.find(({ revision }) => revision === d.content_revision);
    if (!d || !content) return [];
    // As `get-document` and `stored-documents.repository` name what they read; no history looks at warnings.
    return [{ ...d, warnings: [], accessKey: d.access_key, issuerId: d.issuer_id, establishmentId: d.establishment_id, emissionPointId: d.emission_point_id, errorCode: d.error_code, sriMessages: d['sri_messages'], content: content.content }];
  }

  /** The next instant at which due work could be announced or claimed. */
  nextDue(now: number, patienceMs: number): number {
    let soonest = Infinity;
    for (const work of this.outbox.values()) {
      const at: number = Math.max(
        work.due_at,
        work.announced_at === null ? -Infinity : work.announced_at + patienceMs + 1,
        work.lease_until === null ? -Infinity : work.lease_until + 1,
      );
      if (at > now) soonest = Math.min(soonest, at);
      // Due and free: the next look of a relay finds it.
      else soonest = Math.min(soonest, now + 1_000);
    }
    return soonest;
  }

  /** Events of a document, without the rest of a transaction. */
  addEvents(rowKey: string, events: readonly { id: string; type: string }[]): void {
    const d = this.documents.get(rowKey)!;
    append(this.events, rowKey, events.map((event) => ({ ...event, document_id: d.id, document_version: d.version })));
  }

  lastSigned(accessKey: string): string | null {
    const d = [...this.documents.values()].find((one) => one.access_key === accessKey);
    const bytes = d && this.signed.get(`${d.tenant_id}/${d.id}`)?.at(-1)?.xml;
    return bytes ? gunzipSync(bytes).toString('utf8') : null;
  }

  /** What is committed of a document's bytes and transmissions. */
  committed(documentId: string): { readonly digests: readonly string[]; readonly openAttempts: number } {
    const document = [...this.documents.values()].find(({ id }) => id === documentId);
    const signings = document ? (this.signed.get(`${document.tenant_id}/${documentId}`) ?? []) : [];
    let openAttempts = 0;
    for (const attempt of this.attempts.values()) {
      if (attempt.document_id === documentId && attempt.service === 'reception' && attempt.finished_at === null) openAttempts += 1;
    }
    return { digests: signings.map(({ digest }) => digest), openAttempts };
  }

  snapshot(): StoreSnapshot {
    const flat = <Row extends object, More extends object>(rows: Map<string, Row[]>, more: (rowKey: string) => More): (Row & More)[] =>
      [...rows].flatMap(([rowKey, list]) => list.map((row) => ({ ...row, ...more(rowKey) })));
    const owner = (rowKey: string): { document_id: string } => ({ document_id: rowKey.split('/')[1]! });
    return {
      documents: [...this.documents.values()] as unknown as StoreSnapshot['documents'],
      counters: [...this.counters].map(([name, last_value]) => {
        const [, emission_point_id = '', document_type = ''] = name.split('/');
        return { emission_point_id, document_type, last_value };
      }),
      history: flat(this.history, owner),
      events: flat(this.events, owner),
      attempts: [...this.attempts.values()],
      signed: flat(this.signed, owner),
      work: [...this.outbox.values()].map(({ document_id, step, due_at }) => ({ document_id, step, parked: due_at === Infinity })),
      keys: [...this.keys].map(([name, { document_id }]) => ({ key: name.split('/').slice(2).join('/'), issuer_id: name.split('/')[1]!, document_id })),
    };
  }
}

function append<Row>(rows: Map<string, Row[]>, rowKey: string, more: readonly Row[]): void {
  const list = rows.get(rowKey);
  if (list) list.push(...more);
  else rows.set(rowKey, [...more]);
}
