import { documentDigest } from '../../../sri/document-digest.js';
import type { AuthorizationAnswer, AuthorizationEntry } from '../../../sri/soap/authorization.js';
import { authorizationState, classifyRefused, classifyReturned, type Verdict } from '../../../sri/soap/classification.js';
import type { SriMessage } from '../../../sri/soap/message.js';
import type { ReceptionAnswer } from '../../../sri/soap/reception.js';
import type { ErrorCode } from '../../../shared/error-catalogue.js';
import { type Decision, type DocumentPatch, type DocumentState, type Move, type SagaPolicy, type Signing, type Work, waitOf } from './document.js';
import { LIFECYCLE, type DocumentStatus, type Trigger } from './lifecycle.js';

/** What a step learned. */
export type Evidence =
  | { readonly kind: 'reception'; readonly answer: ReceptionAnswer }
  | ({ readonly kind: 'authorization' } & Answers)
  /** The worker that was sending vanished: the document may or may not have arrived. */
  | { readonly kind: 'worker_lost' };

/** What the SRI says of a document. */
export interface Answers {
  /** Asked by its access key. */
  readonly answer: AuthorizationAnswer;
  /** Asked by `formerKeys`, in their order. Left out where there are none, or where `answer` authorizes. */
  readonly former?: readonly AuthorizationAnswer[];
}

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
      return decideAuthorization(document, evidence, now, policy);
    case 'worker_lost':
      return { moves: [{ trigger: 'no_evidence', detail: { reason: 'worker_lost' } }], patch: { deadlineAt: after(now, policy.answerDeadlineMs) }, work: ask(now) };
  }
}

const ask = (dueAt: Date): Work => ({ step: 'authorize', dueAt, unsent: false });
const after = (now: Date, milliseconds: number): Date => new Date(now.getTime() + milliseconds);
const problem = (errorCode: ErrorCode, errorDetail: unknown = null): DocumentPatch => ({ errorCode, errorDetail });
const SOLVED: DocumentPatch = { errorCode: null, errorDetail: null, suspicion: null };

function decideReception(document: DocumentState, answer: ReceptionAnswer, now: Date, policy: SagaPolicy): Decision {
  const retryAt = after(now, waitOf(policy.receptionLadderMs, document.receptionAttempts - 1));
  switch (answer.kind) {
    case 'received':
      return held(document, 'received', now, policy, { sriMessages: answer.messages });
    case 'not_delivered':
      return undelivered(answer.reason, retryAt, now, policy);
    case 'no_evidence':
      return {
        moves: [{ trigger: 'no_evidence', detail: { reason: answer.reason } }],
        patch: { authorizationAttempts: 0, deadlineAt: after(now, policy.answerDeadlineMs) },
        work: ask(notBefore(after(now, waitOf(policy.authorizationLadderMs, 0)), answer, now, policy)),
      };
    case 'returned': {
      const { messages } = answer;
      const verdict = classifyReturned(messages);
      switch (verdict.class) {
        case 'held_by_sri':
          return held(document, 'held_by_sri', now, policy, { sriMessages: messages });
        case 'sequential_taken':
          return {
            moves: [{ trigger: 'sequential_taken' }],
            patch: { suspicion: 'SEQUENTIAL_TAKEN', sriMessages: messages, authorizationAttempts: 0, deadlineAt: after(now, policy.answerDeadlineMs) },
            work: ask(now),
          };
        case 'transient':
          if (document.receptionAttempts >= policy.maxReceptionAttempts) {
            return exhausted(document, [{ trigger: 'transient' }, { trigger: 'gave_up' }], { sriMessages: messages }, now, policy);
          }
          return { moves: [{ trigger: 'transient' }], patch: { sriMessages: messages }, work: { step: 'submit', dueAt: retryAt, unsent: false } };
        case 'refused':
        case 'blocked':
          return refused(document, 'reception', messages, verdict, now, policy);
      }
    }
  }
}

