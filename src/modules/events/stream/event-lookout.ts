import { Inject, Injectable, Logger } from '@nestjs/common';
import { SLEEPER, type Sleeper } from '../../../shared/ports.js';
import { EventsRepository, type WatchedPosition } from '../persistence/events.repository.js';

/** An event is seen about so long after its commit. */
const LOOK_EVERY_MS = 300;
/** About five seconds: then a stream asks by itself, and so also learns whether its credential still stands. */
const MOST_LOOKS = 16;

interface Waiting extends WatchedPosition {
  looks: number;
  readonly wake: () => void;
}

/**
 * Looks for events after the places of all streams that wait, by one short query for all of them: a thousand streams that
 * ask for themselves keep three processors busy.
 */
@Injectable()
export class EventLookout {
  private readonly log = new Logger(EventLookout.name);
  private readonly waiting = new Set<Waiting>();
  private isLooking = false;
  private isBlind = false;

  constructor(
    private readonly events: EventsRepository,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
  ) {}

  /**
   * Resolves when there is an event after the place, or when it is time to ask again in any case.
   * @throws the signal's reason when it is aborted
   */
  async until(watched: WatchedPosition, ending: AbortSignal): Promise<void> {
    ending.throwIfAborted();
    await new Promise<void>((resolve) => {
      const waiting: Waiting = {
        ...watched, looks: 0,
        wake: () => {
          this.waiting.delete(waiting);
          ending.removeEventListener('abort', waiting.wake);
          resolve();
        },
      };
      ending.addEventListener('abort', waiting.wake);
      this.waiting.add(waiting);
      if (!this.isLooking) void this.look();
    });
    ending.throwIfAborted();
  }

  /** Until nobody waits. */
  private async look(): Promise<void> {
    this.isLooking = true;
    for (;;) {
      await this.sleeper.sleep(LOOK_EVERY_MS);
      if (this.waiting.size === 0) break;
      const asked = [...this.waiting];
      const found = await this.found(asked);
      for (const [number, waiting] of asked.entries()) {
        waiting.looks += 1;
        if (found[number] === true || waiting.looks === MOST_LOOKS) waiting.wake();
      }
    }
    this.isLooking = false;
  }

  /** Without an answer everything: each stream then asks for itself. */
  private async found(asked: readonly Waiting[]): Promise<readonly boolean[]> {
    try {
      const found = await this.events.areBehind(asked);
      if (this.isBlind) this.log.log('streams of events are asked about together again');
      this.isBlind = false;
      return found;
    } catch (error) {
      if (!this.isBlind) this.log.warn(`streams of events ask each for itself: ${(error as Error).message}`);
      this.isBlind = true;
      return asked.map(() => true);
    }
  }
}
