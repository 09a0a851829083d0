import { classifyRefused, classifyReturned, refusesDate, type Verdict } from '../../../sri/soap/classification.js';
import type { SriMessage } from '../../../sri/soap/message.js';
import type { ReceptionAnswer } from '../../../sri/soap/reception.js';
import type { ErrorCode } from '../../../shared/error-catalogue.js';
import { suggest } from '../../../shared/suggested-actions.js';
import { type Answers, type Authorization, type AuthorizationFinding, findingOf, instantOf } from './authorization-finding.js';
import { type Decision, type DocumentPatch, type DocumentState, type Move, type Pause, type SagaPolicy, type Signing, stillToSign, type Work, waitOf } from './document.js';
import { isSettled, LIFECYCLE, type DocumentStatus, type Trigger } from './lifecycle.js';
import { deadlinePastSilence } from './silence.js';

/** What a step learned. */
export type Evidence =
  | { readonly kind: 'reception'; readonly answer: ReceptionAnswer }
  | ({ readonly kind: 'authorization' } & Answers)
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
      return decideAuthorization(document, evidence, now, policy);
    case 'worker_lost':
      return { moves: [{ trigger: 'no_evidence', detail: { reason: 'worker_lost' } }], patch: { authorizationAttempts: 0, deadlineAt: after(now, policy.answerDeadlineMs) }, work: ask(now) };
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
          return refused(document, 'reception', messages, verdict, decidedNow(now), now, policy);
      }
    }
  }
}

/**
 * Nothing arrived: it keeps its place, and the later numbers of its emission point wait for it. An outage of hours must not leave
 * it waiting for hours more: the ladder is climbed no higher than the longest wait.
 */
function undelivered(reason: string, retryAt: Date, now: Date, policy: SagaPolicy): Decision {
  return {
    moves: [{ trigger: 'not_delivered', detail: { reason } }],
    patch: {},
    work: { step: 'submit', dueAt: notAfter(retryAt, after(now, policy.unansweredWaitMs)), unsent: true },
  };
}

const notAfter = (dueAt: Date, latest: Date): Date => (dueAt < latest ? dueAt : latest);

/** What the SRI asks for (`Retry-After`) is heeded, up to the longest wait before a query. */
function notBefore(dueAt: Date, { retryAfterSeconds }: { readonly retryAfterSeconds?: number }, now: Date, policy: SagaPolicy): Date {
  const asked = after(now, Math.min((retryAfterSeconds ?? 0) * 1_000, longestQueryWaitMs(policy)));
  return dueAt < asked ? asked : dueAt;
}

/**
 * The longest wait before a query is this many times that before a transmission: a transmission that does not arrive costs the SRI
 * nothing, a query that it does not answer does.
 */
const QUERY_WAIT_FACTOR = 15;
const longestQueryWaitMs = (policy: SagaPolicy): number => QUERY_WAIT_FACTOR * policy.unansweredWaitMs;

/** The SRI holds the document: from now on it is only asked. */
function held(document: DocumentState, trigger: 'received' | 'held_by_sri', now: Date, policy: SagaPolicy, patch: DocumentPatch): Decision {
  return {
    moves: [{ trigger }, { trigger: 'awaiting' }],
    patch: { ...patch, ...SOLVED, receivedAt: document.receivedAt ?? now, deadlineAt: after(now, policy.answerDeadlineMs), authorizationAttempts: 0 },
    work: ask(after(now, waitOf(policy.authorizationLadderMs, 0))),
  };
}

/** @param service who refused: what authorization refuses stays registered under the access key */
function refused(document: DocumentState, service: 'reception' | 'authorization', messages: readonly SriMessage[], verdict: Verdict, decided: Decided, now: Date, policy: SagaPolicy): Decision {
  return {
    moves: [{ trigger: 'refused', detail: { service } }],
    patch: { ...problem('SRI_REJECTED', remedyOf(verdict, (service === 'authorization' || document.isDateFixed) && refusesDate(messages))), suspicion: null, sriMessages: messages },
    work: recheck(document, now, policy),
    ...(verdict.scope !== undefined && verdict.code !== null && { pause: { scope: verdict.scope, code: verdict.code, threshold: 1, ...decided } }),
  };
}

/**
 * What a refusal asks for: a signature or a block is no fault of the content.
 * @param isTooLate the issue date is refused, and may not change: nothing mends it under this number
 */
function remedyOf({ mendable, scope, code, ours }: Verdict, isTooLate: boolean): object {
  if (isTooLate) return suggest('abandon', { reason: 'date_is_fixed' });
  if (ours === true) return suggest('contact_support');
  if (mendable === undefined) return suggest('correct');
  return scope === undefined ? suggest('retry') : suggest('resume_pause_then_retry', { scope, sri_code: code });
}

