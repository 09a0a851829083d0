import type { Work } from '../domain/document.js';
import type { LoadedDocument } from '../persistence/documents.repository.js';

/** A document under this worker's lease. */
export interface LeasedDocument {
  readonly loaded: LoadedDocument;
  readonly token: string;
}

/** Shell around a pure decision: reads, asks the outside world, writes the decision. Never names its successor. */
export interface SagaStep {
  /**
   * Runs the step once. Throws when the outside (PostgreSQL) fails; the lease then runs out and another worker goes on.
   * @returns the next work as it was written; null when the document is finished or parked
   */
  run(document: LeasedDocument): Promise<Work | null>;
}
