import type { Ids } from '../../../shared/ports.js';
import type { ConsultationAnswer } from '../../../sri/soap/consultation.js';
import type { DocumentState } from '../domain/document.js';
import type { AttemptOutcome, Records } from '../persistence/documents.repository.js';

/**
 * The row that records a question to the SRI's consultation service and its answer.
 * @param startedAt when the question was sent
 */
export function consultationRecords(ids: Ids, { signingNo }: DocumentState, answer: ConsultationAnswer, startedAt: Date): Records {
  return { asked: { ...outcomeOf(ids.uuid(), answer), service: 'consultation', signingNo, startedAt } };
}

function outcomeOf(id: string, answer: ConsultationAnswer): AttemptOutcome {
  switch (answer.kind) {
    case 'state':
      return { id, outcome: answer.estado, messages: answer.messages };
    case 'unknown':
      return { id, outcome: answer.kind, messages: answer.messages };
    case 'not_delivered':
      return { id, outcome: answer.kind, excerpt: answer.reason };
    case 'no_evidence':
      return { id, outcome: `${answer.kind}: ${answer.reason}`, excerpt: answer.excerpt };
  }
}
