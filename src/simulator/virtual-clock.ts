import type { Clock } from '../shared/ports.js';

/** A clock that runs as another one does, but elsewhere in time. */
export class VirtualClock implements Clock {
  private offset = 0;

  constructor(private readonly host: Clock) {}

  now(): Date {
    return new Date(this.host.now().getTime() + this.offset);
  }

  /** Milliseconds ahead of the host's clock; negative when behind. */
  get offsetMs(): number {
    return this.offset;
  }

  /** Moves by so many milliseconds; negative goes back. */
  advance(milliseconds: number): void {
    this.offset += milliseconds;
  }

  /** From now on it is this instant. */
  setTo(instant: Date): void {
    this.offset = instant.getTime() - this.host.now().getTime();
  }

  /** Back to the host's time. */
  reset(): void {
    this.offset = 0;
  }
}
