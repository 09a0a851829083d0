import { EVENT_OF_STATE, LIFECYCLE, target, type DocumentStatus, type Trigger } from '../../src/modules/documents/domain/lifecycle.js';
import { documentDigest } from '../../src/sri/document-digest.js';
import type { ConsultationAnswer } from '../../src/sri/soap/consultation.js';
import type { AuthorizationAnswer } from '../../src/sri/soap/authorization.js';
import type { ReceptionAnswer } from '../../src/sri/soap/reception.js';
import type { InProcessSri } from '../../src/simulator/brain/in-process.js';
import { FIRST_BUYER, identityOf, totalOf } from './bodies.js';
import { Model } from './model.js';
import type { Process } from './scheduler.js';
import type { StoreSnapshot } from './snapshot.js';
import type { WireTap } from './sri.js';
import type { Call, Rows } from './store.js';

/** An invariant does not hold. */
export class Violation extends Error {
  constructor(
    readonly invariant: string,
    message: string,
  ) {
    super(`${invariant}: ${message}`);
  }
}

/** What the checker knows of a document, from commits and from the wire alone. */
interface Shadow {
  readonly id: string;
  readonly tenantId: string;
  readonly sequence: string;
  readonly number: number;
  readonly numericCode: string;
  readonly pointId: string;
  /** What was asked for: first, and by each correction; with the access key that it got. */
  readonly contents: { readonly buyer: string; readonly accessKey: string }[];
  accessKey: string;
  status: DocumentStatus;
  version: number;
  leaseToken: string | null;
  /** Parked or without work: others may pass. */
  stepsAside: boolean;
  attempts: number;
  submissions: number;
  refusals: number;
  held: boolean;
  /** The SRI said once that it holds the document. */
  wasHeld: boolean;
  readonly wireDigests: Set<string>;
  /** Classes of answers that reached a worker. */
  readonly told: Set<AnswerClass>;
  disturbances: number;
  lostLeases: number;
  /** Workers in a row that lost their lease and have not come back; and as many as there were when it was last taken. */
  vanished: number;
  vanishedAtClaim: number;
  queries: number;
}

type AnswerClass = 'received' | 'held' | 'taken' | 'transient' | 'refused' | 'authorized' | 'in_process' | 'absent' | 'annulled' | 'silence' | 'undelivered';

interface Advance {
  readonly documentId: string;
  readonly status: string;
  readonly version: number;
  readonly token: string | null;
  readonly moves: readonly { readonly trigger: Trigger; readonly to: DocumentStatus; readonly detail?: { readonly reason?: string } | null }[];
  readonly work: { readonly step?: string; readonly due_at?: string; readonly keep?: boolean } | null;
  readonly events: readonly { readonly type: string }[];
  readonly records: { readonly attempt?: unknown; readonly signing?: { readonly digest: string } };
  /** Revision and access key of a content that is current again. */
  readonly restored: readonly [number, string] | null;
}

/** Whose triggers need which answer of the SRI: the reference classification, written down a second time. */
const NEEDS: Partial<Record<Trigger, readonly AnswerClass[]>> = {
  received: ['received'],
  held_by_sri: ['held', 'in_process'],
  transient: ['transient'],
  refused: ['refused'],
  authorized: ['authorized'],
  annulled: ['annulled'],
  not_delivered: ['undelivered'],
};

/** How far a machine's clock may be wrong. */
const SKEW_MS = 100_000;
const HELD_CODES = ['43', '70'];

/** Looks at every commit, every exchange with the SRI and every answer to a client. */
export class Oracle implements WireTap {
  readonly model = new Model();
  private readonly shadows = new Map<string, Shadow>();
  private readonly byKey = new Map<string, Shadow>();
  private readonly sequences = new Map<string, Shadow[]>();
  /** Crashes, pauses and database faults so far: each may cost one more transmission. */
  disturbances = 0;
  /** How often each move was made: what the histories reach. */
  readonly moves = new Map<string, number>();
  private tampered = false;
  private failure: Violation | null = null;

  constructor(
    private readonly now: () => number,
    private readonly firstNumberOf: (pointId: string) => number,
    private readonly brain: () => InProcessSri,
    /** What is committed of a document, straight from the store; null when it cannot be asked at once. */
    private readonly committed: ((documentId: string) => { readonly digests: readonly string[]; readonly openAttempts: number }) | null,
  ) {}

