import type { Provider } from '@nestjs/common';

/** A move of a document's lifecycle, as PostgreSQL keeps it. */
export interface NeededMove {
  readonly from: string;
  readonly trigger: string;
  readonly to: string;
}

export const NEEDED_MOVES = Symbol('NeededMoves');

/** Tells readiness which moves of documents this version makes. */
export const needing = (moves: readonly NeededMove[]): Provider => ({ provide: NEEDED_MOVES, useValue: moves });
