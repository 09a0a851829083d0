import type { Ids } from '../../../shared/ports.js';
import type { AuthorizationAnswer } from '../../../sri/soap/authorization.js';
import { isAnswered, isHeard } from '../../../sri/soap/unanswered.js';
import { type Answers, authorizationOf, formerKeys } from '../domain/authorization-finding.js';
import type { DocumentState } from '../domain/document.js';
import type { AttemptOutcome, Records } from '../persistence/documents.repository.js';
import { unansweredOutcome } from './attempt-outcome.js';
import { authorizationWrapper } from './authorization-wrapper.js';

/**
 * Asks the SRI for the authorization of a document by the access keys that it has had, the present one first, until one
 * authorizes it. A question without an answer ends it: that nobody holds the document cannot be known then.
 * @param pastSilence whether to ask on all the same, where the silence may be of one key alone
 */
export async function askAuthorization(state: DocumentState, ask: (accessKey: string) => Promise<AuthorizationAnswer>, pastSilence = false): Promise<Answers> {
  const answer = await ask(state.accessKey);
  const former: AuthorizationAnswer[] = [];
  for (const key of formerKeys(state)) {
    if ((!pastSilence && !isHeard(former.at(-1) ?? answer)) || authorizationOf(state, { answer, former })) break;
    former.push(await ask(key));
  }
  return { answer, former };
}

/** The rows that record a question and its answers. */
export function authorizationRecords(ids: Ids, state: DocumentState, answers: Answers, startedAt: Date): Records {
  const found = authorizationOf(state, answers);
  const { signingNo, accessKey } = found?.signing ?? state;
  return {
    asked: { ...outcomeOf(ids.uuid(), answers), service: 'authorization', signingNo, startedAt },
    ...(found && { authorization: { state: found.entry.estado, xml: authorizationWrapper(found.entry, accessKey) } }),
  };
}

function outcomeOf(id: string, { answer, former = [] }: Answers): AttemptOutcome {
  const all = [answer, ...former];
  const messages = all.flatMap((one) => (one.kind === 'entries' ? one.entries.flatMap((entry) => entry.messages) : []));
  const excerpt = all.map(excerptOf).find((one) => one !== null);
  return {
    id,
    outcome: all.map(summaryOf).join('; former access key: '),
    ...(all.some(({ kind }) => kind === 'entries') && { messages }),
    ...(excerpt !== undefined && { excerpt }),
  };
}

const summaryOf = (answer: AuthorizationAnswer): string =>
  isAnswered(answer) ? answer.entries.map(({ estado }) => estado).join(', ') || 'no entries' : unansweredOutcome(answer).outcome;

const excerptOf = (answer: AuthorizationAnswer): string | null => (isAnswered(answer) ? null : unansweredOutcome(answer).excerpt);
