import { ValidationFailure } from '../../../platform/http/validation-failure.js';
import { passwordProblem } from '../domain/password-rules.js';

/**
 * Refuses a password that may not be chosen for what it says, as any field that breaks its rule; its length is a rule
 * of the field itself.
 * @throws ValidationFailure
 */
export function refuseWeak(field: string, password: string, own: readonly string[]): void {
  const reason = passwordProblem(password, own);
  if (reason !== null) throw new ValidationFailure([{ loc: ['body', field], type: 'weak_password', input: null, ctx: { reason } }]);
}
