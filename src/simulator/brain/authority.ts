import type { Clock } from '../../shared/ports.js';
import { hasKeyShape, keySegments } from './access-key-segments.js';
import type { StoringAction } from './fault-actions.js';
import { consultation } from './consultation.js';
import { dayNumberOf } from './guayaquil-time.js';
import { issueDateProblem, tripProblem } from './checks/issue-date.js';
import { isFinalConsumer } from './checks/receiver.js';
import { type SriMessage, sriMessage } from './messages.js';
import {
  type AuthorizationEntry,
  type AuthorizationOutcome,
  type ConsultationOutcome,
  type ReceptionOutcome,
  refusedQuery,
  returned,
} from './outcome.js';
import { type AnnulmentChanged, type AnnulmentState, Portal, type PortalAnswer, type PortalSnapshot } from './portal.js';
import { type DocumentFacts, type DocumentStored, type KeyState, Register, type RegisterSnapshot, type StoredDocument } from './register.js';
import type { SimulatorSettings } from './settings.js';
import { SignatureJudge } from './signature/verdict.js';
import { digestOf, glimpseAccessKey, type Header, numberOf, readHeader, type Submission } from './submission.js';
import { taxpayer } from './taxpayers.js';
import { type DocumentReading, required } from './types/document-reading.js';
import { readingOf } from './types/registry.js';
import { decide, decideByKey, type Verdict } from './verdict.js';
import { child, children, type Element } from './xml/element.js';
import { readElement, UnreadableXml, withDocument } from './xml/parse.js';
import { Schemas } from './xml/schemas.js';

export interface Reception {
  readonly outcome: ReceptionOutcome;
  /** Whether this submission was accepted and stored. */
  readonly stored: boolean;
}

interface Read {
  readonly submission: Submission;
  /** Null when only the key was looked at. */
  readonly reading: DocumentReading | null;
}

/** What the SRI holds under a key. */
export interface Holding {
  readonly state: KeyState;
  readonly annulment: AnnulmentState;
  /** Every stored submission, oldest first. */
  readonly history: readonly StoredDocument[];
}

export interface AuthoritySnapshot {
  readonly register: RegisterSnapshot;
  readonly portal: PortalSnapshot;
}

/** What changes what the SRI holds. */
export type AuthorityChange = DocumentStored | AnnulmentChanged;

/**
 * The SRI itself: verifies, stores, decides, answers. Pure but for its clock;
 * no timers: a decision becomes visible when the clock passes its instant.
 */
export class Authority {
  private readonly register: Register;
  private readonly portal: Portal;
  private readonly judge = new SignatureJudge();
  private schemas: Schemas;

  constructor(
    private readonly clock: Clock,
    private settings: SimulatorSettings,
    note?: (change: AuthorityChange) => void,
  ) {
    this.register = new Register(settings.storedDocumentLimit, note);
    this.portal = new Portal(note);
    this.schemas = new Schemas(settings.schemas);
  }

  /** Makes a change that was noted. */
  apply(change: AuthorityChange): void {
    if (change.kind === 'document') this.register.apply(change);
    else this.portal.apply(change);
  }

  /** Changes the behaviour from now on; what is already decided stays. */
  configure(changes: Partial<Omit<SimulatorSettings, 'schemas'>>): void {
    this.settings = { ...this.settings, ...changes };
  }

  currentSettings(): SimulatorSettings {
    return this.settings;
  }

  /**
   * Reception. Checks in the order of the SRI and stops at the first that fails;
   * those that belong to authorization decide the stored document's fate.
   *
   * @param storing what else happens to a document that is accepted
   * @param forced refusal that overrides the verdict of a document that is accepted
   */
  submit(bytes: Uint8Array, storing: readonly StoringAction[] = [], forced: SriMessage | null = null): Reception {
    const now = this.clock.now();
    const read = this.read(bytes);
    if (!('submission' in read)) return { outcome: read, stored: false };
    const { submission, reading } = read;
    const { header } = submission;
    const problem = this.receptionProblem(submission, reading, now);
    if (problem) return { outcome: returned(header.accessKey, [problem]), stored: false };
    this.store(read, forced ? { authorized: false, messages: [forced] } : this.decide(read, now), now, storing);
    return { outcome: { estado: 'RECIBIDA', accessKey: header.accessKey, messages: [] }, stored: true };
  }

  /** Authorization: every attempt under a key, oldest first. */
  authorize(accessKey: string): AuthorizationOutcome {
    if (!hasKeyShape(accessKey)) return refusedQuery('80');
    const now = this.clock.now();
    const visible = this.register
      .history(accessKey)
      .filter((document) => document.decidedAt <= now || this.settings.pendingAnswer === 'in_process');
    return { consultedKey: accessKey, entries: visible.map((document) => entryOf(accessKey, document, now)) };
  }

