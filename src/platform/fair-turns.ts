/** How many are served and may wait. */
export interface Room {
  readonly atOnce: number;
  readonly atOnceOfTenant: number;
  readonly waiting: number;
  readonly waitingOfTenant: number;
}

interface Line {
  served: number;
  readonly waiting: (() => void)[];
}

/**
 * Lets so many in at once, and has the others wait. Tenants take turns: who asks for one thing is served after one thing of each
 * other tenant that waits, however much these ask for.
 */
export class FairTurns {
  /** In the order of their turns; of tenants that are served or wait. */
  private readonly lines = new Map<string, Line>();
  private served = 0;
  private waiting = 0;

  constructor(private readonly room: Room) {}

  /**
   * Waits for the tenant's turn.
   * @param full makes the error for whom there is no room to wait
   * @returns to be called once, when the turn is over
   */
  async enter(tenantId: string, full: () => Error): Promise<() => void> {
    const line = this.lines.get(tenantId) ?? { served: 0, waiting: [] };
    if (this.served < this.room.atOnce && line.served < this.room.atOnceOfTenant) {
      this.serve(tenantId, line);
    } else {
      if (this.waiting >= this.room.waiting || line.waiting.length >= this.room.waitingOfTenant) throw full();
      this.lines.set(tenantId, line);
      this.waiting += 1;
      await new Promise<void>((resolve) => line.waiting.push(resolve));
    }
    return () => {
      this.leave(tenantId, line);
    };
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
      const begin = waiting.shift();
      if (begin === undefined) continue;
      this.waiting -= 1;
      this.serve(next, this.lines.get(next) as Line);
      begin();
      return;
    }
  }
}
