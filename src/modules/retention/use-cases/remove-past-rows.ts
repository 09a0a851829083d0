import type { Sleeper } from '../../../shared/ports.js';
import { isNotNow, KINDS, type Kind, type RetentionStore } from '../persistence/retention.store.js';

/** Pages of a table in one statement. */
const STEP = 512;
const BREATH_MS = 20;

/** Removes what served the operation and is past its time, or counts it. */
export class RemovePastRows {
  constructor(
    private readonly store: RetentionStore,
    private readonly sleeper: Sleeper,
    private readonly report: (line: string) => void,
  ) {}

  /** @returns how many of each kind */
  async execute(before: Readonly<Record<Kind, Date>>, remove: boolean): Promise<Record<Kind, number>> {
    const counts = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Kind, number>;
    for (const kind of KINDS) {
      const pages = await this.store.pages(kind);
      let inUse = 0;
      for (let page = 0; page < pages; page += STEP) {
        const rows = await this.step(kind, before[kind], page, remove);
        if (rows === null) inUse += 1;
        else counts[kind] += rows;
        await this.sleeper.sleep(BREATH_MS);
      }
      const left = inUse === 0 ? '' : `; ${inUse} of ${Math.ceil(pages / STEP)} parts of the table are in use, their rows go with the next run`;
      this.report(`${kind}: ${counts[kind]} older than ${before[kind].toISOString().slice(0, 10)}${remove ? ' removed' : ''}${left}`);
    }
    return counts;
  }

  /** Null: the service uses some of the rows, and none of the step is gone. */
  private async step(kind: Kind, before: Date, page: number, remove: boolean): Promise<number | null> {
    try {
      return await this.store.rows(kind, before, page, page + STEP, remove);
    } catch (error) {
      if (isNotNow(error)) return null;
      throw error;
    }
  }
}
