/** One broken field, before its message is put in the caller's language. */
export interface FieldFinding {
  /** Path from the source of the value: `['body', 'lines', '0', 'quantity']`. */
  readonly loc: readonly string[];
  /** Stable failure type, e.g. `missing`, `extra_forbidden`, `string_too_long`. */
  readonly type: string;
  /** What the caller sent, shortened; null for secrets and absent values. */
  readonly input: unknown;
  readonly ctx: Readonly<Record<string, unknown>>;
}

const INPUT_LIMIT = 64;

/** Thrown by the validation pipe with every finding of one request; the error filter answers 400 or 422. */
export class ValidationFailure extends Error {
  constructor(readonly findings: readonly FieldFinding[]) {
    super(`The request breaks the rules of its fields: ${findings.slice(0, 5).map(({ loc, type }) => `${loc.join(".")} ${type}`).join(", ")}`);
    this.name = 'ValidationFailure';
  }

  /** A missing required field is an invalid payload; all else is a failed validation (decisions, section 2). */
  get code(): 'INVALID_PAYLOAD' | 'VALIDATION_FAILED' {
    return this.findings.some((finding) => finding.type === 'missing') ? 'INVALID_PAYLOAD' : 'VALIDATION_FAILED';
  }
}

/** How an address begins, before who calls there and the password: slashes may be missing, or the scheme, and blanks stand anywhere. */
const BEGIN_OF_ADDRESS = /^\s*(?:[a-z][a-z0-9+.\s-]*:|[/\\]{2})/i;

function withoutCredentials(text: string): string {
  const at = text.lastIndexOf('@');
  const begin = at === -1 ? null : BEGIN_OF_ADDRESS.exec(text.slice(0, at));
  return begin === null ? text : `${begin[0]}…${text.slice(at)}`;
}

/** Shortens an echoed value to 64 characters. Structures are named, not echoed, and addresses lose their password, whether or not they can be parsed. */
export function echo(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
      return Array.from(withoutCredentials(value).slice(0, INPUT_LIMIT * 2)).slice(0, INPUT_LIMIT).join('');
    case 'number':
    case 'boolean':
      return value;
    case 'object':
      if (value === null) return null;
      return Array.isArray(value) ? 'array' : 'object';
    default:
      return null;
  }
}
