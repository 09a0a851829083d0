import type { Clock } from '../../shared/ports.js';

/** The host's clock. */
export class SystemClock implements Clock {
  now(): Date {
    return new Date();
  }
}
