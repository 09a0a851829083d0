import { Injectable } from '@nestjs/common';
import { FairTurns, type Room } from '../../../platform/fair-turns.js';

/**
 * Nobody waits for these letters' answers, so nothing else bounds how many are asked for. A few at once leave most of a process's
 * connections to the calls.
 */
const ROOM: Room = { atOnce: 4, atOnceOfTenant: 2, waiting: 200, waitingOfTenant: 20 };

/** Lets letters look up to whom they go, a few at once. Who asks for them takes turns as tenants do elsewhere. */
@Injectable()
export class LetterTurns {
  private readonly turns = new FairTurns(ROOM);

  /**
   * Looks something up when it is the asker's turn.
   * @param asker who asks for the letter: an address or a person
   * @throws Error when too many wait, of the asker or of all (then those of who asks most are refused): the letter is not written
   */
  take<T>(asker: string, look: () => Promise<T>): Promise<T> {
    return this.turns.take(asker, () => new Error('too many letters wait'), look);
  }
}