type Decided = Pick<Pause, 'decidedAt' | 'by'>;

const decidedNow = (now: Date): Decided => ({ decidedAt: now, by: 'worker' });

/** As the SRI says, unless its clock is late: not before the document was last signed or sent. */
function decidedWhen(document: DocumentState, told: Date | null, now: Date): Decided {
  const handedOver = handedOverAt(document);
  if (told !== null && told > handedOver) return { decidedAt: told, by: 'sri' };
  return { decidedAt: handedOver < now ? handedOver : now, by: 'worker' };
}

/** When the bytes that the SRI decides on were made or first sent: what was corrected or retried weeks later was signed then. */
const handedOverAt = ({ firstSentAt, signings }: DocumentState): Date => latestOf(firstSentAt, signings.at(-1)?.signedAt);

const latestOf = (...instants: readonly (Date | null | undefined)[]): Date => instants.reduce<Date>((last, one) => (one && one > last ? one : last), new Date(0));

function exhausted(document: DocumentState, moves: readonly Move[], patch: DocumentPatch, now: Date, policy: SagaPolicy): Decision {
  return { moves, patch: { ...patch, ...problem('ATTEMPTS_EXHAUSTED', suggest('retry')) }, work: recheck(document, now, policy) };
}

/**
 * A decided document is compared with the SRI daily for a while: an authorization found late wins (ficha técnica §5.11).
 * @param isAtWork whether the SRI is at work on a sending of it: then its verdict is hours away, not days
 */
export function recheck(document: DocumentState, now: Date, policy: SagaPolicy, isAtWork = false): Work | null {
  if (document.firstSentAt === null || now >= after(handedOverAt(document), policy.recheckForMs)) return null;
  return { ...ask(after(now, isAtWork ? Math.min(SOON_DECIDED_MS, policy.recheckEveryMs) : policy.recheckEveryMs)), recheck: true };
}

const SOON_DECIDED_MS = 3_600_000;
const saysAtWork = (reason: string): boolean => reason === 'in_process' || reason === 'former_in_process';

/** Whether the SRI says that it is at work on a sending of the document. */
export const isAtWorkOn = (document: DocumentState, answers: Answers): boolean => saysAtWork(findingOf(document, answers).kind);

function decideAuthorization(asked: DocumentState, answers: Answers, now: Date, policy: SagaPolicy): Decision {
  const found = findingOf(asked, answers);
  const deadlineAt = deadlinePastSilence(asked, now);
  const decision = decideFinding({ ...asked, deadlineAt }, found, now, policy);
  const nextAt = decision.work?.dueAt;
  const extended = isSilence(asked, found, now, policy) && nextAt instanceof Date ? deadlinePastSilence(asked, now, nextAt) : deadlineAt;
  return extended === asked.deadlineAt ? decision : { ...decision, patch: { deadlineAt: extended, ...decision.patch } };
}

/**
 * Silence of so many times the time that the SRI has to decide (a week) is no outage any more: it answers others, and of this key
 * says nothing that can be read.
 */
const LONGEST_SILENCE = 7;

/** An answer that proves nothing is none, but the SRI is not away: it may say the same for ever. So it may of one key alone. */
function isSilence(document: DocumentState, found: AuthorizationFinding, now: Date, policy: SagaPolicy): boolean {
  return found.kind === 'no_answer' && found.isHeard !== true && !isSilenceOfItsOwn(document, now, policy);
}

/** Whether it was handed over so long ago that silence is read as being of this document alone. */
export const isSilenceOfItsOwn = (document: DocumentState, now: Date, policy: SagaPolicy): boolean =>
  now >= after(latestOf(handedOverAt(document), document.receivedAt), LONGEST_SILENCE * policy.answerDeadlineMs);

