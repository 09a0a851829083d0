import type { Finding } from '../../shared/finding.js';
import type { ComputedTotals, DocumentContent, DocumentTypeCode, IssuerSnapshot } from './content.js';

export interface Numbering {
  readonly sequential: number;
  readonly accessKey: string;
}

export interface RuleContext {
  /** Today in Guayaquil, `YYYY-MM-DD`. */
  readonly today: string;
  readonly maxIssueDateAgeDays: number;
}

export interface Normalised {
  /** Content with everything the service fills in (final consumer, default payment, line codes, line taxes). */
  readonly content: DocumentContent;
  /** Warnings about what was filled in. */
  readonly warnings: readonly Finding[];
}

/** A worked example of a type: golden files, schema and signature tests and the API's documentation iterate these. */
export interface DocumentExample {
  /** File-name-like: `final-consumer`. */
  readonly name: string;
  /** As a caller sends it, before normalising. */
  readonly content: DocumentContent;
  readonly issuer: IssuerSnapshot;
  readonly numbering: Numbering;
}

/** All that one document type brings to the registry. */
export interface DocumentTypeDefinition {
  readonly code: DocumentTypeCode;
  /** Root element, e.g. `factura`. */
  readonly rootElement: string;
  /** Value of the root's `version` attribute for this content. */
  version(content: DocumentContent): string;
  /** Findings about the form of the fields that only this type has; with any, nothing else of this definition is called. */
  shape?(content: DocumentContent): Iterable<Finding>;
  /** Fills in what the specification lets the caller omit. Pure. */
  normalise(content: DocumentContent, issuer: IssuerSnapshot): Normalised;
  /**
   * Totals and tax groups for callers that leave them to the service, of a type where they are not the sums of
   * the lines and their taxes; null when this content does not tell them.
   */
  totals?(content: DocumentContent): ComputedTotals | null;
  /** Every fiscal rule, all findings in one pass. Pure. Expects normalised content. */
  check(content: DocumentContent, issuer: IssuerSnapshot, context: RuleContext): readonly Finding[];
  /** The document element in canonical form (C14N 1.0), without prolog, without signature. Expects normalised content. */
  buildXml(content: DocumentContent, issuer: IssuerSnapshot, numbering: Numbering): string;
  /** File of our schema for this content, absolute path. */
  schemaFile(content: DocumentContent): string;
  /**
   * Where an XML element comes from: element path below the root, without
   * positions, to JSON Pointer; `{name}` stands for the position of that element.
   * The nearest listed ancestor counts.
   */
  readonly schemaPointers: Readonly<Record<string, string>>;
  /** Where XML elements come from, if that depends on the content; then `schemaPointers` is not asked. */
  pointersFor?(content: DocumentContent): Readonly<Record<string, string>>;
  readonly examples: readonly DocumentExample[];
}
