/**
 * Every choice of a history, command and schedule alike, is a natural number on
 * this tape. While it is generated, numbers come from a seeded generator and are
 * kept; on a replay they are read back, and a tape that ended says 0: the plain
 * choice (do nothing, no fault, first come first served). One segment per
 * command keeps the choices of the others in place when the shrinker drops one.
 */
export class Tape {
  private readonly segments: number[][] = [];
  private current: number[] = [];
  private place = 0;

  private constructor(
    private readonly random: (() => number) | null,
    private readonly recorded: readonly (readonly number[])[],
  ) {}

  static generate(seed: number): Tape {
    return new Tape(generator(seed), []);
  }

  static replay(segments: readonly (readonly number[])[]): Tape {
    return new Tape(null, segments);
  }

  get generating(): boolean {
    return this.random !== null;
  }

  /** Begins the next segment. @returns false when a replayed tape has no more */
  next(): boolean {
    const position = this.segments.length;
    this.current = [];
    this.segments.push(this.current);
    this.place = 0;
    return this.random !== null || position < this.recorded.length;
  }

  /** One of `n` possibilities; 0 is the plainest. */
  pick(n: number): number {
    if (n <= 1) return 0;
    return this.record(n, () => Math.floor(this.random!() * n));
  }

  /** 0 with probability 1 - p, else one of 1..n. */
  fault(p: number, n = 1): number {
    if (this.random !== null && p === 0) return this.record(n + 1, () => 0);
    return this.record(n + 1, () => (this.random!() < p ? 1 + Math.floor(this.random!() * n) : 0));
  }

  /** Index into `weights`, drawn by weight. */
  weighted(weights: readonly number[]): number {
    return this.record(weights.length, () => {
      let left = this.random!() * weights.reduce((sum, weight) => sum + weight, 0);
      return Math.max(0, weights.findIndex((weight) => (left -= weight) < 0));
    });
  }

  /** What was drawn, without the zeros that a replay supplies by itself. */
  taken(): number[][] {
    return this.segments.map((segment) => {
      let end = segment.length;
      while (end > 0 && segment[end - 1] === 0) end -= 1;
      return segment.slice(0, end);
    });
  }

  private record(n: number, draw: () => number): number {
    const position = this.place++;
    const value = this.random !== null ? draw() : (this.recorded[this.segments.length - 1]?.[position] ?? 0) % n;
    this.current.push(value);
    return value;
  }
}

/** Mulberry32: small, fast and the same everywhere. */
export function generator(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** `2.0.1-5-…`: numbers in base 36, runs of zeros as `_N`, one group per segment. */
export function encodeTape(segments: readonly (readonly number[])[]): string {
  return segments.map(encodeSegment).join('-');
}

export function decodeTape(text: string): number[][] {
  return text.split('-').map((group) =>
    group === ''
      ? []
      : group.split('.').flatMap((part) => {
          const run = /^_(\d+)$/.exec(part);
          return run ? Array<number>(Number(run[1])).fill(0) : [parseInt(part, 36)];
        }),
  );
}

function encodeSegment(segment: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < segment.length; i += 1) {
    let zeros = 0;
    while (segment[i + zeros] === 0) zeros += 1;
    if (zeros > 2) {
      parts.push(`_${zeros}`);
      i += zeros - 1;
    } else parts.push(segment[i]!.toString(36));
  }
  return parts.join('.');
}
