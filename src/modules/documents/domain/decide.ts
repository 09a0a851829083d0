import { documentDigest } from '../../../sri/document-digest.js';
import type { AuthorizationAnswer, AuthorizationEntry } from '../../../sri/soap/authorization.js';
import { authorizationState, classifyReturned } from '../../../sri/soap/classification.js';
import type { ReceptionAnswer } from '../../../sri/soap/reception.js';
import type { ErrorCode } from '../../../shared/error-catalogue.js';
import { type Decision, type DocumentPatch, type DocumentState, type SagaPolicy, type Work, waitOf } from './document.js';
import { LIFECYCLE, type DocumentStatus, type Trigger } from './lifecycle.js';

/** What a step learned. */
export type Evidence =
  | { readonly kind: 'reception'; readonly answer: ReceptionAnswer }
  | { readonly kind: 'authorization'; readonly answer: AuthorizationAnswer }
  /** The worker that was sending vanished: the document may or may not have arrived. */
  | { readonly kind: 'worker_lost' };

/**
 * Decides what an answer of the SRI means for a document. Pure: the shell writes
 * the decision. The rule above all: without evidence nothing is ever authorized
 * or refused, and nothing is sent again before the SRI was asked.
 */
export function decide(document: DocumentState, evidence: Evidence, now: Date, policy: SagaPolicy): Decision {
  switch (evidence.kind) {
    case 'reception':
      return decideReception(document, evidence.answer, now, policy);
    case 'authorization':
      return decideAuthorization(document, evidence.answer, now, policy);
    case 'worker_lost':
      return { moves: [{ trigger: 'no_evidence', detail: { reason: 'worker_lost' } }], patch: {}, work: ask(now) };
  }
}

/** Knocking at a closed door costs the SRI nothing, and the rest of the emission point waits behind it. */
const MAX_UNDELIVERED_WAIT_MS = 60_000;

const ask = (dueAt: Date): Work => ({ step: 'authorize', dueAt, unsent: false });
const after = (now: Date, milliseconds: number): Date => new Date(now.getTime() + milliseconds);
const problem = (errorCode: ErrorCode, errorDetail: unknown = null): DocumentPatch => ({ errorCode, errorDetail });
const SOLVED: DocumentPatch = { errorCode: null, errorDetail: null, suspicion: null };

function decideReception(document: DocumentState, answer: ReceptionAnswer, now: Date, policy: SagaPolicy): Decision {
  const retryAt = after(now, waitOf(policy.receptionLadderMs, document.receptionAttempts - 1));
  switch (answer.kind) {
    case 'received':
      return held(document, 'received', now, policy, { sriMessages: answer.messages });
    case 'not_delivered': {
      const dueAt = retryAt.getTime() - now.getTime() > MAX_UNDELIVERED_WAIT_MS ? after(now, MAX_UNDELIVERED_WAIT_MS) : retryAt;
      // Nothing arrived: it keeps its place, the later numbers of its emission point wait behind it.
      return { moves: [{ trigger: 'not_delivered', detail: { reason: answer.reason } }], patch: {}, work: { step: 'submit', dueAt, unsent: true } };
    }
    case 'no_evidence':
      return {
        moves: [{ trigger: 'no_evidence', detail: { reason: answer.reason } }],
        patch: { authorizationAttempts: 0 },
        work: ask(after(now, waitOf(policy.authorizationLadderMs, 0))),
      };
    case 'returned': {
      const { messages } = answer;
      const meaning = classifyReturned(messages);
      switch (meaning.class) {
        case 'held_by_sri':
          return held(document, 'held_by_sri', now, policy, { sriMessages: messages });
        case 'sequential_taken':
          return {
            moves: [{ trigger: 'sequential_taken' }],
            patch: { suspicion: 'SEQUENTIAL_TAKEN', sriMessages: messages, authorizationAttempts: 0 },
            work: ask(now),
          };
        case 'transient':
          return { moves: [{ trigger: 'transient' }], patch: { sriMessages: messages }, work: { step: 'submit', dueAt: retryAt, unsent: false } };
        case 'refused':
        case 'blocked':
          return refused(messages);
      }
    }
  }
}

/** The SRI holds the document: from now on it is only asked. */
function held(document: DocumentState, trigger: 'received' | 'held_by_sri', now: Date, policy: SagaPolicy, patch: DocumentPatch): Decision {
  return {
    moves: [{ trigger }, { trigger: 'awaiting' }],
    patch: { ...patch, ...SOLVED, receivedAt: document.receivedAt ?? now, deadlineAt: after(now, policy.answerDeadlineMs), authorizationAttempts: 0 },
    work: ask(after(now, waitOf(policy.authorizationLadderMs, 0))),
  };
}

function refused(messages: AuthorizationEntry['messages']): Decision {
  return { moves: [{ trigger: 'refused' }], patch: { ...problem('SRI_REJECTED'), suspicion: null, sriMessages: messages }, work: null };
}

