import { DomainError } from '../../../shared/domain-error.js';

/** What the caller's act was decided on has changed before its last look, under locks; nothing was written. */
export class OvertakenError extends Error {
  /** @param refusal what the caller is told when this happens again and again */
  constructor(readonly refusal = new DomainError('INVALID_STATE', { reason: 'IT_MOVES', allowed_actions: ['repeat'] })) {
    super(refusal.message);
  }
}

/** Each that loses has waited for one that was done. */
const TRIES = 10;

/**
 * Runs an act from its first look on, anew when it was overtaken: the next look succeeds, or refuses by naming the state as it is then.
 * @param tries fewer for an act whose looks are dear
 * @throws DomainError the refusal of what moves faster than the act can look, and what the act itself refuses
 */
export async function untilNotOvertaken<Result>(act: () => Promise<Result>, tries = TRIES): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof OvertakenError)) throw error;
      if (attempt === tries) throw error.refusal;
    }
  }
}
