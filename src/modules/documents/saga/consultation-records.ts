import type { Ids } from '../../../shared/ports.js';
import type { ConsultationAnswer } from '../../../sri/soap/consultation.js';
import { isAnswered } from '../../../sri/soap/unanswered.js';
import type { DocumentState } from '../domain/document.js';
import type { AttemptOutcome, Records } from '../persistence/documents.repository.js';
import { unansweredOutcome } from './attempt-outcome.js';

/**
 * The row that records a question to the SRI's consultation service and its answer.
 * @param startedAt when the question was sent
 */
export function consultationRecords(ids: Ids, { signingNo }: DocumentState, answer: ConsultationAnswer, startedAt: Date): Records {
  return { asked: { ...outcomeOf(ids.uuid(), answer), service: 'consultation', signingNo, startedAt } };
}

function outcomeOf(id: string, answer: ConsultationAnswer): AttemptOutcome {
  if (!isAnswered(answer)) return { id, ...unansweredOutcome(answer) };
  return { id, outcome: answer.kind === 'state' ? answer.estado : answer.kind, messages: answer.messages };
}
