import type { Clock } from '../../shared/ports.js';
import { Authority, type AuthorityChange, type AuthoritySnapshot } from './authority.js';
import { distort, distortConsultation } from './distortion.js';
import { type AppliedFault, UNFAULTED, withAction } from './applied-fault.js';
import { FaultBook, type FaultSnapshot } from './fault-book.js';
import { SERVICE_NAMES, type ServiceName, type TransportAction } from './fault-actions.js';
import { Ledger, type LedgerFault, type LedgerSnapshot, type RequestRecorded } from './ledger.js';
import { MagicBook, type MagicChange, type MagicSnapshot } from './magic/magic-book.js';
import { magicNumber } from './magic/registry-numbers.js';
import { sriMessage } from './messages.js';
import {
  type AuthorizationOutcome,
  type ConsultationOutcome,
  type ReceptionOutcome,
  returned,
} from './outcome.js';
import { outageAction, type OutageKind, Outages, type OutageSnapshot } from './outages.js';
import { askRegistry, type RegistryOutcome, type RegistryQuestion } from './public-registry.js';
import type { SimulatorSettings } from './settings.js';
import { digestOf, glimpseAccessKey } from './submission.js';
import { taxpayer } from './taxpayers.js';

/** One request and everything that happens to it. The caller plays the network. */
export interface Exchange<Outcome> {
  /** Its number in the ledger. */
  readonly sequence: number;
  /** How long the answer takes beyond what the caller needs itself. */
  readonly delayMs: number;
  /** What the SRI decided; null when a fault kept the request from it. */
  readonly outcome: Outcome | null;
  /** What befalls the answer on its way; null when it arrives. */
  readonly transport: TransportAction | null;
  /** Whether this request stored a document. */
  readonly stored: boolean;
  /** Set when the service is down. */
  readonly outage: OutageKind | null;
}

type Outcome = ReceptionOutcome | AuthorizationOutcome | ConsultationOutcome | RegistryOutcome;

export interface BrainSnapshot {
  readonly authority: AuthoritySnapshot;
  readonly outages: OutageSnapshot;
  readonly magic: MagicSnapshot;
  readonly faults: FaultSnapshot;
  readonly ledger: LedgerSnapshot;
  readonly settings: SimulatorSettings;
}

/**
 * What requests and the portal change, as JSON could hold it but for the dates. Fault rules, outages and settings are not
 * among it: they are of the one who tries something now.
 */
export type BrainChange = AuthorityChange | MagicChange | RequestRecorded;

/**
 * The simulator as a library: the authority, the fault rules around it and the
 * ledger of every request. Synchronous; time moves only with the clock.
 */
export class SriBrain {
  readonly faults = new FaultBook();
  readonly outages = new Outages();
  readonly ledger: Ledger;
  private readonly magic: MagicBook;
  readonly authority: Authority;

  /** @param note is told every change before it is made; `apply` makes it in another brain */
  constructor(
    private readonly clock: Clock,
    settings: SimulatorSettings,
    note?: (change: BrainChange) => void,
  ) {
    this.authority = new Authority(clock, settings, note);
    this.ledger = new Ledger(settings.ledgerLimit, note);
    this.magic = new MagicBook(note);
  }

  /** Makes a change that was noted. */
  apply(change: BrainChange): void {
    switch (change.kind) {
      case 'document':
      case 'annulment':
        this.authority.apply(change);
        break;
      case 'magic_plan':
      case 'magic_count':
        this.magic.apply(change);
        break;
      case 'request':
        this.ledger.apply(change);
        break;
    }
  }

  /** `validarComprobante`: a signed document arrives at reception. */
  submit(bytes: Uint8Array): Exchange<ReceptionOutcome> {
    const accessKey = glimpseAccessKey(bytes);
    if (accessKey !== null) this.magic.noteSubmission(bytes, accessKey);
    const fault = this.onRequest('reception', accessKey);
    const digest = digestOf(bytes);
    if (comesBefore(fault)) return this.exchange<ReceptionOutcome>('reception', accessKey, digest, fault, null, false);
    const { outcome, stored } = this.receive(bytes, accessKey, fault);
    return this.exchange('reception', accessKey, digest, fault, outcome, stored);
  }

  /** `autorizacionComprobante`: somebody asks about a key. */
  authorize(accessKey: string): Exchange<AuthorizationOutcome> {
    const fault = this.onRequest('authorization', accessKey);
    if (comesBefore(fault)) return this.exchange<AuthorizationOutcome>('authorization', accessKey, null, fault, null);
    const honest = this.authority.authorize(accessKey);
    const outcome = fault.authorization ? distort(honest, accessKey, fault.authorization) : honest;
    return this.exchange('authorization', accessKey, null, fault, outcome);
  }

  /** `consultarEstadoAutorizacionComprobante`: somebody asks for the state after authorization. */
  consult(accessKey: string): Exchange<ConsultationOutcome> {
    const fault = this.onRequest('consultation', accessKey);
    if (comesBefore(fault)) return this.exchange<ConsultationOutcome>('consultation', accessKey, null, fault, null);
    const honest = this.authority.consult(accessKey);
    const outcome = fault.consultation ? distortConsultation(honest, accessKey, fault.consultation) : honest;
    return this.exchange('consultation', accessKey, null, fault, outcome);
  }

