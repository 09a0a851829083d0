import type { SriMessage } from './messages.js';

/** One accepted submission and the decision about it. Never changed once made. */
export interface StoredDocument {
  /** SHA-256 of the submitted bytes. */
  readonly digest: string;
  /** The submitted XML; null after the SRI has put it away (bounded memory). */
  readonly xml: string | null;
  readonly environment: '1' | '2';
  readonly receivedAt: Date;
  /** From this instant on the decision is visible. */
  readonly decidedAt: Date;
  readonly authorized: boolean;
  readonly messages: readonly SriMessage[];
  readonly facts: DocumentFacts;
}

/** What the portal needs to know of a document when its issuer wants it annulled. */
export interface DocumentFacts {
  readonly documentType: string;
  /** Day number of the issue date in Guayaquil; null when it names no day. */
  readonly issueDay: number | null;
  /** Issued to the final consumer: can never be annulled. */
  readonly finalConsumer: boolean;
  /** The receiver has a foreign identification: no acceptance is asked. */
  readonly foreignReceiver: boolean;
  /** Withholds the tax on money sent abroad (ISD): no last day. */
  readonly withholdsIsd: boolean;
}

export type KeyState = 'unknown' | 'in_process' | 'authorized' | 'refused';

/** What the SRI holds. Immutable records in two maps, so that a snapshot is two shallow copies. */
export interface RegisterSnapshot {
  readonly documents: ReadonlyMap<string, readonly StoredDocument[]>;
  readonly numbers: ReadonlyMap<string, string>;
}

/** A submission was accepted. */
export interface DocumentStored {
  readonly kind: 'document';
  readonly accessKey: string;
  readonly number: string;
  readonly document: StoredDocument;
}

/** Documents by access key, with the history of each, and the key that owns each number. */
export class Register {
  private documents = new Map<string, readonly StoredDocument[]>();
  private numbers = new Map<string, string>();
  /** Keys whose XML is kept, oldest first. */
  private keptXml = new Set<string>();

  /** @param note is told every change before it is made */
  constructor(
    private readonly storedDocumentLimit: number | null,
    private readonly note: (change: DocumentStored) => void = () => undefined,
  ) {}

  history(accessKey: string): readonly StoredDocument[] {
    return this.documents.get(accessKey) ?? [];
  }

  state(accessKey: string, now: Date): KeyState {
    const last = this.history(accessKey).at(-1);
    if (!last) return 'unknown';
    if (last.decidedAt > now) return 'in_process';
    return last.authorized ? 'authorized' : 'refused';
  }

  /** The key that the SRI has stored under a number, or undefined. */
  ownerOf(number: string): string | undefined {
    return this.numbers.get(number);
  }

  store(accessKey: string, number: string, document: StoredDocument): void {
    const change: DocumentStored = { kind: 'document', accessKey, number, document };
    this.note(change);
    this.apply(change);
  }

  /** Makes a change that was noted. */
  apply({ accessKey, number, document }: DocumentStored): void {
    this.documents.set(accessKey, [...this.history(accessKey), document]);
    if (!this.numbers.has(number)) this.numbers.set(number, accessKey);
    this.forgetOldest(accessKey);
  }

  /** Keys with at least one stored submission. */
  *keys(): IterableIterator<string> {
    yield* this.documents.keys();
  }

  snapshot(): RegisterSnapshot {
    return { documents: new Map(this.documents), numbers: new Map(this.numbers) };
  }

  restore(snapshot: RegisterSnapshot): void {
    this.documents = new Map(snapshot.documents);
    this.numbers = new Map(snapshot.numbers);
    this.keptXml = new Set(snapshot.documents.keys());
  }

  private forgetOldest(accessKey: string): void {
    if (this.storedDocumentLimit === null) return;
    this.keptXml.delete(accessKey);
    this.keptXml.add(accessKey);
    for (const oldest of this.keptXml) {
      if (this.keptXml.size <= this.storedDocumentLimit) return;
      this.keptXml.delete(oldest);
      this.documents.set(
        oldest,
        this.history(oldest).map((document) => ({ ...document, xml: null })),
      );
    }
  }
}
