import { echo, ValidationFailure } from '../../../platform/http/validation-failure.js';
import { DomainError } from '../../../shared/domain-error.js';
import type { ProductValues } from '../domain/product.js';
import { productProblems } from '../domain/product-rules.js';

/** The found record; another tenant's and an unknown one are the same NOT_FOUND. */
export function found<T>(record: T | null): T {
  if (record === null) throw new DomainError('NOT_FOUND');
  return record;
}

/** @throws ValidationFailure naming every field whose code no table has, or that does not go with the others */
export function refuseFaulty(product: ProductValues): void {
  const problems = productProblems(product);
  if (problems.length === 0) return;
  throw new ValidationFailure(problems.map(({ field, type, ctx }) => ({ loc: ['body', field], type, input: type === 'missing' ? null : echo(product[field]), ctx })));
}
