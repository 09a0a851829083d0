/** One fiscal rule that a document breaks or nearly breaks (decisions, section 2). */
export interface Finding {
  /** JSON Pointer (RFC 6901) into the request body, snake_case names, e.g. `/lines/0/subtotal`. */
  readonly pointer: string;
  /** Stable rule id, e.g. `totals.total`. */
  readonly rule: string;
  readonly message: { readonly es: string; readonly en: string };
  readonly expected: string | null;
  readonly actual: string | null;
  /** Section of the ficha técnica or resolution the rule comes from. */
  readonly reference: string;
  /** Errors refuse the document; warnings come back on the dry run and on the record. */
  readonly severity: 'error' | 'warning';
}