  /** Consultation: what became of a key after its authorization, annulments in the portal included. */
  consult(accessKey: string): ConsultationOutcome {
    const now = this.clock.now();
    const decided = this.register.history(accessKey).filter(({ decidedAt }) => decidedAt <= now);
    return consultation(accessKey, decided, this.portal.state(accessKey, now), now);
  }

  /** The issuer asks for the annulment of a document in the portal. */
  annul(accessKey: string): PortalAnswer {
    const now = this.clock.now();
    const held = this.register.history(accessKey).find(({ authorized, decidedAt }) => authorized && decidedAt <= now);
    return this.portal.annul(accessKey, held ?? null, now, this.settings.holidays);
  }

  /** The receiver of a document whose annulment is pending answers in the portal. */
  answerAnnulment(accessKey: string, accepts: boolean): PortalAnswer {
    return this.portal.answer(accessKey, accepts, this.clock.now());
  }

  /** What the SRI holds, for assertions: the history of a key and its state now. */
  holding(accessKey: string): Holding {
    const now = this.clock.now();
    return {
      state: this.register.state(accessKey, now),
      annulment: this.portal.state(accessKey, now),
      history: this.register.history(accessKey),
    };
  }

  /** Number of keys in each state. */
  census(): Readonly<Record<'in_process' | 'authorized' | 'refused', number>> {
    const counts = { in_process: 0, authorized: 0, refused: 0 };
    const now = this.clock.now();
    for (const key of this.register.keys()) {
      const state = this.register.state(key, now);
      if (state !== 'unknown') counts[state] += 1;
    }
    return counts;
  }

  snapshot(): AuthoritySnapshot {
    return { register: this.register.snapshot(), portal: this.portal.snapshot() };
  }

  restore(snapshot: AuthoritySnapshot): void {
    this.register.restore(snapshot.register);
    this.portal.restore(snapshot.portal);
  }

  private read(bytes: Uint8Array): Read | ReceptionOutcome {
    const accessKey = glimpseAccessKey(bytes) ?? 'N/A';
    if (bytes.byteLength === 0) return returned(accessKey, [sriMessage('49')]);
    if (bytes.byteLength > this.settings.maxDocumentBytes) {
      return returned(accessKey, [sriMessage('26', `El archivo tiene ${bytes.byteLength} bytes`)]);
    }
    if (this.settings.scrutiny === 'key') return readByKey(bytes, accessKey);
    try {
      return withDocument(bytes, (document) => {
        const root = readElement(document.root);
        const header = readHeader(root);
        const reading = readingOf(root.name);
        const problem = this.formProblem(root, header, reading, (version) =>
          this.schemas.complaint(document, root.name, version),
        );
        if (problem || !reading) return returned(header.accessKey || 'N/A', [problem ?? sriMessage('47')]);
        return { submission: { bytes, root, header }, reading };
      });
    } catch (error) {
      if (!(error instanceof UnreadableXml)) throw error;
      return { estado: null, accessKey: 'N/A', messages: [sriMessage('35', 'ConversionArchivoXMLException')] };
    }
  }

  /** Type, schema version, schema, and what the real service demands beyond its schema. */
  private formProblem(
    root: Element,
    header: Header,
    reading: DocumentReading | undefined,
    complaint: (version: string) => string | null,
  ): SriMessage | null {
    if (!reading || (header.documentType !== '' && header.documentType !== reading.code)) return sriMessage('47');
    const version = root.attributes.get('version') ?? '';
    const schema = `${root.name} ${version}`;
    if (this.settings.discontinuedSchemas.includes(schema)) return sriMessage('36', schema);
    if (!this.schemas.has(root.name, version)) return sriMessage('48', schema);
    const broken = complaint(version) ?? reading.structureProblem(root);
    return broken === null ? null : sriMessage('35', broken);
  }

  private receptionProblem(submission: Submission, reading: DocumentReading | null, now: Date): SriMessage | null {
    const { header, root } = submission;
    if (!taxpayer(this.settings.taxpayers, header.ruc).agreementAccepted) return sriMessage('28');
    const state = this.register.state(header.accessKey, now);
    if (state === 'authorized') return sriMessage('43');
    if (state === 'in_process') return sriMessage('70');
    const owner = this.register.ownerOf(numberOf(header));
    if (owner !== undefined && owner !== header.accessKey) return sriMessage('45');
    if (reading === null) return issueDateProblem(dateOfKey(header.accessKey), now, this.settings.issueWindowDays);
    if (!reading.hasIssueWindow) {
      return tripProblem(
        required(root, 'infoGuiaRemision', 'fechaIniTransporte'),
        required(root, 'infoGuiaRemision', 'fechaFinTransporte'),
      );
    }
    return issueDateProblem(reading.issueDate(root), now, this.settings.issueWindowDays);
  }