  /** The SRI will behave in a way that explains some endings. */
  scripted(tampersDocument: boolean): void {
    this.tampered ||= tampersDocument;
  }

  /** A request ended in an error that is neither a refusal nor a lost connection. */
  crashed(error: unknown): void {
    this.fail('API', `a request failed: ${(error as Error).stack ?? String(error)}`);
  }

  /** A value that the database cannot hold (SQLSTATE of class 22) is refused at every try. */
  unstorable({ name }: Call, error: unknown): void {
    if ((error as { code?: string }).code?.startsWith('22')) this.fail('I5', `${name} was given what cannot be stored: ${(error as Error).message}`);
  }

  /** The first violation, if any; it may have happened inside a program that swallows errors. */
  check(): void {
    if (this.failure) throw this.failure;
  }

  private fail(invariant: string, message: string): void {
    this.failure ??= new Violation(invariant, message);
  }

  private require(condition: boolean, invariant: string, message: () => string): void {
    if (!condition) this.fail(invariant, message());
  }

  get size(): number {
    return this.shadows.size;
  }

  document(place: number): Readonly<Pick<Shadow, 'id' | 'tenantId' | 'pointId' | 'numericCode' | 'accessKey' | 'status'>> | null {
    return [...this.shadows.values()][place] ?? null;
  }

  /** One of the documents that are refused now. */
  refusedDocument(place: number): ReturnType<Oracle['document']> {
    const refused = [...this.shadows.values()].filter(({ status }) => status === 'REJECTED');
    return refused[place % refused.length] ?? null;
  }

  // --- commits -------------------------------------------------------------

  observe(owner: Process, call: Call, rows: Rows): void {
    switch (call.name) {
      case 'issue_document': this.issued(call, rows); break;
      case 'take': this.claimed(call, rows); break;
      case 'outlived': this.outlived(call); break;
      case 'advance_document': this.advanced(owner, call); break;
      case 'correct_document': this.corrected(owner, call, rows); break;
      default: break;
    }
  }

  private issued({ parameters: p }: Call, rows: Rows): void {
    const [row] = rows;
    if (row?.['outcome'] !== 'accepted' && row?.['outcome'] !== 'in_line') return;
    const [tenantId, , documentId, , headerJson, contentJson, , , key] = p as [string, string, string, Date, string, string, string, string, string | null];
    const header = JSON.parse(headerJson) as { issuer_id: string; emission_point_id: string; document_type: string; sri_environment: string; total: string };
    const content = JSON.parse(contentJson) as { numericCode: string; issueDate: string };
    const accessKey = (row['response'] as { access_key: string }).access_key;
    const number = Number(accessKey.slice(30, 39));
    const sequence = `${tenantId}/${header.emission_point_id}/${header.document_type}/${header.sri_environment}`;
    const wrong = this.model.stored(sequence, this.firstNumberOf(header.emission_point_id), key === null ? null : `${header.issuer_id}/${key}`, {
      documentId, number, body: identityOf(header.emission_point_id, content.numericCode, content.issueDate),
    });
    if (wrong !== null) this.fail('I1-I3', wrong);
    const total = totalOf(content.numericCode);
    this.require(header.total === total, 'I18', () => `total ${header.total} stored for ${String(total)}`);
    const today = new Date(this.now() - 5 * 3_600_000 + SKEW_MS).toISOString().slice(0, 10);
    this.require(content.issueDate <= today, 'D1', () => `issue date ${content.issueDate} accepted on ${today}`);
    const shadow: Shadow = {
      id: documentId, tenantId, sequence, number, numericCode: content.numericCode, pointId: header.emission_point_id, contents: [{ buyer: FIRST_BUYER, accessKey }], accessKey, status: 'NUMBER_RESERVED', version: 1,
      leaseToken: null, stepsAside: false, attempts: 0, submissions: 0, refusals: 0, held: false, wasHeld: false, wireDigests: new Set(), told: new Set(),
      disturbances: 0, lostLeases: 0, vanished: 0, vanishedAtClaim: 0, queries: 0,
    };
    this.shadows.set(documentId, shadow);
    this.byKey.set(accessKey, shadow);
    const sequenceMates = this.sequences.get(sequence);
    if (sequenceMates) sequenceMates.push(shadow);
    else this.sequences.set(sequence, [shadow]);
  }

