import { ValidationFailure } from '../../src/platform/http/validation-failure.js';
import { validateAs } from '../../src/platform/http/validation.pipe.js';

/** How a body is refused. @throws Error when it is accepted */
export function failureOf(type: new () => object, body: unknown): ValidationFailure {
  try {
    validateAs(type, body, 'body');
  } catch (error) {
    if (error instanceof ValidationFailure) return error;
    throw error;
  }
  throw new Error('accepted, though a refusal was expected');
}
