/**
 * Whether a pause goes on. It is over, too, when its end is further ahead than it can ever be: then the clock was put back since.
 * @param longestMs of such a pause, in milliseconds
 */
export function pauseGoesOn(until: Date, now: Date, longestMs: number): boolean {
  const leftMs = until.getTime() - now.getTime();
  return leftMs > 0 && leftMs <= longestMs;
}