  private corrected(owner: Process, { parameters: p }: Call, rows: Rows): void {
    const shadow = this.shadows.get(p[2] as string);
    const [row] = rows;
    if (!shadow || !row) {
      this.fail('I4', `${p[2] as string} was corrected but never issued`);
      return;
    }
    this.require(shadow.status === 'REJECTED' && shadow.version === p[3], 'I11', () => `${owner.name} corrected ${shadow.status} v${shadow.version} as if it were REJECTED v${p[3] as number}`);
    const accessKey = row['access_key'] as string;
    const { issueDate, buyerName } = JSON.parse(p[6] as string) as { issueDate: string; buyerName: string };
    const [year, month, day] = issueDate.split('-');
    this.require(accessKey.startsWith(`${day}${month}${year}`) && accessKey.slice(8, 47) === shadow.accessKey.slice(8, 47), 'I7', () => `${shadow.accessKey} became ${accessKey} by a correction to ${issueDate}`);
    this.byKey.set(accessKey, shadow);
    shadow.contents.push({ buyer: buyerName, accessKey });
    const move = 'REJECTED corrected';
    this.moves.set(move, (this.moves.get(move) ?? 0) + 1);
    Object.assign(shadow, { accessKey, status: 'NUMBER_RESERVED', version: shadow.version + 1, leaseToken: null, stepsAside: false, vanished: 0, vanishedAtClaim: 0 });
  }

  /** An authorization of former content makes it current; without one it never is. */
  private restored(shadow: Shadow, { moves, restored }: Advance): void {
    if (restored === null) return;
    const [revision, accessKey] = restored;
    this.require(moves.at(-1)?.trigger === 'authorized', 'I7', () => `${shadow.id} is of revision ${revision} again although nothing authorized it`);
    this.require(shadow.contents[revision - 1]?.accessKey === accessKey, 'I7', () => `revision ${revision} of ${shadow.id} never had ${accessKey}`);
    shadow.accessKey = accessKey;
  }

  private claimed({ parameters: p }: Call, rows: Rows): void {
    if (rows.length === 0) return;
    const shadow = this.shadows.get(p[1] as string);
    if (!shadow) return;
    if (shadow.leaseToken !== null && shadow.leaseToken !== p[2]) {
      shadow.lostLeases += 1;
      shadow.vanished += 1;
    }
    shadow.vanishedAtClaim = shadow.vanished;
    shadow.leaseToken = p[2] as string;
  }

  private outlived({ parameters: p }: Call): void {
    const shadow = this.shadows.get(p[1] as string);
    if (shadow && shadow.vanished > 0 && shadow.leaseToken !== p[2]) shadow.vanished -= 1;
  }

  private advanced(owner: Process, { parameters: p }: Call): void {
    const advance: Advance = {
      documentId: p[1] as string, status: p[2] as string, version: p[3] as number, token: p[4] as string | null,
      moves: JSON.parse(p[6] as string) as Advance['moves'],
      work: p[8] === null ? null : (JSON.parse(p[8] as string) as Advance['work']),
      events: JSON.parse(p[9] as string) as Advance['events'],
      records: JSON.parse(p[10] as string) as Advance['records'],
      restored: typeof p[12] === 'number' ? [p[12], p[13] as string] : null,
    };
    const shadow = this.shadows.get(advance.documentId);
    if (!shadow) {
      this.fail('I4', `${advance.documentId} was changed but never issued`);
      return;
    }
    this.require(shadow.status === advance.status && shadow.version === advance.version, 'I11', () => `${owner.name} wrote over ${shadow.status} v${shadow.version} as if it were ${advance.status} v${advance.version}`);
    if (advance.token !== null) this.require(shadow.leaseToken === advance.token, 'I11', () => `${owner.name} wrote ${shadow.status} without its lease`);
    if (advance.moves.some(({ trigger }) => trigger === 'gave_up')) this.gaveUp(shadow, JSON.parse(p[7] as string) as { error_code?: string });
    this.restored(shadow, advance);
    this.followMoves(shadow, advance);
    this.followWork(shadow, advance);
  }

