import { residentMegabytes, type Supervised } from '../support/service-rig.js';

interface Sample {
  readonly documents: number;
  readonly megabytes: number;
}

const WARM_UP_MS = 20_000;

/** Resident memory of processes over their lives: does it grow with the documents they handle? */
export class MemoryWatch {
  private readonly lives = new Map<number, { readonly since: number; readonly samples: Sample[] }>();
  peak = 0;

  constructor(private readonly processes: readonly Supervised[]) {}

  sample(documents: number): void {
    for (const { current } of this.processes) {
      if (current === null) continue;
      const megabytes = residentMegabytes(current.pid);
      if (megabytes === null) continue;
      this.peak = Math.max(this.peak, megabytes);
      const life = this.lives.get(current.pid) ?? { since: performance.now(), samples: [] };
      this.lives.set(current.pid, life);
      if (performance.now() - life.since > WARM_UP_MS) life.samples.push({ documents, megabytes });
    }
  }

  /**
   * Megabytes per 1,000 documents of the whole service, by least squares within
   * each life after its first 20 seconds; null when no life was long enough.
   */
  slope(): number | null {
    let [products, squares] = [0, 0];
    for (const { samples } of this.lives.values()) {
      if (samples.length < 5) continue;
      const meanDocuments = mean(samples.map(({ documents }) => documents));
      const meanMegabytes = mean(samples.map(({ megabytes }) => megabytes));
      for (const { documents, megabytes } of samples) {
        products += (documents - meanDocuments) * (megabytes - meanMegabytes);
        squares += (documents - meanDocuments) ** 2;
      }
    }
    return squares === 0 ? null : Math.round((products / squares) * 1_000 * 100) / 100;
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
