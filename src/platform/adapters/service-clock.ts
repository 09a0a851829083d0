import { Injectable } from '@nestjs/common';
import type { Clock } from '../../shared/ports.js';

/**
 * The clock of an API or a worker: the host's, of a worker held back to PostgreSQL's where it is ahead of that. Leases, retries and
 * signatures from the future would hold documents up for others, and have the SRI refuse them.
 */
@Injectable()
export class ServiceClock implements Clock {
  private heldBackMs = 0;

  now(): Date {
    return new Date(this.host() - this.heldBackMs);
  }

  /** The host's own time, in milliseconds since 1970. */
  host(): number {
    return Date.now();
  }

  /** @param milliseconds that the host's clock is ahead of PostgreSQL's; 0: it is not */
  holdBack(milliseconds: number): void {
    this.heldBackMs = milliseconds;
  }
}
