import type { Clock } from '../../shared/ports.js';
import { Authority } from './authority.js';
import { FaultBook, type AppliedFault, type FaultSnapshot } from './fault-book.js';
import type { AuthorizationAction, ServiceName, TransportAction } from './fault-rules.js';
import { Ledger, type LedgerSnapshot } from './ledger.js';
import { sriMessage } from './messages.js';
import { type AuthorizationEntry, type AuthorizationOutcome, type ReceptionOutcome, returned } from './outcome.js';
import type { RegisterSnapshot } from './register.js';
import type { SimulatorSettings } from './settings.js';
import { digestOf, glimpseAccessKey } from './submission.js';

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
}

export interface BrainSnapshot {
  readonly register: RegisterSnapshot;
  readonly faults: FaultSnapshot;
  readonly ledger: LedgerSnapshot;
  readonly settings: SimulatorSettings;
}

/**
 * The simulator as a library: the authority, the fault rules around it and the
 * ledger of every request. Synchronous; time moves only with the clock.
 */
export class SriBrain {
  readonly faults = new FaultBook();
  readonly ledger: Ledger;
  readonly authority: Authority;

  constructor(
    private readonly clock: Clock,
    settings: SimulatorSettings,
  ) {
    this.authority = new Authority(clock, settings);
    this.ledger = new Ledger(settings.ledgerLimit);
  }

  /** `validarComprobante`: a signed document arrives at reception. */
  submit(bytes: Uint8Array): Exchange<ReceptionOutcome> {
    const accessKey = glimpseAccessKey(bytes);
    const fault = this.faults.apply('reception', accessKey);
    const digest = digestOf(bytes);
    if (comesBefore(fault)) return this.exchange<ReceptionOutcome>('reception', accessKey, digest, fault, null, false);
    const { outcome, stored } = this.receive(bytes, accessKey, fault);
    return this.exchange('reception', accessKey, digest, fault, outcome, stored);
  }

  /** `autorizacionComprobante`: somebody asks about a key. */
  authorize(accessKey: string): Exchange<AuthorizationOutcome> {
    const fault = this.faults.apply('authorization', accessKey);
    if (comesBefore(fault))
      return this.exchange<AuthorizationOutcome>('authorization', accessKey, null, fault, null, false);
    const honest = this.authority.authorize(accessKey);
    const outcome = fault.authorization ? distort(honest, accessKey, fault.authorization) : honest;
    return this.exchange('authorization', accessKey, null, fault, outcome, false);
  }

  /** A request that was no readable call of a service. */
  noteUnreadable(service: ServiceName): void {
    this.ledger.append({
      at: this.clock.now(),
      service,
      accessKey: null,
      digest: null,
      outcome: 'UNREADABLE',
      codes: [],
      stored: false,
      fault: null,
    });
  }

  snapshot(): BrainSnapshot {
    return {
      register: this.authority.snapshot(),
      faults: this.faults.snapshot(),
      ledger: this.ledger.snapshot(),
      settings: this.authority.currentSettings(),
    };
  }

  restore(snapshot: BrainSnapshot): void {
    this.authority.restore(snapshot.register);
    this.authority.configure(snapshot.settings);
    this.faults.restore(snapshot.faults);
    this.ledger.restore(snapshot.ledger);
  }

  private receive(
    bytes: Uint8Array,
    accessKey: string | null,
    { reception }: AppliedFault,
  ): { readonly outcome: ReceptionOutcome; readonly stored: boolean } {
    if (reception === null) return this.authority.submit(bytes);
    const message = sriMessage(reception.code, reception.info ?? null);
    if (reception.at === 'authorization') return this.authority.submit(bytes, message);
    const refusal = returned(accessKey ?? 'N/A', [message]);
    if (!reception.stored) return { outcome: refusal, stored: false };
    return { outcome: refusal, stored: this.authority.submit(bytes).stored };
  }

  private exchange<Outcome extends ReceptionOutcome | AuthorizationOutcome>(
    service: ServiceName,
    accessKey: string | null,
    digest: string | null,
    fault: AppliedFault,
    outcome: Outcome | null,
    stored: boolean,
  ): Exchange<Outcome> {
    const action = fault.transport ?? fault.reception ?? fault.authorization;
    const { sequence } = this.ledger.append({
      at: this.clock.now(),
      service,
      accessKey,
      digest,
      ...summaryOf(outcome),
      stored,
      fault:
        fault.rule === null || action === null
          ? null
          : { rule: fault.rule, kind: action.kind, phase: 'phase' in action ? action.phase : null },
    });
    return { sequence, delayMs: fault.delayMs, outcome, transport: fault.transport };
  }
}

function comesBefore({ transport }: AppliedFault): boolean {
  return transport !== null && 'phase' in transport && transport.phase === 'before';
}

function summaryOf(outcome: ReceptionOutcome | AuthorizationOutcome | null): {
  outcome: string;
  codes: readonly string[];
} {
  if (outcome === null) return { outcome: 'NOT_PROCESSED', codes: [] };
  if ('entries' in outcome) {
    return {
      outcome: outcome.entries.map((entry) => entry.estado).join('+') || '0',
      codes: outcome.entries.flatMap((entry) => entry.messages.map((message) => message.identifier)),
    };
  }
  return { outcome: outcome.estado ?? 'DEVUELTA', codes: outcome.messages.map((message) => message.identifier) };
}

/** An answer that departs from what the SRI holds; nothing stored changes. */
function distort(honest: AuthorizationOutcome, accessKey: string, action: AuthorizationAction): AuthorizationOutcome {
  const last: AuthorizationEntry = honest.entries.at(-1) ?? {
    estado: '',
    authorizationNumber: null,
    authorizedAt: null,
    environment: accessKey[23] === '2' ? '2' : '1',
    document: null,
    messages: [],
  };
  const undecided = { ...last, authorizationNumber: null, authorizedAt: null, messages: [] };
  switch (action.kind) {
    case 'empty':
      return { consultedKey: accessKey, entries: [] };
    case 'in_process':
      return { consultedKey: accessKey, entries: [{ ...undecided, estado: 'EN PROCESO' }] };
    case 'answer_refused':
      return {
        consultedKey: accessKey,
        entries: [{ ...undecided, estado: 'NO AUTORIZADO', messages: [sriMessage(action.code, action.info ?? null)] }],
      };
    case 'state':
      return { consultedKey: accessKey, entries: [{ ...last, estado: action.estado }] };
    case 'tampered':
      return action.what === 'key'
        ? { ...honest, consultedKey: otherKey(accessKey) }
        : {
            ...honest,
            entries: honest.entries.map((entry) => ({
              ...entry,
              document: entry.document?.replace(/<razonSocial>[^<]*/, '<razonSocial>OTRA EMPRESA') ?? null,
            })),
          };
  }
}

/** The same key with another numeric code. */
function otherKey(accessKey: string): string {
  const digit = accessKey[46] === '9' ? '0' : '9';
  return `${accessKey.slice(0, 46)}${digit}${accessKey.slice(47)}`;
}