/** Nothing arrived: it keeps its place, the later numbers of its emission point wait behind it. */
function undelivered(reason: string, retryAt: Date, now: Date, policy: SagaPolicy): Decision {
  return {
    moves: [{ trigger: 'not_delivered', detail: { reason } }],
    patch: {},
    work: { step: 'submit', dueAt: knockAgain(retryAt, now, policy.unansweredWaitMs), unsent: true },
  };
}

/** An outage of hours must not leave a document waiting for hours more: the ladder is climbed no higher than `latest`. */
function knockAgain(dueAt: Date, now: Date, longestMs: number): Date {
  const latest = after(now, longestMs);
  return dueAt < latest ? dueAt : latest;
}

/** What the SRI asks for (`Retry-After`) is heeded, up to the longest wait for a question that it does not answer. */
function notBefore(dueAt: Date, { retryAfterSeconds }: { readonly retryAfterSeconds?: number }, now: Date, policy: SagaPolicy): Date {
  const asked = after(now, Math.min((retryAfterSeconds ?? 0) * 1_000, QUESTION_TO_KNOCK * policy.unansweredWaitMs));
  return dueAt < asked ? asked : dueAt;
}

/** Knocking at a closed door costs the SRI nothing, a question that it does not answer does: longest waits, as one to this. */
const QUESTION_TO_KNOCK = 15;

/** The SRI holds the document: from now on it is only asked. */
function held(document: DocumentState, trigger: 'received' | 'held_by_sri', now: Date, policy: SagaPolicy, patch: DocumentPatch): Decision {
  return {
    moves: [{ trigger }, { trigger: 'awaiting' }],
    patch: { ...patch, ...SOLVED, receivedAt: document.receivedAt ?? now, deadlineAt: after(now, policy.answerDeadlineMs), authorizationAttempts: 0 },
    work: ask(after(now, waitOf(policy.authorizationLadderMs, 0))),
  };
}

/** @param service who refused: what authorization refuses stays registered under the access key */
function refused(document: DocumentState, service: 'reception' | 'authorization', messages: readonly SriMessage[], verdict: Verdict, now: Date, policy: SagaPolicy): Decision {
  return {
    moves: [{ trigger: 'refused', detail: { service } }],
    patch: { ...problem('SRI_REJECTED'), suspicion: null, sriMessages: messages },
    work: recheck(document, now, policy),
    ...(verdict.scope !== undefined && verdict.code !== null && { pause: { scope: verdict.scope, code: verdict.code, threshold: 1 } }),
  };
}

function exhausted(document: DocumentState, moves: readonly Move[], patch: DocumentPatch, now: Date, policy: SagaPolicy): Decision {
  return { moves, patch: { ...patch, ...problem('ATTEMPTS_EXHAUSTED', { suggested_action: 'retry' }) }, work: recheck(document, now, policy) };
}

/** A decided document is compared with the SRI daily for a while: an authorization found late wins (ficha técnica §5.11). */
export function recheck({ firstSentAt, signings }: DocumentState, now: Date, policy: SagaPolicy): Work | null {
  if (firstSentAt === null) return null;
  // A correction or a retry of weeks later was sent again since.
  const lastSigning = signings.at(-1)?.signedAt ?? firstSentAt;
  if (now >= after(lastSigning > firstSentAt ? lastSigning : firstSentAt, policy.recheckForMs)) return null;
  return { ...ask(after(now, policy.recheckEveryMs)), recheck: true };
}

/** Access keys that the document had before a correction gave it another date: the SRI may have taken what was sent under one. */
export const formerKeys = ({ accessKey, signings }: DocumentState): readonly string[] =>
  [...new Set(signings.map((signing) => signing.accessKey))].filter((key) => key !== accessKey);

