/** Bounds of an object whose names and values are the caller's own. */
export interface FreeObjectLimits {
  /** Levels, the object itself included. */
  readonly maxDepth: number;
  /** Members and items on all levels together. */
  readonly maxValues: number;
  /** Size as JSON in UTF-8. */
  readonly maxBytes: number;
}

export interface FreeObjectProblem {
  readonly type: 'object_too_deep' | 'object_too_large' | 'object_text' | 'object_number';
  readonly ctx: Readonly<Record<string, number>>;
}

/** What PostgreSQL stores in no text: NUL, and halves of a surrogate pair. */
const UNSTORABLE = /[\u0000\p{Cs}]/u;

/** The first reason why an object that came as JSON is not taken, or null. Names such as `constructor` are data like any other. */
export function freeObjectProblem(value: object, limits: FreeObjectLimits): FreeObjectProblem | null {
  const { maxDepth, maxValues, maxBytes } = limits;
  const large = { type: 'object_too_large', ctx: { max_values: maxValues, max_bytes: maxBytes } } as const;
  let values = 0;
  const judge = (inner: unknown, depth: number): FreeObjectProblem | null => {
    if (typeof inner === 'string') return UNSTORABLE.test(inner) ? { type: 'object_text', ctx: {} } : null;
    if (typeof inner === 'number') return isExact(inner) ? null : { type: 'object_number', ctx: {} };
    if (typeof inner !== 'object' || inner === null) return null;
    if (depth > maxDepth) return { type: 'object_too_deep', ctx: { max_depth: maxDepth } };
    for (const [name, member] of Object.entries(inner)) {
      values += 1;
      if (values > maxValues) return large;
      const problem = judge(name, depth) ?? judge(member, depth + 1);
      if (problem !== null) return problem;
    }
    return null;
  };
  return judge(value, 1) ?? (Buffer.byteLength(JSON.stringify(value)) > maxBytes ? large : null);
}

/** JSON writes numbers that a double cannot hold: they became infinite, or another whole number. */
const isExact = (value: number): boolean => Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
