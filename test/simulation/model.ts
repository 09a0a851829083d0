/**
 * What must be true of numbers and idempotency keys, said as simply as possible
 * and without a look at the implementation: an emission point counts from its
 * first number, every key names one document for ever, a document is what its
 * first request asked for.
 */
export interface Acceptance {
  readonly documentId: string;
  readonly number: number;
  /** What was asked for, as the client knows it. */
  readonly body: string;
}

export class Model {
  private readonly last = new Map<string, number>();
  private readonly byKey = new Map<string, Acceptance>();
  private readonly byDocument = new Map<string, Acceptance>();

  /** A document was stored. @returns what is wrong with it, or null */
  stored(sequence: string, first: number, key: string | null, acceptance: Acceptance): string | null {
    const expected = (this.last.get(sequence) ?? first - 1) + 1;
    if (acceptance.number !== expected) return `number ${acceptance.number} was given where ${expected} is next`;
    this.last.set(sequence, expected);
    if (key !== null) {
      const owner = this.byKey.get(key);
      if (owner) return `key ${key} names ${owner.documentId} and now also ${acceptance.documentId}`;
      this.byKey.set(key, acceptance);
    }
    this.byDocument.set(acceptance.documentId, acceptance);
    return null;
  }

  /** A client was answered 202. */
  accepted(key: string | null, body: string, documentId: string): string | null {
    const document = this.byDocument.get(documentId);
    if (!document) return `202 for ${documentId}, which nobody stored`;
    if (document.body !== body) return `202 for ${body}, but ${documentId} is ${document.body}`;
    if (key !== null && this.byKey.get(key)?.documentId !== documentId) return `202 with key ${key} for ${documentId}, which the key does not name`;
    return null;
  }

  /** A client was told that its key belongs to another request. */
  conflicted(key: string | null, body: string): string | null {
    const owner = key === null ? undefined : this.byKey.get(key);
    if (!owner) return `conflict for key ${String(key)}, which is free`;
    return owner.body === body ? `conflict for key ${String(key)} although the request is the same` : null;
  }

  get documents(): ReadonlyMap<string, Acceptance> {
    return this.byDocument;
  }

  get counters(): ReadonlyMap<string, number> {
    return this.last;
  }
}
