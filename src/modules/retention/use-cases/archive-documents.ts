import type { Clock, Sleeper } from '../../../shared/ports.js';
import type { Archive } from '../archive/archive.js';
import { type ArchivedDocument, digestOf } from '../archive/part-files.js';
import { isNotNow, type PastDocument, type PastMonth, type RetentionStore } from '../persistence/retention.store.js';

/** Documents of one part: what is lost when a run is killed, and what a part holds in memory while it is written. */
const PART = 5_000;
const BREATH_MS = 20;

export interface ArchiveOptions {
  /** Issued before this day. */
  readonly before: string;
  readonly heldTenants: readonly string[];
  readonly batch: number;
}

export interface Archived {
  readonly due: number;
  readonly archived: number;
  readonly removed: number;
  readonly held: number;
}

/**
 * Archives documents by tenant and month and removes what the archive holds. Nothing is removed that was not read back
 * from the archive, and whatever a killed run left is taken up where it stands.
 */
export class ArchiveDocuments {
  constructor(
    private readonly store: RetentionStore,
    /** null: only report what there is. */
    private readonly archive: Archive | null,
    private readonly ports: { readonly clock: Clock; readonly sleeper: Sleeper },
    private readonly report: (line: string) => void,
  ) {}

  async execute(options: ArchiveOptions): Promise<Archived> {
    const total = { due: 0, archived: 0, removed: 0, held: 0 };
    for (const month of await this.store.months(options.before)) {
      const where = `${month.tenantId} ${month.month.slice(0, 7)}`;
      if (options.heldTenants.includes(month.tenantId)) {
        total.held += month.documents;
        this.report(`${where}: ${month.documents} documents, held`);
        continue;
      }
      total.due += month.documents;
      if (this.archive === null) {
        this.report(`${where}: ${month.documents} documents`);
        continue;
      }
      const { archived, removed } = await this.month(this.archive, month, options);
      total.archived += archived;
      total.removed += removed;
      const left = month.documents - removed;
      this.report(`${where}: ${removed} removed${left > 0 ? `, ${left} stay: still referred to, at work or changed meanwhile` : ''}`);
    }
    return total;
  }

  private async month(archive: Archive, month: PastMonth, options: ArchiveOptions): Promise<{ archived: number; removed: number }> {
    const done = { archived: 0, removed: 0 };
    const held = await archive.holds(month.tenantId, month.month);
    done.removed += await this.remove(month, held, options);
    for (;;) {
      const documents = this.notIn(held, month, options);
      const first = await documents.next();
      if (first.done === true) return done;
      const part = await archive.add(month.tenantId, month.month, upTo(PART, first.value, documents), this.ports.clock.now());
      done.archived += part.documents;
      this.report(`${part.name}: ${part.documents} documents archived`);
      const readBack = await archive.read(part.name);
      for (const [id, digest] of readBack) held.set(id, digest);
      done.removed += await this.remove(month, readBack, options);
    }
  }

  private async *notIn(held: ReadonlyMap<string, string>, month: PastMonth, { before, batch }: ArchiveOptions): AsyncGenerator<ArchivedDocument> {
    let after: PastDocument | null = null;
    for (;;) {
      const found: PastDocument[] = await this.store.documents(month, before, after, batch);
      after = found.at(-1) ?? null;
      if (after === null) return;
      const missing = found.filter(({ id, record }) => held.get(id) !== digestOf(record));
      const papers = await this.store.papers(month.tenantId, missing.map(({ id }) => id));
      for (const document of missing) yield { ...document, papers: papers.filter(({ documentId }) => documentId === document.id) };
    }
  }

  /** In passes, until one removes nothing more: what refers to others goes first. */
  private async remove(month: PastMonth, held: ReadonlyMap<string, string>, { before, batch }: ArchiveOptions): Promise<number> {
    let removed = 0;
    for (let pass = 1; ; pass += 1) {
      let inPass = 0;
      const entries = [...held];
      for (let place = 0; place < entries.length; place += batch) {
        inPass += await this.removeBatch(month.tenantId, entries.slice(place, place + batch), before);
        this.report(`${month.tenantId} ${month.month.slice(0, 7)}: ${removed + inPass} of ${held.size} removed`);
        await this.ports.sleeper.sleep(BREATH_MS);
      }
      removed += inPass;
      if (inPass === 0 || removed === held.size) return removed;
    }
  }

  private async removeBatch(tenantId: string, entries: readonly (readonly [string, string])[], before: string): Promise<number> {
    try {
      return await this.store.remove(tenantId, entries, before, this.ports.clock.now());
    } catch (error) {
      if (isNotNow(error)) return 0;
      throw error;
    }
  }
}

async function* upTo<T>(limit: number, first: T, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  yield first;
  for (let taken = 1; taken < limit; taken += 1) {
    const next = await rest.next();
    if (next.done === true) return;
    yield next.value;
  }
}
