import type { Settings } from '../../../config/settings.js';
import type { SagaPolicy } from '../domain/document.js';

export const SAGA_POLICY = Symbol('SagaPolicy');

/** Waiting times of the saga from the settings, in milliseconds. */
export function sagaPolicy(settings: Settings): SagaPolicy {
  const milliseconds = (seconds: number): number => seconds * 1_000;
  return {
    receptionLadderMs: settings.RECEPTION_LADDER.map(milliseconds),
    authorizationLadderMs: settings.AUTHORIZATION_LADDER.map(milliseconds),
    unansweredWaitMs: milliseconds(settings.SRI_LONGEST_BREAK_SECONDS),
    answerDeadlineMs: milliseconds(settings.ANSWER_DEADLINE_SECONDS),
    maxReceptionAttempts: settings.MAX_RECEPTION_ATTEMPTS,
    recheckEveryMs: milliseconds(settings.RECHECK_SECONDS),
    recheckForMs: milliseconds(settings.RECHECK_DAYS * 86_400),
    cancellationLadderMs: settings.CANCELLATION_LADDER.map(milliseconds),
  };
}
