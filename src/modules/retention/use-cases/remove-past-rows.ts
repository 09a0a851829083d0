import type { Sleeper } from '../../../shared/ports.js';
import { KINDS, type Kind, type RetentionStore } from '../persistence/retention.store.js';

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
      for (let page = 0; page < pages; page += STEP) {
        counts[kind] += await this.store.rows(kind, before[kind], page, page + STEP, remove);
        await this.sleeper.sleep(BREATH_MS);
      }
      this.report(`${kind}: ${counts[kind]} older than ${before[kind].toISOString().slice(0, 10)}${remove ? ' removed' : ''}`);
    }
    return counts;
  }
}
