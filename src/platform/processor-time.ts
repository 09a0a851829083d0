import type { Sleeper } from '../shared/ports.js';

/** Pause between two looks, so that a limit that is almost reached is not looked at all the time. */
const SHORTEST_PAUSE_MS = 50;

/**
 * Resolves once this process, its threads included, has used so much processor time from now on; rejects when aborted first.
 *
 * The cost of a task is judged by this and not by the clock: on a machine that is busy, or stands still for a while, the
 * cheapest task takes long.
 */
export async function processorTimeUsed(milliseconds: number, sleeper: Sleeper, signal: AbortSignal): Promise<void> {
  const started = process.cpuUsage();
  for (let left = milliseconds; left > 0; ) {
    await sleeper.sleep(Math.max(left, SHORTEST_PAUSE_MS), signal);
    const { user, system } = process.cpuUsage(started);
    left = milliseconds - (user + system) / 1_000;
  }
}
