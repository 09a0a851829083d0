import { type LaterFault, laterRefusal } from '../../../platform/http/refused-later.js';
import { passwordProblem } from '../domain/password-rules.js';
import { commonPasswords } from './common-passwords.js';

/** That a password may not be chosen for what it says, as far as is known whose it is. */
export function weakness(password: string | undefined, own: readonly (string | undefined)[]): readonly LaterFault[] {
  const reason = password === undefined ? null : passwordProblem(password, own.filter((text) => text !== undefined), commonPasswords());
  return reason === null ? [] : [{ field: 'password', type: 'weak_password', ctx: { reason } }];
}

/**
 * Refuses a password that may not be chosen for what it says, as any field that breaks its rule; its length is a rule
 * of the field itself.
 * @throws ValidationFailure
 */
export function refuseWeak(password: string, own: readonly string[]): void {
  const faults = weakness(password, own);
  if (faults.length > 0) throw laterRefusal('body', faults);
}