/** What the authorization service says about the document as it was last signed. */
type Finding =
  | ({ readonly kind: 'authorized' } & Authorization)
  /** Authorized under our key, but not the bytes we sent. */
  | { readonly kind: 'mismatch' }
  | { readonly kind: 'in_process' }
  | { readonly kind: 'refused'; readonly messages: readonly SriMessage[] }
  /** Asked by key: nothing there, or only refusals of older signings. */
  | { readonly kind: 'absent' }
  /** Not there, but the SRI is at work on what was sent under a former key: of one number it takes one document. */
  | { readonly kind: 'former_in_process' }
  /** An entry that neither authorizes nor refuses. */
  | { readonly kind: 'unusable' }
  | { readonly kind: 'no_answer'; readonly reason: string; readonly retryAfterSeconds?: number };

function findingOf(document: DocumentState, { answer, former = [] }: Answers): Finding {
  const found = findingUnderKey(document, answer);
  if (found.kind === 'authorized' || former.length === 0) return found;
  const before = former.map((one) => findingUnderKey(document, one));
  const told = (kind: Finding['kind']): Finding | undefined => before.find((one) => one.kind === kind);
  const authorized = told('authorized');
  if (authorized) return authorized;
  if (found.kind !== 'absent') return found;
  if (told('in_process')) return { kind: 'former_in_process' };
  // That nobody holds it is known only once every question had an answer that says so.
  return told('mismatch') ?? told('no_answer') ?? told('unusable') ?? found;
}

function findingUnderKey(document: DocumentState, answer: AuthorizationAnswer): Finding {
  if (answer.kind === 'no_evidence') return { ...answer, kind: 'no_answer' };
  if (answer.kind === 'not_delivered') return { kind: 'no_answer', reason: answer.reason };
  const { entries } = answer;
  const authorization = authorizationIn(document, answer);
  if (authorization) return { kind: 'authorized', ...authorization };
  if (entries.some(isAuthorization)) return { kind: 'mismatch' };
  const states = new Set(entries.map(({ estado }) => authorizationState(estado)));
  if (states.has('in_process')) return { kind: 'in_process' };
  const refusal = entries
    .filter((one) => authorizationState(one.estado) === 'refused' && concernsCurrentSigning(document, one))
    .reduce(latest, null);
  if (refusal) return { kind: 'refused', messages: refusal.messages };
  return states.has('unknown') ? { kind: 'unusable' } : { kind: 'absent' };
}

function decideAuthorization(document: DocumentState, answers: Answers, now: Date, policy: SagaPolicy): Decision {
  const found = findingOf(document, answers);
  const { status } = document;
  switch (found.kind) {
    case 'authorized':
      return authorizedBy(document, found);
    case 'mismatch':
      if (!hasMove(status, 'mismatch')) return wait(document, found.kind, now, policy);
      return { moves: [{ trigger: 'mismatch' }], patch: problem('ANSWER_MISMATCH', { suggested_action: 'contact_support' }), work: recheck(document, now, policy) };
    case 'in_process':
      return hasMove(status, 'held_by_sri') ? held(document, 'held_by_sri', now, policy, {}) : wait(document, found.kind, now, policy);
    case 'refused':
      // What is about to be signed anew was refused before: that verdict is known and spent.
      if (!hasMove(status, 'refused') || awaitsSignature(document)) return wait(document, found.kind, now, policy);
      return refused(document, 'authorization', found.messages, classifyRefused(found.messages), now, policy);
    case 'absent':
      return status === 'RECEPTION_UNKNOWN' || status === 'RECEPTION_RETRY_SCHEDULED' ? notFound(document, now, policy) : wait(document, found.kind, now, policy);
    case 'former_in_process':
    case 'unusable':
      return wait(document, found.kind, now, policy);
    case 'no_answer':
      return wait(document, found.reason, now, policy, found);
  }
}

/** Whether it is signed anew before anything is sent again. Of what is under way the answer counts, whatever was signed. */
export const awaitsSignature = ({ status, isResigning }: DocumentState): boolean => isResigning && (status === 'RECEPTION_RETRY_SCHEDULED' || isAtRest(status));

