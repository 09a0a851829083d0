import { ValidationFailure } from '../../../platform/http/validation-failure.js';
import { MAX_PASSWORD, MIN_PASSWORD, passwordProblem } from '../domain/password-rules.js';

/**
 * Refuses a password that may not be chosen, as any field that breaks its rule.
 * @throws ValidationFailure
 */
export function refuseWeak(field: string, password: string, own: readonly string[]): void {
  const problem = passwordProblem(password, own);
  if (problem === null) return;
  const [type, ctx] =
    problem === 'too_short'
      ? ['string_too_short', { min_length: MIN_PASSWORD }]
      : problem === 'too_long'
        ? ['string_too_long', { max_length: MAX_PASSWORD }]
        : ['weak_password', { reason: problem }];
  throw new ValidationFailure([{ loc: ['body', field], type, input: null, ctx }]);
}
