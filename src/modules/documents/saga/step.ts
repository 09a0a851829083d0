import type { DocumentPatch, Move, Work } from '../domain/document.js';
import type { LoadedDocument, Records } from '../persistence/documents.repository.js';

/** A signature that is not stored yet: it commits with whatever the next step decides first. */
export interface FreshSignature {
  readonly moves: readonly Move[];
  readonly patch: DocumentPatch;
  readonly signing: NonNullable<Records['signing']>;
}

/** A document under this worker's lease. */
export interface LeasedDocument {
  readonly loaded: LoadedDocument;
  readonly token: string;
  /**
   * Until when it may be sent as soon as it is signed: when it was taken, no earlier number of its emission point was unsent
   * and nothing was paused. After this time both are checked again, and the lease is renewed for the call of the SRI. Null: not now.
   */
  readonly clearUntil: Date | null;
  readonly signature?: FreshSignature;
}

/** Work that is due next. With a signature it is not written yet: the same worker goes on at once. */
export type NextWork = Work & { readonly signature?: FreshSignature };

/** Shell around a pure decision: reads, asks the outside world, writes the decision. Never names its successor. */
export interface SagaStep {
  /**
   * Runs the step once. Throws when the outside (PostgreSQL) fails; the lease then runs out and another worker goes on.
   * @returns the next work, written unless it carries a signature; null when the document is finished or parked
   */
  run(document: LeasedDocument): Promise<NextWork | null>;
}

/** What runs each step of the lifecycle's table. */
export const SAGA_STEPS = Symbol('SAGA_STEPS');
