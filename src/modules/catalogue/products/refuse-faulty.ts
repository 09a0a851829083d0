import { echo, ValidationFailure } from '../../../platform/http/validation-failure.js';
import type { ProductValues } from '../domain/product.js';
import { productProblems } from '../domain/product-rules.js';

/** @throws ValidationFailure naming every field whose code no table has, or that does not go with the others */
export function refuseFaulty(product: ProductValues): void {
  const problems = productProblems(product);
  if (problems.length === 0) return;
  throw new ValidationFailure(problems.map(({ field, type, ctx }) => ({ loc: ['body', field], type, input: type === 'missing' ? null : echo(product[field]), ctx })));
}