function decideFinding(document: DocumentState, found: AuthorizationFinding, now: Date, policy: SagaPolicy): Decision {
  const { status } = document;
  switch (found.kind) {
    case 'authorized':
      return isAnnulledOne(document, found) ? wait(document, found.kind, now, policy) : authorizedBy(document, found, now);
    case 'mismatch':
      return isNews(document) ? mismatched(document, found, now, policy) : wait(document, found.kind, now, policy);
    case 'unshown':
      // The next answer may show it. In the end a person reads what the SRI says, for abandoning it might double it.
      return isNews(document) && (isOverdue(document, now) || isSettled(status)) ? mismatched(document, found, now, policy) : wait(document, found.kind, now, policy);
    case 'in_process':
      return hasMove(status, 'held_by_sri') ? held(document, 'held_by_sri', now, policy, {}) : wait(document, found.kind, now, policy);
    case 'refused':
      // What is about to be signed anew was refused before: that verdict is known and spent.
      if (!hasMove(status, 'refused') || awaitsSignature(document)) return wait(document, found.kind, now, policy);
      return refused(document, 'authorization', found.messages, classifyRefused(found.messages), decidedWhen(document, found.decidedAt, now), now, policy);
    case 'former_refused':
    case 'absent':
      if (found.kind === 'former_refused' && isOverdue(document, now) && isOnlyRegistered(document)) return refusedWithFormer(document, found.messages, now, policy);
      return maySend(status) ? notFound(document, now, policy) : wait(document, 'absent', now, policy);
    case 'former_in_process':
    case 'unusable':
      return wait(document, found.kind, now, policy);
    case 'no_answer':
      return wait(document, found.reason, now, policy, isSilence(document, found, now, policy) ? found : undefined);
  }
}

/** Whether it is the authorization that was annulled before the document was given up, and that the SRI goes on showing. */
function isAnnulledOne({ annulledAt }: DocumentState, { entry }: Authorization): boolean {
  const date = instantOf(entry);
  return annulledAt !== null && (date === null || date <= annulledAt);
}

/** Whether it can come to a person that the SRI shows another document, and has not before. */
const isNews = ({ status, errorCode }: DocumentState): boolean => hasMove(status, 'mismatch') && errorCode !== 'ANSWER_MISMATCH';

function mismatched(document: DocumentState, { kind, formerKey }: Extract<AuthorizationFinding, { kind: 'mismatch' | 'unshown' }>, now: Date, policy: SagaPolicy): Decision {
  const detail = suggest('contact_support', {
    ...(kind === 'unshown' && { reason: 'authorized_without_document' }),
    ...(formerKey !== undefined && { former_access_key: formerKey }),
    ...stillToSign(document),
  });
  return { moves: [{ trigger: 'mismatch' }], patch: problem('ANSWER_MISMATCH', detail), work: recheck(document, now, policy) };
}

/**
 * Whether all that the SRI said of the current bytes is that their key is registered (43, 70), which may have been said of former
 * ones: then nobody ever decides on the current ones.
 */
function isOnlyRegistered(document: DocumentState): boolean {
  const { status, errorCode, sriMessages } = document;
  const waits = status === 'AUTHORIZATION_RETRY_SCHEDULED' || status === 'AUTHORIZATION_UNKNOWN' || (status === 'MANUAL_REVIEW_REQUIRED' && errorCode === 'ANSWER_OVERDUE');
  return waits && !awaitsSignature(document) && sriMessages.length > 0 && classifyReturned(sriMessages).class === 'held_by_sri';
}

/** Counts as refused with the former bytes, so that it can be corrected or sent again. What that refusal blocked was known then. */
function refusedWithFormer(document: DocumentState, messages: readonly SriMessage[], now: Date, policy: SagaPolicy): Decision {
  const { scope: _known, ...verdict } = classifyRefused(messages);
  return refused(document, 'authorization', messages, verdict, decidedNow(now), now, policy);
}

/** Whether its bytes may go (again) once the SRI says that it does not hold them. */
const maySend = (status: DocumentStatus): boolean => status === 'RECEPTION_UNKNOWN' || status === 'RECEPTION_RETRY_SCHEDULED';

/** Whether it has waited for a decision for too long. */
const isOverdue = ({ deadlineAt }: DocumentState, now: Date): boolean => deadlineAt !== null && now >= deadlineAt;

/** Whether it is signed anew before anything is sent again. While a sending is under way its answer counts, whatever was signed. */
export const awaitsSignature = ({ status, isResigning }: DocumentState): boolean => isResigning && (status === 'RECEPTION_RETRY_SCHEDULED' || LIFECYCLE[status].needsPerson);

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

/** The content that the record becomes again, for it must say what the SRI authorized. Undefined if the signing's content is not known. */
function formerContent({ contentRevision }: DocumentState, signing: Signing): Decision['restore'] {
  const signed = signing.contentRevision;
  return signed === null || signed === contentRevision ? undefined : { ...signing, contentRevision: signed };
}