  /** A machine that is slow is no reason to ask a person. */
  private gaveUp({ id, attempts, vanishedAtClaim }: Shadow, columns: { error_code?: string }): void {
    if (columns.error_code !== 'ATTEMPTS_EXHAUSTED' || attempts >= 50) return;
    this.require(vanishedAtClaim >= 3, 'I5', () => `${id} was given up after ${vanishedAtClaim} vanished workers`);
  }

  private followMoves(shadow: Shadow, { moves, events, records }: Advance): void {
    for (const { trigger, to, detail } of moves) {
      const legal = trigger in LIFECYCLE[shadow.status].moves && target(shadow.status, trigger) === to;
      this.require(legal, 'I9', () => `${shadow.status} -${trigger}-> ${to}`);
      const needs = NEEDS[trigger];
      const unasked = trigger === 'not_delivered' && detail?.reason === 'breaker_open';
      this.require(!needs || unasked || needs.some((answer) => shadow.told.has(answer)), 'evidence', () => `${trigger} although the SRI only said ${[...shadow.told].join(', ') || 'nothing'}`);
      if (trigger === 'sending') this.sending(shadow, records.attempt !== undefined);
      if (trigger === 'received' || trigger === 'held_by_sri') {
        shadow.held = true;
        // Also without a sending of ours: the SRI says so to whoever asks, and that counts.
        shadow.wasHeld = true;
      }
      if (trigger === 'refused') {
        shadow.refusals += 1;
        shadow.held = false;
      }
      if (to === 'AUTHORIZED' && trigger === 'authorized') this.authorized(shadow);
      const move = `${shadow.status} ${trigger}`;
      this.moves.set(move, (this.moves.get(move) ?? 0) + 1);
      shadow.status = to;
      shadow.version += 1;
    }
    const event = moves.length > 0 ? EVENT_OF_STATE[shadow.status] : undefined;
    this.require(event === undefined || events.some(({ type }) => type === event), 'I10', () => `${shadow.status} was entered without ${String(event)}`);
  }

  private sending(shadow: Shadow, recorded: boolean): void {
    this.require(recorded, 'I12', () => 'sending without an attempt row');
    this.require(!shadow.held, 'A4', () => `${shadow.accessKey} is sent again although the SRI holds it`);
    if (shadow.attempts === 0) {
      const earlier = this.sequences.get(shadow.sequence)!.find((other) => other.number < shadow.number && other.attempts === 0 && !other.stepsAside && !other.wasHeld);
      this.require(earlier === undefined, 'I17', () => `number ${shadow.number} is sent before ${String(earlier?.number)} (${String(earlier?.status)})`);
    }
    shadow.attempts += 1;
  }

  private authorized(shadow: Shadow): void {
    const { history } = this.brain().holding(shadow.accessKey, new Date(this.now()));
    const held = history.some((stored) => stored.authorized && stored.decidedAt.getTime() <= this.now() && shadow.wireDigests.has(stored.digest));
    this.require(held, 'I8', () => `${shadow.accessKey} is AUTHORIZED here but not at the SRI`);
  }

  private followWork(shadow: Shadow, { work }: Advance): void {
    if (work?.keep) return;
    shadow.stepsAside = work === null || work.due_at === 'infinity' || shadow.status === 'MANUAL_REVIEW_REQUIRED' || LIFECYCLE[shadow.status].final;
    const keep = (work as { keep_lease?: boolean } | null)?.keep_lease === true;
    if (!keep) shadow.leaseToken = null;
    shadow.vanished = 0;
  }

  // --- the wire ------------------------------------------------------------

