import type { ServiceName } from './fault-actions.js';

/** One request that reached the services, answered or not. */
export interface LedgerEntry {
  readonly sequence: number;
  readonly at: Date;
  readonly service: ServiceName;
  readonly accessKey: string | null;
  /** The number that the registry was asked about; null at the other services. */
  readonly taxpayer: string | null;
  /** SHA-256 of the submitted XML; null for queries and unreadable requests. */
  readonly digest: string | null;
  /**
   * `RECIBIDA`, `DEVUELTA`, the states of the answered entries (`AUTORIZADO`,
   * `NO AUTORIZADO+AUTORIZADO`, `0` for none), the state of a consultation
   * (`ANULADO`, `RECHAZADA`), question and answer of the registry
   * (`exists true`, `taxpayer false`), `NOT_PROCESSED` when a fault came before,
   * `UNREADABLE` for garbage.
   */
  readonly outcome: string;
  readonly codes: readonly string[];
  /** Whether the document was stored by this request. */
  readonly stored: boolean;
  readonly fault: LedgerFault | null;
}

/** What interfered: a fault rule by its id, a magic value as written, or an outage. */
export interface LedgerFault {
  readonly rule: number | null;
  readonly magic: string | null;
  readonly kind: string;
  readonly phase: string | null;
}

/** What all requests about one key add up to, however short the ledger is kept. */
export interface KeyAccount {
  readonly submissions: number;
  readonly queries: number;
  readonly consultations: number;
  /** Distinct digests submitted, in order of arrival. */
  readonly digests: readonly string[];
  /** Digests stored, one per accepted submission. */
  readonly storedDigests: readonly string[];
}

export interface LedgerSnapshot {
  readonly entries: readonly LedgerEntry[];
  readonly accounts: ReadonlyMap<string, KeyAccount>;
  readonly counts: ReadonlyMap<string, number>;
  readonly sequence: number;
}

/** A request was written down. */
export interface RequestRecorded {
  readonly kind: 'request';
  readonly entry: LedgerEntry;
}

const NOTHING: KeyAccount = { submissions: 0, queries: 0, consultations: 0, digests: [], storedDigests: [] };

/** Append-only record of every request. */
export class Ledger {
  private entries: LedgerEntry[] = [];
  private accounts = new Map<string, KeyAccount>();
  private counts = new Map<string, number>();
  private sequence = 0;

  /**
   * @param limit entries kept, null for all; the oldest go first
   * @param note is told every change before it is made
   */
  constructor(
    private readonly limit: number | null,
    private readonly note: (change: RequestRecorded) => void = () => undefined,
  ) {}

  append(entry: Omit<LedgerEntry, 'sequence'>): LedgerEntry {
    const recorded: LedgerEntry = { sequence: this.sequence + 1, ...entry };
    const change: RequestRecorded = { kind: 'request', entry: recorded };
    this.note(change);
    this.apply(change);
    return recorded;
  }

  /** Makes a change that was noted. */
  apply({ entry }: RequestRecorded): void {
    this.sequence = entry.sequence;
    this.entries.push(entry);
    if (this.limit !== null && this.entries.length > this.limit * 2) this.entries = this.entries.slice(-this.limit);
    const name = `${entry.service} ${entry.outcome}`;
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    if (entry.accessKey !== null) this.accounts.set(entry.accessKey, addTo(this.account(entry.accessKey), entry));
  }

  /** Entries in order; those of one key when it is given. */
  list(accessKey?: string): readonly LedgerEntry[] {
    const kept = this.limit === null ? this.entries : this.entries.slice(-this.limit);
    return accessKey === undefined ? kept : kept.filter((entry) => entry.accessKey === accessKey);
  }

  account(accessKey: string): KeyAccount {
    return this.accounts.get(accessKey) ?? NOTHING;
  }

  /** Every key ever named, with its account. */
  allAccounts(): ReadonlyMap<string, KeyAccount> {
    return this.accounts;
  }

  /** Requests so far by `service outcome`. */
  totals(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.counts);
  }

  get length(): number {
    return this.sequence;
  }

  snapshot(): LedgerSnapshot {
    return {
      entries: [...this.entries],
      accounts: new Map(this.accounts),
      counts: new Map(this.counts),
      sequence: this.sequence,
    };
  }

  restore(snapshot: LedgerSnapshot): void {
    this.entries = [...snapshot.entries];
    this.accounts = new Map(snapshot.accounts);
    this.counts = new Map(snapshot.counts);
    this.sequence = snapshot.sequence;
  }
}

function addTo(account: KeyAccount, entry: LedgerEntry): KeyAccount {
  if (entry.service === 'authorization') return { ...account, queries: account.queries + 1 };
  if (entry.service === 'consultation') return { ...account, consultations: account.consultations + 1 };
  const { digest } = entry;
  const isNew = digest !== null && !account.digests.includes(digest);
  return {
    ...account,
    submissions: account.submissions + 1,
    digests: isNew ? [...account.digests, digest] : account.digests,
    storedDigests: entry.stored && digest !== null ? [...account.storedDigests, digest] : account.storedDigests,
  };
}