function authorizedBy(document: DocumentState, { entry, signing }: Authorization, now: Date): Decision {
  const date = instantOf(entry);
  const restore = formerContent(document, signing);
  return {
    moves: [{ trigger: 'authorized', ...(restore && { detail: { reason: 'former_content' } }) }],
    patch: {
      ...SOLVED,
      authorizationNumber: signing.accessKey,
      // Its number was the SRI's to give, though nobody heard it say so: the counter is no wrong one.
      ...(document.receivedAt === null && { receivedAt: now }),
      ...(date !== null && { authorizationDate: date.toISOString() }),
      ...(signing.signingNo !== document.signingNo && { signingNo: signing.signingNo }),
      sriMessages: entry.messages,
    },
    work: null,
    ...(restore && { restore }),
  };
}

/** After so many documents in a row whose number the SRI gave to others, the counter is wrong: the emission point stops. */
const TAKEN_IN_A_ROW = 3;

/** Empty answers, minutes apart in the end, before a number counts as taken by another document. */
const ASKS_BEFORE_TAKEN = 4;

/** Asked by key, and the SRI knows nothing: the same bytes may go again. */
function notFound(document: DocumentState, now: Date, policy: SagaPolicy): Decision {
  if (document.suspicion === 'SEQUENTIAL_TAKEN') {
    // An earlier sending that got no answer may itself have taken the number, and the SRI be still at work on it; after a
    // correction the attempts are counted anew.
    if ((document.receptionAttempts > 1 || document.signings.length > 1) && document.authorizationAttempts < ASKS_BEFORE_TAKEN) return wait(document, 'absent', now, policy);
    return {
      moves: [{ trigger: 'sequential_taken' }],
      patch: problem('SEQUENTIAL_TAKEN', suggest('raise_counter_then_abandon')),
      work: recheck(document, now, policy),
      pause: { scope: 'emission_point', code: '45', threshold: TAKEN_IN_A_ROW, decidedAt: null, by: 'worker' },
    };
  }
  if (document.receptionAttempts >= policy.maxReceptionAttempts) return exhausted(document, [{ trigger: 'gave_up' }], {}, now, policy);
  return {
    moves: document.status === 'RECEPTION_UNKNOWN' ? [{ trigger: 'not_found' }] : [],
    patch: {},
    work: { step: 'submit', dueAt: after(now, waitOf(policy.receptionLadderMs, document.receptionAttempts - 1)), unsent: false },
  };
}

/** No decision yet. Only an answer can end the wait for one (not `unanswered`): an authority that is down leaves the document waiting. */
function wait(document: DocumentState, reason: string, now: Date, policy: SagaPolicy, unanswered?: { readonly retryAfterSeconds?: number }): Decision {
  const answered = unanswered === undefined;
  // Only what shows that the SRI knows nothing of the document says that its number is another's.
  const isCounted = document.suspicion === null || reason === 'absent';
  const attempts = document.authorizationAttempts + (isCounted ? 1 : 0);
  const nextAsk = after(now, waitOf(policy.authorizationLadderMs, isCounted ? attempts : ASKS_BEFORE_TAKEN));
  const work = ask(answered ? nextAsk : notBefore(notAfter(nextAsk, after(now, longestQueryWaitMs(policy))), unanswered, now, policy));
  const patch: DocumentPatch = { authorizationAttempts: attempts };
  const tooLate = answered && isOverdue(document, now);
  const overdue = (...moves: Move[]): Decision => ({
    moves, patch: { ...patch, ...problem('ANSWER_OVERDUE', suggest('reconcile')) }, work: recheck(document, now, policy),
  });
  switch (document.status) {
    case 'AUTHORIZATION_PENDING':
      return { moves: [{ trigger: 'undecided', detail: { reason } }], patch, work };
    case 'AUTHORIZATION_RETRY_SCHEDULED':
      return tooLate ? overdue({ trigger: 'overdue' }, { trigger: 'gave_up' }) : { moves: [], patch, work };
    case 'RECEPTION_UNKNOWN':
    // Asked before it is sent again, after a retry.
    case 'RECEPTION_RETRY_SCHEDULED':
      return tooLate ? overdue({ trigger: 'gave_up' }) : { moves: [], patch, work };
    case 'REJECTED':
    case 'FAILED_PERMANENT':
    case 'MANUAL_REVIEW_REQUIRED':
      return { moves: [], patch: {}, work: recheck(document, now, policy, saysAtWork(reason)) };
    // Compared while it lacked a certificate: it is looked for anew.
    case 'NUMBER_RESERVED':
    case 'XML_GENERATED':
      return { moves: [], patch: {}, work: { step: 'prepare', dueAt: now } };
    default:
      return { moves: [], patch, work };
  }
}

function hasMove(status: DocumentStatus, trigger: Trigger): boolean {
  return trigger in LIFECYCLE[status].moves;
}
