import type { Ids } from '../../../shared/ports.js';
import type { ConsultationAnswer } from '../../../sri/soap/consultation.js';
import { isAnswered } from '../../../sri/soap/unanswered.js';
import type { ConsultedAnswer } from '../domain/cancellation.js';
import type { DocumentState } from '../domain/document.js';
import type { AttemptOutcome, Records } from '../persistence/documents.repository.js';
import { unansweredOutcome } from './attempt-outcome.js';

/**
 * The row that records a question to the SRI's consultation service and its answer.
 * @param startedAt when the question was sent
 * @param former answers to the same question under former access keys
 */
export function consultationRecords(ids: Ids, { signingNo }: DocumentState, answer: ConsultationAnswer, startedAt: Date, former: readonly ConsultedAnswer[] = []): Records {
  return { asked: { ...outcomeOf(ids.uuid(), answer, former), service: 'consultation', signingNo, startedAt } };
}

function outcomeOf(id: string, answer: ConsultationAnswer, former: readonly ConsultedAnswer[]): AttemptOutcome {
  if (!isAnswered(answer)) return { id, ...unansweredOutcome(answer) };
  const all = [answer, ...former];
  const outcome = all.map((one) => (one.kind === 'state' ? one.estado : one.kind)).join('; former access key: ');
  return { id, outcome, messages: all.flatMap(({ messages }) => messages) };
}