  submitted(accessKey: string, bytes: Uint8Array): void {
    const shadow = this.byKey.get(accessKey);
    if (!shadow) {
      this.fail('I7', `${accessKey} was sent but belongs to no document`);
      return;
    }
    const xml = Buffer.from(bytes).toString('utf8');
    const digest = documentDigest(xml);
    shadow.submissions += 1;
    shadow.wireDigests.add(digest);
    this.require(shadow.wireDigests.size <= 1 + shadow.refusals, 'I6', () => `${accessKey} was sent with ${shadow.wireDigests.size} different contents after ${shadow.refusals} refusals`);
    this.require(shadow.submissions <= shadow.attempts, 'I12', () => `${accessKey} was sent ${shadow.submissions} times with ${shadow.attempts} recorded attempts`);
    this.require(accessKey[23] === '1', 'I15', () => `${accessKey} names another environment`);
    this.require(Number(accessKey.slice(30, 39)) === shadow.number, 'I7', () => `${accessKey} does not carry number ${shadow.number}`);
    this.require(xml.includes(`<importeTotal>${String(totalOf(shadow.numericCode))}</importeTotal>`), 'I18', () => 'the total of the XML differs from what was asked');
    const content = shadow.contents.findIndex((one) => one.accessKey === accessKey && xml.includes(`<razonSocialComprador>${one.buyer}</razonSocialComprador>`));
    // A worker that lost its lease while it sent may end what it began.
    this.require(content === shadow.contents.length - 1 || (content >= 0 && shadow.lostLeases > 0), 'I20', () => `${accessKey} was sent with content ${content + 1} of ${shadow.contents.length}`);
    if (this.committed) {
      const { digests, openAttempts } = this.committed(shadow.id);
      this.require(digests.includes(digest), 'I12', () => `${accessKey} was sent before its bytes were committed`);
      this.require(openAttempts > 0 || shadow.lostLeases > 0, 'I12', () => `${accessKey} was sent without an open attempt row`);
    }
  }

  answered(accessKey: string, answer: ReceptionAnswer): void {
    const shadow = this.byKey.get(accessKey);
    if (!shadow) return;
    const kind = classOf(answer);
    shadow.told.add(kind);
    if (kind === 'transient' || kind === 'taken') shadow.disturbances += 1;
  }

  told(accessKey: string, answer: AuthorizationAnswer): void {
    const shadow = this.byKey.get(accessKey);
    if (!shadow) return;
    shadow.queries += 1;
    if (answer.kind !== 'entries') return;
    const states = answer.entries.map(({ estado }) => estado);
    if (states.length === 0) shadow.told.add('absent');
    if (states.includes('AUTORIZADO')) shadow.told.add('authorized');
    if (states.includes('NO AUTORIZADO')) shadow.told.add('refused');
    if (states.includes('EN PROCESO')) shadow.told.add('in_process');
    shadow.disturbances += 1;
  }

  consulted(accessKey: string, answer: ConsultationAnswer): void {
    const shadow = this.byKey.get(accessKey);
    if (!shadow) return;
    shadow.queries += 1;
    if (answer.kind === 'state' && answer.state === 'annulled') shadow.told.add('annulled');
  }

  disturbed(accessKey: string): void {
    const shadow = this.byKey.get(accessKey);
    if (shadow) shadow.disturbances += 1;
  }

  // --- clients -------------------------------------------------------------

  accepted(issuerId: string, key: string | null, body: string, answer: { document_id: string; access_key: string }): void {
    const wrong = this.model.accepted(key === null ? null : `${issuerId}/${key}`, body, answer.document_id);
    if (wrong !== null) this.fail('I3-I4', wrong);
    const shadow = this.shadows.get(answer.document_id);
    this.require(shadow === undefined || this.byKey.get(answer.access_key) === shadow, 'I7', () => `202 named ${answer.access_key} for ${answer.document_id}`);
  }

  refused(issuerId: string, key: string | null, body: string, code: string, excuses: ReadonlySet<string>, detail?: unknown): void {
    if (code === 'DUPLICATE_IDEMPOTENCY_KEY') {
      const wrong = this.model.conflicted(key === null ? null : `${issuerId}/${key}`, body);
      if (wrong !== null) this.fail('I3', wrong);
      return;
    }
    this.require(excuses.has(code), 'API', () => `${code} without cause: ${JSON.stringify(detail)}`);
  }

  /** An action on a document was done: it may send and ask again. */
  acted(): void {
    this.disturbances += 1;
  }

  read(tenantId: string, documentId: string, found: { status: string; version: number; access_key: string | null } | null): void {
    const shadow = this.shadows.get(documentId);
    const visible = shadow?.tenantId === tenantId;
    this.require(visible === (found !== null), 'I13', () => `${documentId} is ${found ? 'shown to' : 'hidden from'} ${tenantId}`);
    if (!shadow || !found || !visible) return;
    this.require(found.version <= shadow.version && shadow.contents.some(({ accessKey }) => accessKey === found.access_key), 'I7', () => `${documentId} is shown as v${found.version}, it is v${shadow.version}`);
  }

  // --- the end -------------------------------------------------------------