/** Nothing goes on until somebody acts. */
export const isAtRest = (status: DocumentStatus): boolean => status === 'MANUAL_REVIEW_REQUIRED' || status === 'FAILED_PERMANENT';

/** Moves that only say "still waiting", or for too long. */
const WAITING: readonly Trigger[] = ['undecided', 'overdue', 'gave_up'];

/**
 * What a caller's own question to the SRI changes: a verdict is written, anything
 * less leaves the document and its due work exactly as they are.
 */
export function decideReconciliation(document: DocumentState, answers: Answers, now: Date, policy: SagaPolicy): Decision {
  const decision = decideAuthorization(document, answers, now, policy);
  const [first] = decision.moves;
  return first === undefined || WAITING.includes(first.trigger) ? { moves: [], patch: {}, work: null, keepWork: true } : decision;
}

const isAuthorization = (entry: AuthorizationEntry): boolean => authorizationState(entry.estado) === 'authorized';

/** An entry that authorizes a document, and the signing whose bytes it authorizes. */
export interface Authorization {
  readonly entry: AuthorizationEntry;
  readonly signing: Signing;
}

/** What authorizes this document among all that the SRI returned; it wins over everything else. */
export function authorizationOf(document: DocumentState, { answer, former = [] }: Answers): Authorization | undefined {
  for (const one of [answer, ...former]) {
    const authorization = authorizationIn(document, one);
    if (authorization) return authorization;
  }
  return undefined;
}

/** AUTHORIZED only for a key of our own and for bytes that we sent under it. */
function authorizationIn(document: DocumentState, answer: AuthorizationAnswer): Authorization | undefined {
  if (answer.kind !== 'entries') return undefined;
  for (const entry of answer.entries.filter(isAuthorization)) {
    const signing = signingsOf(document, entry).find(({ accessKey }) => entry.numeroAutorizacion === null || entry.numeroAutorizacion === accessKey);
    if (signing) return { entry, signing };
  }
  return undefined;
}

/** The signings whose bytes the entry holds. */
function signingsOf({ signings }: DocumentState, { comprobante }: AuthorizationEntry): readonly Signing[] {
  if (comprobante === null) return [];
  const digest = documentDigest(comprobante);
  return signings.filter((sent) => sent.digest === digest);
}

/** A refusal of an older signing says nothing about the current one. */
function concernsCurrentSigning(document: DocumentState, entry: AuthorizationEntry): boolean {
  if (entry.comprobante === null) return document.signingNo <= 1;
  return signingsOf(document, entry).some(({ signingNo }) => signingNo === document.signingNo);
}

function latest(best: AuthorizationEntry | null, entry: AuthorizationEntry): AuthorizationEntry {
  if (best === null || best.fechaAutorizacion === null || entry.fechaAutorizacion === null) return entry;
  return Date.parse(entry.fechaAutorizacion) >= Date.parse(best.fechaAutorizacion) ? entry : best;
}

/** Why an authorization needs a person: the SRI authorized what a correction had replaced since. */
export const FORMER_CONTENT = 'former_content';

/** What the record has to become again: it says what the SRI authorized. Of a signing whose content is not known nothing can be said. */
function formerContent({ contentRevision }: DocumentState, signing: Signing): Decision['restore'] {
  const signed = signing.contentRevision;
  return signed === null || signed === contentRevision ? undefined : { ...signing, contentRevision: signed };
}

function authorizedBy(document: DocumentState, { entry, signing }: Authorization): Decision {
  const date = entry.fechaAutorizacion === null ? Number.NaN : Date.parse(entry.fechaAutorizacion);
  const restore = formerContent(document, signing);
  return {
    moves: [{ trigger: 'authorized', ...(restore && { detail: { reason: FORMER_CONTENT } }) }],
    patch: {
      ...SOLVED,
      authorizationNumber: signing.accessKey,
      ...(Number.isNaN(date) ? {} : { authorizationDate: new Date(date).toISOString() }),
      ...(signing.signingNo !== document.signingNo && { signingNo: signing.signingNo }),
      sriMessages: entry.messages,
    },
    work: null,
    ...(restore && { restore }),
  };
}

