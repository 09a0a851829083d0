/** Positions in a document, asked whether they overlap others: one by one, for a body may hold thousands of either. */
export class Positions {
  private readonly own: ReadonlySet<string>;
  /** All in which one of these lies. */
  private readonly around: ReadonlySet<string>;

  /** @param pointers JSON Pointers */
  constructor(pointers: readonly string[]) {
    this.own = new Set(pointers);
    this.around = new Set(pointers.flatMap(around));
  }

  /** Whether the position is one of these, lies in one or holds one. The document as a whole, `''`, overlaps only itself. */
  overlap(pointer: string): boolean {
    return this.own.has(pointer) || this.around.has(pointer) || around(pointer).some((outer) => this.own.has(outer));
  }
}

/** What a position lies in, but for the document as a whole: `/lines/0/taxes` in `/lines/0` and `/lines`. */
function around(pointer: string): readonly string[] {
  const outer: string[] = [];
  for (let end = pointer.lastIndexOf('/'); end > 0; end = pointer.lastIndexOf('/', end - 1)) outer.push(pointer.slice(0, end));
  return outer;
}