  /** Everything stored, against everything seen. `rested`: the faults ended long ago. */
  finish(store: StoreSnapshot, rested: boolean, hours: number): void {
    this.numbers(store);
    for (const document of store.documents) this.stored(store, document);
    this.require(store.documents.length === this.shadows.size, 'I4', () => `${this.shadows.size} documents were committed, ${store.documents.length} are there`);
    this.calls(hours);
    if (rested) this.rest(store);
    this.check();
  }

  private numbers(store: StoreSnapshot): void {
    const numbers = new Map<string, number[]>();
    for (const d of store.documents) {
      const name = `${d.emission_point_id}/${d.document_type}`;
      numbers.set(name, [...(numbers.get(name) ?? []), d.sequential]);
    }
    for (const [name, taken] of numbers) {
      const first = this.firstNumberOf(name.split('/')[0]!);
      const sorted = [...taken].sort((a, b) => a - b);
      this.require(sorted.every((number, index) => number === first + index), 'I1-I2', () => `${name} has ${sorted.join(', ')}`);
    }
    for (const counter of store.counters) {
      const name = `${counter.emission_point_id}/${counter.document_type}`;
      const highest = Math.max(...(numbers.get(name) ?? [this.firstNumberOf(counter.emission_point_id) - 1]));
      this.require(counter.last_value === highest, 'I2', () => `the counter of ${name} says ${counter.last_value}, the documents ${highest}`);
    }
    const names = store.keys.map(({ issuer_id, key }) => `${issuer_id}/${key}`);
    this.require(new Set(names).size === names.length, 'I3', () => 'a key was stored twice');
    const known = new Set(store.documents.map(({ id }) => id));
    for (const { key, document_id } of store.keys) this.require(known.has(document_id), 'I3', () => `key ${key} names ${document_id}, which is not there`);
    for (const { document_id } of store.work) this.require(known.has(document_id), 'I4', () => `there is work for ${document_id}, which is not there`);
  }

  private stored(store: StoreSnapshot, d: StoreSnapshot['documents'][number]): void {
    const shadow = this.shadows.get(d.id);
    if (!shadow) {
      this.fail('I4', `${d.id} is stored but was never seen`);
      return;
    }
    this.require(d.status === shadow.status && d.version === shadow.version, 'I11', () => `${d.id} is ${d.status} v${d.version}, the commits say ${shadow.status} v${shadow.version}`);
    this.require(d.access_key === shadow.accessKey && d.sequential === shadow.number, 'I7', () => `${d.id} changed its number or key`);
    this.require(Number(d.total) === Number(totalOf(shadow.numericCode)), 'I18', () => `${d.id} has total ${d.total}`);
    this.require(d.authorization_number === null || d.authorization_number === d.access_key, 'I8', () => `${d.id} has a foreign authorization number`);
    this.require(d.buyer_name === shadow.contents[d.content_revision - 1]?.buyer && d.access_key === shadow.contents[d.content_revision - 1]?.accessKey, 'I20', () => `${d.id} says ${d.buyer_name} as revision ${d.content_revision}`);
    if (d.authorization_number !== null) this.asAuthorized(store, d);
    let status: string | null = null;
    let version = 0;
    for (const move of store.history.filter(({ document_id }) => document_id === d.id).sort((a, b) => a.version - b.version)) {
      version += 1;
      this.require(move.version === version && move.from_status === status, 'history', () => `${d.id} has a hole before v${move.version}`);
      status = move.to_status;
    }
    this.require(status === d.status && version === d.version, 'history', () => `${d.id} is ${d.status} v${d.version}, its history ends with ${String(status)} v${version}`);
    const event = EVENT_OF_STATE[d.status as DocumentStatus];
    const told = store.events.some((e) => e.document_id === d.id && e.document_version === d.version && e.type === event);
    this.require(event === undefined || told, 'I10', () => `${d.id} is ${d.status} and no event says so`);
  }

  /** Record, signed bytes and what the SRI authorized are one. */
  private asAuthorized(store: StoreSnapshot, d: StoreSnapshot['documents'][number]): void {
    const signing = store.signed.find(({ document_id, signing_no }) => document_id === d.id && signing_no === d.signing_no);
    const { history } = this.brain().holding(d.access_key, new Date(this.now()));
    this.require(history.some(({ authorized, digest }) => authorized && digest === signing?.digest), 'I20', () => `${d.id} holds signing ${d.signing_no}, which the SRI did not authorize`);
    this.require(signing?.content_revision === d.content_revision, 'I20', () => `${d.id} says revision ${d.content_revision}, authorized is ${String(signing?.content_revision)}`);
  }

