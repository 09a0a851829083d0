import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { normaliseText, textProblem } from '../../shared/text.js';
import { ValidationFailure } from './validation-failure.js';

const MAX = 255;

/** Describes the header of an operation that takes the key there too. */
export const TakesIdempotencyKey = (): MethodDecorator => ApiHeader({ name: 'Idempotency-Key', required: false, description: 'Same as the body field idempotency_key' });

/** Every header `Idempotency-Key` of the request, as it came: Node's usual view joins several headers into one key that nobody gave. */
export const IdempotencyHeaders = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<IncomingMessage>().headersDistinct['idempotency-key'],
);

/**
 * The one idempotency key of a request: header `Idempotency-Key` and body field `idempotency_key` mean the same.
 * @param headers raw header values
 * @param field   the validated body field
 * @returns the key, or null when the caller gave none
 * @throws ValidationFailure when there are several headers, the header is not UTF-8, breaks the field's rules or differs from the field
 */
export function idempotencyKey(headers: readonly string[] | undefined, field: string | null | undefined): string | null {
  const [header, ...others] = headers ?? [];
  if (header === undefined) return field ?? null;
  if (others.length > 0) throw failure('header_repeated', {});
  // Header bytes reach us as Latin-1; the key is UTF-8 like the field. Bytes that are not UTF-8 would turn different keys into one.
  const bytes = Buffer.from(header, 'latin1');
  if (!isUtf8(bytes)) throw failure('header_not_utf8', {});
  const key = normaliseText(bytes.toString('utf8'));
  const problem = textProblem(key, { min: 1, max: MAX });
  if (problem !== null) throw failure(problem.type, problem.ctx);
  if (field !== null && field !== undefined && field !== key) throw failure('header_conflict', {});
  return key;
}

const failure = (type: string, ctx: Readonly<Record<string, unknown>>): ValidationFailure =>
  new ValidationFailure([{ loc: ['header', 'idempotency-key'], type, input: null, ctx }]);