  private decide({ submission, reading }: Read, now: Date): Verdict {
    if (reading === null) return decideByKey(submission.header, this.settings);
    return decide(submission, reading, {
      settings: this.settings,
      judge: this.judge,
      now,
      isAuthorizedNumber: (number) => {
        const owner = this.register.ownerOf(number);
        return owner !== undefined && this.register.state(owner, now) === 'authorized';
      },
    });
  }

  private store(read: Read, verdict: Verdict, now: Date, storing: readonly StoringAction[]): void {
    const { bytes, header } = read.submission;
    const digest = digestOf(bytes);
    const { min, max } = this.settings.processingMs;
    const held = storing.find((action) => action.kind === 'processing');
    const latency = held ? held.seconds * 1000 : min + (Number.parseInt(digest.slice(0, 8), 16) % (max - min + 1));
    const inTest: readonly SriMessage[] = header.environment === '1' ? [sriMessage('60')] : [];
    const warnings = storing.flatMap((action) =>
      action.kind === 'warn' ? [sriMessage(action.code, action.info ?? null)] : [],
    );
    const said = new Set([...verdict.messages, ...inTest].map(({ identifier }) => identifier));
    const added = warnings.filter(({ identifier }) => !said.has(identifier));
    const messages = [...verdict.messages, ...added, ...inTest];
    const document: StoredDocument = {
      digest,
      xml: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'),
      environment: header.environment === '2' ? '2' : '1',
      receivedAt: now,
      decidedAt: new Date(now.getTime() + latency),
      authorized: verdict.authorized,
      messages,
      facts: factsOf(read),
    };
    const annulment = storing.find((action) => action.kind === 'annul');
    if (annulment && document.authorized) {
      const plan = { receiver: annulment.receiver, afterMs: annulment.after_seconds * 1000 };
      this.portal.schedule(header.accessKey, document, plan, this.settings.holidays);
    }
    // Last: who was stopped in between has no answer and sends it again.
    this.register.store(header.accessKey, numberOf(header), document);
  }
}

const NO_ELEMENT: Element = { name: '', namespace: '', attributes: new Map(), children: [], text: '' };

/** Takes the key for the whole document. */
function readByKey(bytes: Uint8Array, accessKey: string): Read | ReceptionOutcome {
  if (!hasKeyShape(accessKey)) return { estado: null, accessKey: 'N/A', messages: [sriMessage('35')] };
  const { documentType, ruc, environment, emissionType, establishment, emissionPoint, sequential } =
    keySegments(accessKey);
  const header = { accessKey, documentType, ruc, environment, emissionType, establishment, emissionPoint, sequential };
  return { submission: { bytes, root: NO_ELEMENT, header }, reading: null };
}

/** Issue day of a key as `dd/mm/yyyy`. */
function dateOfKey(accessKey: string): string {
  const { date } = keySegments(accessKey);
  return `${date.slice(0, 2)}/${date.slice(2, 4)}/${date.slice(4)}`;
}

function factsOf({ submission: { root, header }, reading }: Read): DocumentFacts {
  const receivers = reading?.receivers(root) ?? [];
  return {
    documentType: header.documentType,
    issueDay: dayNumberOf(reading === null ? dateOfKey(header.accessKey) : reading.issueDate(root)),
    finalConsumer: receivers.some(isFinalConsumer),
    foreignReceiver: receivers.some(({ idType }) => idType === '08'),
    withholdsIsd: header.documentType === '07' && withheldTaxes(root).includes(ISD),
  };
}

const ISD = '6';

/** Codes of the taxes that a withholding withholds, in either of its forms. */
function withheldTaxes(root: Element): readonly string[] {
  const entries = [
    ...children(child(root, 'impuestos'), 'impuesto'),
    ...children(child(root, 'docsSustento'), 'docSustento').flatMap((support) =>
      children(child(support, 'retenciones'), 'retencion'),
    ),
  ];
  return entries.map((entry) => required(entry, 'codigo'));
}

function entryOf(accessKey: string, document: StoredDocument, now: Date): AuthorizationEntry {
  const decided = document.decidedAt <= now;
  const authorized = decided && document.authorized;
  return {
    estado: decided ? (authorized ? 'AUTORIZADO' : 'NO AUTORIZADO') : 'EN PROCESO',
    authorizationNumber: authorized ? accessKey : null,
    authorizedAt: decided ? document.decidedAt : null,
    environment: document.environment,
    document: document.xml,
    messages: decided ? document.messages : [],
  };
}
