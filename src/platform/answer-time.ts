import type { Sleeper } from '../shared/ports.js';

/** Parts in which an answer's time is waited for. */
const PARTS = 5;
/** Why the wait for a settled answer ends; one for all, for a reason made by `abort` itself is costly. */
const SETTLED = new Error('the answer is there');

/** No answer came in time. */
export class LateAnswer extends Error {}

/**
 * Waits for an answer from outside this process, at most so long, counted in parts each of which the process itself ran
 * through. Had it stood still meanwhile (a busy machine, a long collection, a stopped container), one wait for the whole time
 * would end before an answer that lies ready is read, and blame who answered.
 * @param milliseconds of this process's own time
 * @throws LateAnswer when none came in time, or what the answer itself failed with
 */
export async function answerWithin<T>(sleeper: Sleeper, milliseconds: number, answer: Promise<T>): Promise<T> {
  const settled = new AbortController();
  try {
    return await Promise.race([answer, late(sleeper, milliseconds, settled.signal)]);
  } finally {
    // Only after the race: ended earlier, the wait itself would win it and pass for a failure.
    settled.abort(SETTLED);
  }
}

async function late(sleeper: Sleeper, milliseconds: number, settled: AbortSignal): Promise<never> {
  for (let part = 0; part < PARTS; part += 1) await sleeper.sleep(milliseconds / PARTS, settled);
  // What came while the process stood still in the last part is read before this ends.
  await sleeper.sleep(0, settled);
  throw new LateAnswer(`no answer within ${milliseconds} ms`);
}