  /** No storm: every further transmission has a cause, questions follow their ladder. */
  private calls(hours: number): void {
    for (const shadow of this.shadows.values()) {
      const causes = 1 + shadow.disturbances + this.disturbances + shadow.lostLeases;
      this.require(shadow.attempts <= causes, 'storm', () => `${shadow.accessKey} was sent ${shadow.attempts} times for ${causes} causes`);
      const keys = new Set(shadow.contents.map(({ accessKey }) => accessKey)).size;
      const questions = keys * (20 + 2 * hours + 8 * shadow.attempts + shadow.lostLeases + this.disturbances);
      this.require(shadow.queries <= questions, 'storm', () => `${shadow.accessKey} was asked for ${shadow.queries} times in ${hours} h`);
    }
  }

  private rest(store: StoreSnapshot): void {
    for (const d of store.documents) {
      const status = d.status as DocumentStatus;
      const { state } = this.brain().holding(d.access_key, new Date(this.now()));
      const isAuthorized = this.shadows.get(d.id)!.contents.some(({ accessKey }) => this.brain().holding(accessKey, new Date(this.now())).state === 'authorized');
      if (status === 'MANUAL_REVIEW_REQUIRED') {
        const action = (d.error_detail as { suggested_action?: string } | null)?.suggested_action;
        this.require(d.error_code !== null && action !== undefined, 'I5', () => `${d.id} waits for a person without reason or action`);
        this.explained(d.id, d.error_code ?? '');
        this.require(!isAuthorized, 'F63', () => `${d.access_key} waits for a person (${String(d.error_code)}) and is authorized at the SRI`);
        continue;
      }
      // The portal has its own, long deadline.
      if (status === 'CANCELLATION_REQUESTED') continue;
      this.require(LIFECYCLE[status].final, 'I5', () => `${d.id} is still ${status} (${String(d.error_code)}), at the SRI ${state}`);
      if (status === 'REJECTED' || status === 'FAILED_PERMANENT') this.require(!isAuthorized, 'F63', () => `${d.access_key} is ${status} here and authorized at the SRI`);
      if (status === 'FAILED_PERMANENT') this.require(d.error_code !== null, 'I2', () => `${d.id} failed without a reason`);
    }
    const resting = (status: DocumentStatus | undefined): boolean =>
      status !== undefined && (LIFECYCLE[status].final || status === 'MANUAL_REVIEW_REQUIRED' || status === 'CANCELLATION_REQUESTED');
    const open = store.work.find(({ document_id }) => !resting(this.shadows.get(document_id)?.status));
    this.require(open === undefined, 'I5', () => `work ${String(open?.step)} is left for ${String(open?.document_id)}`);
  }

  /** A person is only asked for a cause that the world really had. */
  private explained(id: string, code: string): void {
    const shadow = this.shadows.get(id)!;
    switch (code) {
      case 'SEQUENTIAL_TAKEN':
        this.require(shadow.told.has('taken'), 'I5', () => `${id}: the SRI never said 45`);
        return;
      case 'ANSWER_MISMATCH':
        this.require(this.tampered, 'I5', () => `${id}: the SRI never returned another document`);
        return;
      case 'ATTEMPTS_EXHAUSTED':
        this.require(shadow.lostLeases >= 3 || shadow.attempts >= 50, 'I5', () => `${id} gave up after ${shadow.lostLeases} lost workers`);
        return;
      default:
        return;
    }
  }
}

function classOf(answer: ReceptionAnswer): AnswerClass {
  switch (answer.kind) {
    case 'received': return 'received';
    case 'not_delivered': return 'undelivered';
    case 'no_evidence': return 'silence';
    case 'returned': {
      const codes = answer.messages.map(({ identifier }) => identifier ?? '');
      if (codes.some((code) => HELD_CODES.includes(code))) return 'held';
      if (codes.includes('45')) return 'taken';
      return codes.every((code) => code === '50') && codes.length > 0 ? 'transient' : 'refused';
    }
  }
}
