import { Injectable } from '@nestjs/common';
import { DomainError } from '../../shared/domain-error.js';
import type { TakeRoom } from './body-bytes.js';

/** Bytes of bodies that have come in part, and of files of products until they are answered: of all callers, and of one. */
const MOST = { ofAll: 67_108_864, ofOne: 16_777_216 } as const;

/** So much of a body takes no room, so that most calls fit even while large bodies fill it. The bounds on calls and connections bound this part. */
const FREE = 65_536;

/** A body on its way in, and the room that it takes. */
export interface IncomingBody {
  readonly take: TakeRoom;
  /** Gives back what was taken; to be called once. */
  readonly leave: () => void;
}

/**
 * Memory that bodies take on this process while they come in, and a file of products until its call is answered: a sender may
 * take as long over one as the server waits for it.
 * One sender has at most half of what the others leave, so that however many fill it, there is room for the next.
 */
@Injectable()
export class BodyRoom {
  private taken = 0;
  private readonly takenBy = new Map<string, number>();

  /** @param who sends the body: a tenant, a person or an address */
  enter(who: string): IncomingBody {
    let [size, own] = [0, 0];
    return {
      take: (bytes) => {
        size += bytes;
        const more = Math.max(0, size - FREE) - own;
        const left = MOST.ofAll - (this.taken - this.of(who));
        if (more > 0 && this.of(who) + more > Math.min(MOST.ofOne, left / 2)) return new DomainError('SERVICE_UNAVAILABLE', { reason: 'too_many_bodies' });
        own += more;
        this.add(who, more);
        return null;
      },
      leave: () => this.add(who, -own),
    };
  }

  private of(who: string): number {
    return this.takenBy.get(who) ?? 0;
  }

  private add(who: string, bytes: number): void {
    this.taken += bytes;
    const now = this.of(who) + bytes;
    if (now > 0) this.takenBy.set(who, now);
    else this.takenBy.delete(who);
  }
}
