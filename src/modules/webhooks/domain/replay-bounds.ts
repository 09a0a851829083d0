import { DomainError } from '../../../shared/domain-error.js';

/** Until then a replay of a time has most likely ended. */
const RETRY_AFTER_SECONDS = 5;

/** Sent at once: who waits for another replay to end holds a connection to the database. */
export const replayUnderWay = (): DomainError => new DomainError('RATE_LIMITED', { limit: 1, limits: 'replays', retry_after_seconds: RETRY_AFTER_SECONDS });
