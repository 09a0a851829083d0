import type { Server } from 'node:http';

/** Within twice this time Node ends a connection on which nothing moves in the middle of a call: it looks once more whether something does. */
export const STANDSTILL_MS = 120_000;

/** Ends connections of callers who do not read their answers, which would be kept in memory for as long as they like. */
export function endStandstills(server: Server, afterMs = STANDSTILL_MS): void {
  server.timeout = afterMs;
}
