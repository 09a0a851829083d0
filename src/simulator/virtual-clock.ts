import type { Clock } from '../shared/ports.js';

/** The clock runs elsewhere from now on. */
export interface ClockMoved {
  readonly kind: 'clock';
  readonly offsetMs: number;
}

/** A clock that runs as another one does, but elsewhere in time. */
export class VirtualClock implements Clock {
  private offset = 0;

  /** @param note is told every change before it is made */
  constructor(
    private readonly host: Clock,
    private readonly note: (change: ClockMoved) => void = () => undefined,
  ) {}

  now(): Date {
    return new Date(this.host.now().getTime() + this.offset);
  }

  /** Milliseconds ahead of the host's clock; negative when behind. */
  get offsetMs(): number {
    return this.offset;
  }

  /** Moves by so many milliseconds; negative goes back. */
  advance(milliseconds: number): void {
    this.move(this.offset + milliseconds);
  }

  /** From now on it is this instant. */
  setTo(instant: Date): void {
    this.move(instant.getTime() - this.host.now().getTime());
  }

  /** Back to the host's time. */
  reset(): void {
    this.move(0);
  }

  /** Makes a change that was noted. */
  apply({ offsetMs }: ClockMoved): void {
    this.offset = offsetMs;
  }

  private move(offsetMs: number): void {
    const change: ClockMoved = { kind: 'clock', offsetMs };
    this.note(change);
    this.apply(change);
  }
}
