import { type HistoryOptions, type HistoryResult, runHistory } from './history.js';

type Segments = readonly (readonly number[])[];

/** Runs of a failing history that the search for a shorter one may cost. */
const BUDGET = 600;

/**
 * Looks for a shorter history that violates the same invariant: drops commands,
 * then faults and turns of the schedule, then makes numbers smaller.
 */
export async function shrink(failing: HistoryResult, options: Omit<HistoryOptions, 'tape' | 'seed'>, runs = BUDGET): Promise<HistoryResult> {
  let best = failing;
  let budget = runs;
  const invariant = failing.violation?.invariant;

  const better = async (candidate: Segments): Promise<boolean> => {
    if (budget <= 0) return false;
    budget -= 1;
    const result = await runHistory({ ...options, seed: failing.seed, tape: candidate });
    if (result.violation?.invariant !== invariant || weight(result.tape) >= weight(best.tape)) return false;
    best = result;
    return true;
  };

  for (let before = -1; budget > 0 && before !== weight(best.tape); ) {
    before = weight(best.tape);
    for (let size = Math.ceil(best.tape.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      // The first segment is the world itself, the last one the rest.
      for (let at = 1; at + size < best.tape.length; ) {
        if (!(await better([...best.tape.slice(0, at), ...best.tape.slice(at + size)]))) at += size;
      }
    }
    for (let at = 0; at < best.tape.length; at += 1) await shrinkSegment(at);
  }
  return best;

  async function shrinkSegment(at: number): Promise<void> {
    const put = (segment: readonly number[]): Segments => best.tape.map((old, index) => (index === at ? segment : old));
    const now = (): readonly number[] => best.tape[at] ?? [];
    for (let keep = 0; keep < now().length; keep = keep * 2 + 1) if (await better(put(now().slice(0, keep)))) break;
    for (let size = Math.ceil(now().length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let from = 0; from < now().length; from += size) {
        if (now().slice(from, from + size).some((value) => value !== 0)) {
          await better(put(now().map((value, index) => (index >= from && index < from + size ? 0 : value))));
        }
      }
    }
  }
}

/** Fewer commands first, then fewer choices, then smaller ones. */
function weight(segments: Segments): number {
  return segments.reduce((sum, segment) => sum + 10_000 + segment.reduce((all, value) => all + 10 + value, 0), 0);
}
