import { DomainError } from '../../../shared/domain-error.js';

/** Somebody else changed what an action was decided on before it was written; nothing of it was. */
export class ConcurrentChangeError extends Error {
  /** @param refusal what the caller gets when this happens again and again */
  constructor(readonly refusal = new DomainError('INVALID_STATE', { reason: 'IT_MOVES', allowed_actions: ['repeat'] })) {
    super(refusal.message);
  }
}

/** When several acts change one document at once, each round of tries lets one of them through. */
const TRIES = 10;

/**
 * Runs an action that reads, decides and writes, from its reading on again after a concurrent change: the next try succeeds, or refuses
 * by naming the state as it is then.
 * @param tries at most; fewer for an action whose reading is dear
 * @throws DomainError the refusal that the last concurrent change carries, and what the action itself refuses
 */
export async function retryOnConcurrentChange<Result>(action: () => Promise<Result>, tries = TRIES): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof ConcurrentChangeError)) throw error;
      if (attempt === tries) throw error.refusal;
    }
  }
}
