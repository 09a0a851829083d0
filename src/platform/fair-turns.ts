/** How many are served and may wait. */
export interface Room {
  readonly atOnce: number;
  readonly atOnceOfTenant: number;
  readonly waiting: number;
  readonly waitingOfTenant: number;
}

interface Waiter {
  readonly begin: () => void;
  readonly refuse: () => void;
}

interface Line {
  served: number;
  readonly waiting: Waiter[];
}

/**
 * Lets so many in at once, and has the others wait. Tenants take turns: who asks for one thing is served after one thing of each
 * other tenant that waits, however much these ask for. So they do for the room to wait: when it is full, who asks for less takes
 * the place of the last one of the tenant of which most wait.
 */
export class FairTurns {
  /** In the order of their turns; of tenants that are served or wait. */
  private readonly lines = new Map<string, Line>();
  private served = 0;
  private waiting = 0;

  constructor(private readonly room: Room) {}

  /**
   * Does something when it is the tenant's turn.
   * @param full makes the error for whom there is no room to wait, from the beginning or once others with less to ask need it
   */
  async take<T>(tenantId: string, full: () => Error, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter(tenantId, full);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /**
   * Waits for the tenant's turn.
   * @param full makes the error for whom there is no room to wait, from the beginning or once others with less to ask need it
   * @returns to be called once, when the turn is over
   */
  async enter(tenantId: string, full: () => Error): Promise<() => void> {
    const line = this.lines.get(tenantId) ?? { served: 0, waiting: [] };
    if (this.served < this.room.atOnce && line.served < this.room.atOnceOfTenant) {
      this.serve(tenantId, line);
    } else {
      if (line.waiting.length >= this.room.waitingOfTenant || (this.waiting >= this.room.waiting && !this.makeRoomFor(line))) throw full();
      this.lines.set(tenantId, line);
      this.waiting += 1;
      await new Promise<void>((begin, reject) => line.waiting.push({ begin, refuse: () => reject(full()) }));
    }
    return () => {
      this.leave(tenantId, line);
    };
  }

  /** Refuses the last one of the tenant of which most wait. @returns false when then fewer of it would wait than of who asks */
  private makeRoomFor(asking: Line): boolean {
    let longest = asking;
    // Of several as long, the one whose turn is last.
    for (const line of this.lines.values()) if (line.waiting.length >= longest.waiting.length) longest = line;
    if (longest.waiting.length - 1 < asking.waiting.length + 1) return false;
    longest.waiting.pop()?.refuse();
    this.waiting -= 1;
    return true;
  }

  private serve(tenantId: string, line: Line): void {
    this.served += 1;
    line.served += 1;
    this.putLast(tenantId, line);
  }

  /** Its tenant's next turn is after those of all others that wait by now. */
  private putLast(tenantId: string, line: Line): void {
    this.lines.delete(tenantId);
    if (line.served > 0 || line.waiting.length > 0) this.lines.set(tenantId, line);
  }

  private leave(tenantId: string, line: Line): void {
    this.served -= 1;
    line.served -= 1;
    this.putLast(tenantId, line);
    for (const [next, { served, waiting }] of this.lines) {
      if (served >= this.room.atOnceOfTenant) continue;
      const first = waiting.shift();
      if (first === undefined) continue;
      this.waiting -= 1;
      this.serve(next, this.lines.get(next) as Line);
      first.begin();
      return;
    }
  }
}