function decideAuthorization(document: DocumentState, answer: AuthorizationAnswer, now: Date, policy: SagaPolicy): Decision {
  if (answer.kind !== 'entries') return undecided(document, answer.reason, now, policy, false);
  const { entries } = answer;

  const ours = authorizationOf(document, answer);
  if (ours) return authorizedBy(document, ours);
  if (entries.some(isAuthorization)) return mismatch(document, now, policy);

  if (entries.some((entry) => authorizationState(entry.estado) === 'in_process')) {
    return document.status === 'RECEPTION_UNKNOWN'
      ? held(document, 'held_by_sri', now, policy, {})
      : undecided(document, 'in_process', now, policy, true);
  }
  const refusal = entries
    .filter((entry) => authorizationState(entry.estado) === 'refused' && concernsCurrentSigning(document, entry))
    .reduce(latest, null);
  if (refusal) return refused(refusal.messages);
  // An entry that neither authorizes nor refuses what we sent says nothing about it.
  if (entries.length > 0 && document.status !== 'RECEPTION_UNKNOWN') return undecided(document, 'no_usable_entry', now, policy, true);
  return document.status === 'RECEPTION_UNKNOWN' ? notFound(document, now, policy) : undecided(document, 'empty', now, policy, true);
}

const isAuthorization = (entry: AuthorizationEntry): boolean => authorizationState(entry.estado) === 'authorized';

/** The entry that authorizes this document, among all that the SRI returned; any such entry wins over every other. */
export function authorizationOf(document: DocumentState, answer: AuthorizationAnswer): AuthorizationEntry | undefined {
  return answer.kind === 'entries' ? answer.entries.find((entry) => isAuthorization(entry) && isOurs(document, entry)) : undefined;
}

/** AUTHORIZED only for our own key and for bytes that we sent. */
function isOurs(document: DocumentState, entry: AuthorizationEntry): boolean {
  if (entry.numeroAutorizacion !== null && entry.numeroAutorizacion !== document.accessKey) return false;
  if (entry.comprobante === null) return false;
  const digest = documentDigest(entry.comprobante);
  return document.sentDigests.some((sent) => sent.digest === digest);
}

/** A refusal of an older signing says nothing about the current one. */
function concernsCurrentSigning(document: DocumentState, entry: AuthorizationEntry): boolean {
  if (entry.comprobante === null) return document.signingNo <= 1;
  const digest = documentDigest(entry.comprobante);
  return document.sentDigests.some((sent) => sent.signingNo === document.signingNo && sent.digest === digest);
}

function latest(best: AuthorizationEntry | null, entry: AuthorizationEntry): AuthorizationEntry {
  if (best === null || best.fechaAutorizacion === null || entry.fechaAutorizacion === null) return entry;
  return Date.parse(entry.fechaAutorizacion) >= Date.parse(best.fechaAutorizacion) ? entry : best;
}

function authorizedBy(document: DocumentState, entry: AuthorizationEntry): Decision {
  const date = entry.fechaAutorizacion === null ? Number.NaN : Date.parse(entry.fechaAutorizacion);
  return {
    moves: [{ trigger: 'authorized' }],
    patch: {
      ...SOLVED,
      authorizationNumber: document.accessKey,
      ...(Number.isNaN(date) ? {} : { authorizationDate: new Date(date).toISOString() }),
      sriMessages: entry.messages,
    },
    work: null,
  };
}

/** The SRI authorized other bytes under our key: nothing we may decide alone. */
function mismatch(document: DocumentState, now: Date, policy: SagaPolicy): Decision {
  if (!hasMove(document.status, 'mismatch')) return undecided(document, 'mismatch', now, policy, false);
  return { moves: [{ trigger: 'mismatch' }], patch: problem('ANSWER_MISMATCH', { suggested_action: 'contact_support' }), work: null };
}

/** Empty answers in a row, minutes apart in the end, before a number counts as taken by another document. */
const ASKS_BEFORE_TAKEN = 4;

/** Asked by key, and the SRI knows nothing: the same bytes may go again. */
function notFound(document: DocumentState, now: Date, policy: SagaPolicy): Decision {
  if (document.suspicion === 'SEQUENTIAL_TAKEN') {
    // An earlier sending that got no answer may itself have taken the number, and the SRI be still at work on it.
    if (document.receptionAttempts > 1 && document.authorizationAttempts < ASKS_BEFORE_TAKEN) return undecided(document, 'empty', now, policy, true);
    return {
      moves: [{ trigger: 'sequential_taken' }],
      patch: problem('SEQUENTIAL_TAKEN', { suggested_action: 'raise_counter_then_abandon' }),
      work: null,
    };
  }
  return {
    moves: [{ trigger: 'not_found' }],
    patch: {},
    work: { step: 'submit', dueAt: after(now, waitOf(policy.receptionLadderMs, document.receptionAttempts - 1)), unsent: false },
  };
}

/**
 * No decision yet. The deadline counts only answers that show the SRI at work
 * (`answered`): an authority that is down leaves the document waiting.
 */
function undecided(document: DocumentState, reason: string, now: Date, policy: SagaPolicy, answered: boolean): Decision {
  const attempts = document.authorizationAttempts + 1;
  const work = ask(after(now, waitOf(policy.authorizationLadderMs, attempts)));
  const patch: DocumentPatch = { authorizationAttempts: attempts };
  switch (document.status) {
    case 'AUTHORIZATION_PENDING':
      return { moves: [{ trigger: 'undecided', detail: { reason } }], patch, work };
    case 'AUTHORIZATION_RETRY_SCHEDULED':
      if (answered && document.deadlineAt !== null && now >= document.deadlineAt) {
        return {
          moves: [{ trigger: 'overdue' }, { trigger: 'gave_up' }],
          patch: { ...patch, ...problem('ANSWER_OVERDUE', { suggested_action: 'reconcile' }) },
          work: null,
        };
      }
      return { moves: [], patch, work };
    default:
      return { moves: [], patch, work };
  }
}

function hasMove(status: DocumentStatus, trigger: Trigger): boolean {
  return trigger in LIFECYCLE[status].moves;
}
