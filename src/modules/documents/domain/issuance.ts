import type { Finding } from '../../../shared/finding.js';
import type { DocumentContent, IssuerSnapshot } from '../../../sri/document-types/content.js';

/** Where a document is issued. */
export interface Place {
  readonly issuerId: string;
  readonly establishmentId: string;
  readonly emissionPointId: string;
}

/** The requested content, completed from its original; `findings` come from comparing it with the issuer's other documents. */
export interface Completed {
  readonly content: DocumentContent;
  readonly findings: readonly Finding[];
}

/** A document after pre-flight. */
export interface Assessed {
  readonly content: DocumentContent;
  readonly issuer: IssuerSnapshot;
  readonly findings: readonly Finding[];
}