/** After so many documents in a row whose number the SRI gave to others, the counter is wrong: the emission point stops. */
const TAKEN_IN_A_ROW = 3;

/** Empty answers in a row, minutes apart in the end, before a number counts as taken by another document. */
const ASKS_BEFORE_TAKEN = 4;

/** Asked by key, and the SRI knows nothing: the same bytes may go again. */
function notFound(document: DocumentState, now: Date, policy: SagaPolicy): Decision {
  if (document.suspicion === 'SEQUENTIAL_TAKEN') {
    // An earlier sending that got no answer may itself have taken the number, and the SRI be still at work on it; after a
    // correction the attempts are counted anew.
    if ((document.receptionAttempts > 1 || document.signings.length > 1) && document.authorizationAttempts < ASKS_BEFORE_TAKEN) return wait(document, 'absent', now, policy);
    return {
      moves: [{ trigger: 'sequential_taken' }],
      patch: problem('SEQUENTIAL_TAKEN', { suggested_action: 'raise_counter_then_abandon' }),
      work: recheck(document, now, policy),
      pause: { scope: 'emission_point', code: '45', threshold: TAKEN_IN_A_ROW },
    };
  }
  if (document.receptionAttempts >= policy.maxReceptionAttempts) return exhausted(document, [{ trigger: 'gave_up' }], {}, now, policy);
  return {
    moves: document.status === 'RECEPTION_UNKNOWN' ? [{ trigger: 'not_found' }] : [],
    patch: {},
    work: { step: 'submit', dueAt: after(now, waitOf(policy.receptionLadderMs, document.receptionAttempts - 1)), unsent: false },
  };
}

/**
 * No decision yet. The deadline counts only answers that show the SRI at work
 * (not `unanswered`): an authority that is down leaves the document waiting.
 */
function wait(document: DocumentState, reason: string, now: Date, policy: SagaPolicy, unanswered?: { readonly retryAfterSeconds?: number }): Decision {
  const answered = unanswered === undefined;
  const attempts = document.authorizationAttempts + 1;
  const nextAsk = after(now, waitOf(policy.authorizationLadderMs, attempts));
  const work = ask(answered ? nextAsk : notBefore(knockAgain(nextAsk, now, QUESTION_TO_KNOCK * policy.unansweredWaitMs), unanswered, now, policy));
  const patch: DocumentPatch = { authorizationAttempts: attempts };
  const isOverdue = answered && document.deadlineAt !== null && now >= document.deadlineAt;
  const overdue = (...moves: Move[]): Decision => ({
    moves, patch: { ...patch, ...problem('ANSWER_OVERDUE', { suggested_action: 'reconcile' }) }, work: recheck(document, now, policy),
  });
  switch (document.status) {
    case 'AUTHORIZATION_PENDING':
      return { moves: [{ trigger: 'undecided', detail: { reason } }], patch, work };
    case 'AUTHORIZATION_RETRY_SCHEDULED':
      return isOverdue ? overdue({ trigger: 'overdue' }, { trigger: 'gave_up' }) : { moves: [], patch, work };
    case 'RECEPTION_UNKNOWN':
    // Asked before it is sent again, after a retry.
    case 'RECEPTION_RETRY_SCHEDULED':
      return isOverdue ? overdue({ trigger: 'gave_up' }) : { moves: [], patch, work };
    case 'REJECTED':
    case 'FAILED_PERMANENT':
    case 'MANUAL_REVIEW_REQUIRED':
      return { moves: [], patch: {}, work: recheck(document, now, policy) };
    default:
      return { moves: [], patch, work };
  }
}

function hasMove(status: DocumentStatus, trigger: Trigger): boolean {
  return trigger in LIFECYCLE[status].moves;
}
