import { Injectable } from '@nestjs/common';
import { DomainError } from '../../shared/domain-error.js';
import type { TakeRoom } from './body-bytes.js';

/** Bytes of bodies that have come in part: of all callers, and of one, so that nobody takes the room of the others. */
const MOST = { ofAll: 67_108_864, ofOne: 16_777_216 } as const;

/** A body on its way in, and the room that it takes. */
export interface BodyPlace {
  readonly take: TakeRoom;
  /** Gives back what was taken; to be called once. */
  readonly leave: () => void;
}

/** Memory that bodies take on this process while they come in: a sender may take as long over one as the server waits for it. */
@Injectable()
export class BodyRoom {
  private taken = 0;
  private readonly takenBy = new Map<string, number>();

  /** @param who sends the body: a tenant, a person or an address */
  enter(who: string): BodyPlace {
    let own = 0;
    return {
      take: (bytes) => {
        if (this.taken + bytes > MOST.ofAll || this.of(who) + bytes > MOST.ofOne) return new DomainError('SERVICE_UNAVAILABLE', { reason: 'too_many_bodies' });
        own += bytes;
        this.add(who, bytes);
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