  /** Somebody asks the public registry about a RUC. */
  askRegistry(question: RegistryQuestion, ruc: string): Exchange<RegistryOutcome> {
    let fault = this.fault('registry', null, ruc);
    const magic = this.magicActs(fault) ? magicNumber(ruc) : null;
    if (magic !== null && magic.action !== null) fault = withAction(fault, magic.action, { magic: magic.shown });
    const state = { ...taxpayer(this.authority.currentSettings().taxpayers, ruc), ...magic?.state };
    const outcome = comesBefore(fault) ? null : askRegistry(question, ruc, state);
    return this.exchange('registry', null, null, fault, outcome, false, ruc);
  }

  /** Ends all interference from now on: no rule, no outage, no magic value. */
  calm(): void {
    this.authority.configure({ magicValues: false });
    this.faults.clear();
    for (const service of SERVICE_NAMES) this.outages.bringUp(service);
  }

  /** A request that was no readable call of a service. */
  noteUnreadable(service: ServiceName): void {
    this.ledger.append({
      at: this.clock.now(),
      service,
      accessKey: null,
      taxpayer: null,
      digest: null,
      outcome: 'UNREADABLE',
      codes: [],
      stored: false,
      fault: null,
    });
  }

  snapshot(): BrainSnapshot {
    return {
      authority: this.authority.snapshot(),
      outages: this.outages.snapshot(),
      magic: this.magic.snapshot(),
      faults: this.faults.snapshot(),
      ledger: this.ledger.snapshot(),
      settings: this.authority.currentSettings(),
    };
  }

  restore(snapshot: BrainSnapshot): void {
    this.authority.restore(snapshot.authority);
    this.outages.restore(snapshot.outages);
    this.magic.restore(snapshot.magic);
    this.authority.configure(snapshot.settings);
    this.faults.restore(snapshot.faults);
    this.ledger.restore(snapshot.ledger);
  }

  private onRequest(service: ServiceName, accessKey: string | null): AppliedFault {
    const fault = this.fault(service, accessKey);
    return accessKey !== null && this.magicActs(fault) ? this.magic.act(service, accessKey, fault) : fault;
  }

  /** Outages and fault rules come first. */
  private magicActs(fault: AppliedFault): boolean {
    return fault.source === null && this.authority.currentSettings().magicValues;
  }

  /** Outages, then fault rules. */
  private fault(service: ServiceName, accessKey: string | null, ruc: string | null = null): AppliedFault {
    const outage = this.outages.of(service);
    if (outage !== null) return withAction(UNFAULTED, outageAction(outage), { outage });
    return this.faults.apply(service, accessKey, ruc);
  }

  private receive(
    bytes: Uint8Array,
    accessKey: string | null,
    { reception, storing }: AppliedFault,
  ): { readonly outcome: ReceptionOutcome; readonly stored: boolean } {
    if (reception === null) return this.authority.submit(bytes, storing);
    const message = sriMessage(reception.code, reception.info ?? null);
    if (reception.at === 'authorization') return this.authority.submit(bytes, storing, message);
    const refusal = returned(accessKey ?? 'N/A', [message]);
    if (!reception.stored) return { outcome: refusal, stored: false };
    return { outcome: refusal, stored: this.authority.submit(bytes, storing).stored };
  }

  private exchange<Kind extends Outcome>(
    service: ServiceName,
    accessKey: string | null,
    digest: string | null,
    fault: AppliedFault,
    outcome: Kind | null,
    stored = false,
    ruc: string | null = null,
  ): Exchange<Kind> {
    const { sequence } = this.ledger.append({
      at: this.clock.now(),
      service,
      accessKey,
      taxpayer: ruc,
      digest,
      ...summaryOf(outcome),
      stored,
      fault: faultOf(fault),
    });
    const { delayMs, transport, source } = fault;
    const outage = source !== null && 'outage' in source ? source.outage : null;
    return { sequence, delayMs, outcome, transport, stored, outage };
  }
}

function faultOf(fault: AppliedFault): LedgerFault | null {
  const action = fault.transport ?? fault.reception ?? fault.authorization ?? fault.consultation;
  const { source } = fault;
  if (source === null || action === null) return null;
  const down = 'outage' in source;
  return {
    rule: 'rule' in source ? source.rule : null,
    magic: 'magic' in source ? source.magic : null,
    kind: down ? 'outage' : action.kind,
    phase: !down && 'phase' in action ? action.phase : null,
  };
}

function comesBefore({ transport }: AppliedFault): boolean {
  return transport !== null && 'phase' in transport && transport.phase === 'before';
}

function summaryOf(outcome: Outcome | null): {
  outcome: string;
  codes: readonly string[];
} {
  if (outcome === null) return { outcome: 'NOT_PROCESSED', codes: [] };
  if ('question' in outcome) return { outcome: `${outcome.question} ${outcome.found}`, codes: [] };
  if ('entries' in outcome) {
    return {
      outcome: outcome.entries.map((entry) => entry.estado).join('+') || '0',
      codes: outcome.entries.flatMap((entry) => entry.messages.map((message) => message.identifier)),
    };
  }
  const refusal = 'refusal' in outcome ? outcome.refusal : null;
  return { outcome: outcome.estado ?? refusal ?? 'DEVUELTA', codes: outcome.messages.map((message) => message.identifier) };
}
