import { normaliseText, textProblem } from '../../shared/text.js';
import { ValidationFailure } from './validation-failure.js';

const MAX = 255;

/**
 * The one idempotency key of a request: header `Idempotency-Key` and body field `idempotency_key` mean the same.
 * @param header raw header value
 * @param field  the validated body field
 * @returns the key, or null when the caller gave none
 * @throws ValidationFailure when the header breaks the field's rules or differs from the field
 */
export function idempotencyKey(header: string | undefined, field: string | null | undefined): string | null {
  if (header === undefined) return field ?? null;
  // Header bytes reach us as Latin-1; the key is UTF-8 like the field.
  const key = normaliseText(Buffer.from(header, 'latin1').toString('utf8'));
  const problem = textProblem(key, { min: 1, max: MAX });
  if (problem !== null) throw failure(problem.type, problem.ctx);
  if (field !== null && field !== undefined && field !== key) throw failure('header_conflict', {});
  return key;
}

const failure = (type: string, ctx: Readonly<Record<string, unknown>>): ValidationFailure =>
  new ValidationFailure([{ loc: ['header', 'idempotency-key'], type, input: null, ctx }]);
