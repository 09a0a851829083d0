import { addDays, guayaquilDay } from '../../../shared/guayaquil.js';
import type { Finding } from '../../../shared/finding.js';
import type { ConsultationAnswer } from '../../../sri/soap/consultation.js';
import { isAnswered, type Unanswered } from '../../../sri/soap/unanswered.js';
import { FINAL_CONSUMER } from '../../../sri/tables/documents.js';
import type { DocumentContent } from '../../../sri/document-types/content.js';
import { defineRules, finding } from '../../../sri/document-types/rules/rule.js';
import { requireAction } from './actions.js';
import { type Cancellation, type Decision, type DocumentState, type SagaPolicy, waitOf } from './document.js';

/**
 * Annulling a document. The SRI has no service for it: the taxpayer does it in the portal, for some types the
 * receiver has to accept, and the consultation service shows when it is done.
 */

interface AnnulmentRule {
  /** First day of the rule. */
  readonly from: string;
  /** Day of the month after the issue date until which the portal annuls. */
  readonly lastDay: number;
  /** Types whose receiver has to accept. */
  readonly accepted: readonly string[];
  readonly finalConsumer: boolean;
  readonly reference: string;
}

const OLDEST_RULE: AnnulmentRule = {
  from: '2018-01-01', lastDay: 10, accepted: ['04', '05', '07'], finalConsumer: true, reference: 'Res. NAC-DGERCGC18-00000233',
};

const NEWEST = 'Res. NAC-DGERCGC25-00000014 y -00000017';

/** Newest first. */
const RULES: readonly AnnulmentRule[] = [
  { from: '2026-01-01', lastDay: 7, accepted: ['04', '05', '07'], finalConsumer: false, reference: NEWEST },
  { from: '2025-08-01', lastDay: 7, accepted: ['04', '05', '07'], finalConsumer: true, reference: NEWEST },
  OLDEST_RULE,
];

const FOREIGN_ID = '08';
const ISD = '6';
const ACCEPTANCE_BUSINESS_DAYS = 5;
/** How long an annulment without a last day by the rules is watched: the SRI answers for two months. */
const OPEN_WATCH_DAYS = 90;

const FISCAL = defineRules({
  'cancellation.final_consumer': {
    es: 'Una factura a consumidor final no se puede anular, ni admite una nota de crédito: queda como se emitió',
    en: 'An invoice to the final consumer cannot be annulled, and admits no credit note either: it stands as it was issued',
    reference: NEWEST,
  },
  'cancellation.deadline': {
    es: 'El plazo para anular en el portal terminó; una factura se corrige con una nota de crédito. Si un feriado lo alarga, anule primero en el portal',
    en: 'The portal no longer annuls it; an invoice is corrected by a credit note. Where a holiday extends the term, annul in the portal first',
    reference: NEWEST,
  },
});

/** What the rules of the day say of annulling this document. */
export interface Annulment {
  readonly findings: readonly Finding[];
  readonly deadline: string | null;
  readonly needsAcceptance: boolean;
}

/** Whether the portal would still annul the document today, and until when. */
export function annulmentOf(content: DocumentContent, now: Date): Annulment {
  const today = guayaquilDay(now);
  const rule = RULES.find(({ from }) => from <= today) ?? OLDEST_RULE;
  const withholdsIsd = content.documentType === '07' && content.taxes.some(({ taxCode }) => taxCode === ISD);
  const deadline = withholdsIsd ? null : deadlineOf(content.issueDate, rule.lastDay);
  const findings: Finding[] = [];
  if (!rule.finalConsumer && content.documentType === '01' && isFinalConsumer(content)) {
    findings.push({ ...finding(FISCAL['cancellation.final_consumer'], '/buyer_id_type', null, content.buyerIdType), reference: rule.reference });
  }
  if (deadline !== null && today > deadline) {
    findings.push({ ...finding(FISCAL['cancellation.deadline'], '/issue_date', `≤ ${deadline}`, today), reference: rule.reference });
  }
  return { findings, deadline, needsAcceptance: rule.accepted.includes(content.documentType) && content.buyerIdType !== FOREIGN_ID };
}

const isFinalConsumer = ({ buyerIdType }: DocumentContent): boolean => buyerIdType === null || buyerIdType === FINAL_CONSUMER.idType;

/** `lastDay` of the month after the issue date; a weekend moves it to Monday. */
function deadlineOf(issueDate: string, lastDay: number): string {
  const [year, month] = issueDate.split('-').map(Number) as [number, number];
  const day = new Date(Date.UTC(year, month, lastDay)).toISOString().slice(0, 10);
  return isBusinessDay(day) ? day : nextBusinessDay(day);
}

function isBusinessDay(day: string): boolean {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return weekday !== 0 && weekday !== 6;
}

function nextBusinessDay(day: string): string {
  let next = addDays(day, 1);
  while (!isBusinessDay(next)) next = addDays(next, 1);
  return next;
}

/** @throws DomainError INVALID_STATE */
export function decideCancel(document: DocumentState, annulment: Annulment, reason: string, now: Date, policy: SagaPolicy): Decision {
  requireAction(document, 'cancel');
  const cancellation: Cancellation = {
    requestedAt: now.toISOString(),
    reason,
    deadline: annulment.deadline,
    needsAcceptance: annulment.needsAcceptance,
    watchUntil: annulment.deadline === null ? null : watchUntil(annulment.deadline, annulment.needsAcceptance),
    asked: 0,
    pendingAtSri: false,
  };
  return { moves: [{ trigger: 'cancellation_requested', detail: { reason } }], patch: { cancellation }, work: watch(cancellation, now, policy) };
}

/**
 * Records a document as cancelled that was annulled in the portal before anybody asked for it here: request and confirmation at
 * once. The rules limit the act in the portal, not the record of it.
 * @returns null where the SRI does not show the document annulled
 * @throws DomainError INVALID_STATE
 */
export function decideAnnulled(document: DocumentState, annulment: Annulment, reason: string, answer: ConsultationAnswer, now: Date, policy: SagaPolicy): Decision | null {
  const { moves, patch } = decideCancel(document, annulment, reason, now, policy);
  return isAnnulled(answer) ? { moves: [...moves, { trigger: 'annulled' }], patch, work: null } : null;
}

/** Whether it is still watched: to its last day or, where the rules set none, for a while from the request on. */
const isWatched = ({ watchUntil, requestedAt }: Cancellation, now: Date): boolean =>
  guayaquilDay(now) <= (watchUntil ?? addDays(guayaquilDay(new Date(requestedAt)), OPEN_WATCH_DAYS));

/** Days without an answer, of a document that is watched no more, after which the SRI is taken to tell nothing any more. */
const MOST_SILENT_DAYS = 30;

/**
 * Holidays are not known here: so many days after the last day the portal may still annul, as where Carnival follows a weekend or
 * holidays are made to meet one.
 */
const MOST_HOLIDAYS = 4;

/** The receiver may take its days after the last day of the portal; one more for the SRI to show it. */
function watchUntil(deadline: string, needsAcceptance: boolean): string {
  let day = addDays(deadline, MOST_HOLIDAYS + 1);
  if (needsAcceptance) for (let days = 0; days < ACCEPTANCE_BUSINESS_DAYS; days += 1) day = nextBusinessDay(day);
  return day;
}

/**
 * Takes a cancellation back, after asking the SRI: people may have annulled in the portal since the last look.
 * Where they have, the decision is that the document is cancelled; where the receiver is already asked, only the SRI's answer
 * counts, and what it says is written.
 * @throws DomainError INVALID_STATE
 */
export function decideWithdrawal(document: DocumentState, answer: ConsultedAnswer, now: Date, policy: SagaPolicy): Decision {
  requireAction(document, 'withdraw_cancellation');
  if (isAnnulled(answer)) return decideConsultation(document, answer, now, policy);
  if (isPending(requested(document), answer, now)) return decideCancellationReconciled(document, answer, now, policy);
  return { moves: [{ trigger: 'cancellation_withdrawn' }], patch: { cancellation: null }, work: null };
}

/** An answer of the consultation service that was given. */
export type ConsultedAnswer = Exclude<ConsultationAnswer, Unanswered>;

const isAnnulled = (answer: ConsultationAnswer): boolean => answer.kind === 'state' && answer.state === 'annulled';

/**
 * Who says that what the SRI showed authorized under one of these keys is annulled: the SRI or, where it no longer tells, the caller;
 * null where nobody does. A refusal under one key says nothing of another.
 * @param answers one for each access key that the document has had
 * @param isSeen whether the caller saw it annulled in the portal
 */
export function annulledBy(answers: readonly ConsultedAnswer[], isSeen: boolean): 'sri' | 'caller' | null {
  if (answers.some((answer) => answer.kind === 'state' && answer.state !== 'refused' && !isAnnulled(answer))) return null;
  if (answers.some(isAnnulled)) return 'sri';
  // It tells of two months only; of earlier documents the portal alone does, and its reader.
  return isSeen && answers.some(({ kind }) => kind === 'unknown') ? 'caller' : null;
}

/** Whether the receiver is asked. If the SRI no longer says, its last answer stands while the watch lasts. */
function isPending(cancellation: Cancellation, answer: ConsultedAnswer, now: Date): boolean {
  if (answer.kind === 'state') return answer.state === 'pending_annulment';
  return cancellation.pendingAtSri && isWatched(cancellation, now);
}

function requested({ id, cancellation }: DocumentState): Cancellation {
  if (cancellation === null) throw new Error(`document ${id} is being cancelled without a request`);
  return cancellation;
}

/** Whether the receiver is asked, by this answer or, where it says nothing, by the last one that did. */
const pendingAfter = ({ pendingAtSri }: Cancellation, answer: ConsultationAnswer): boolean => (answer.kind === 'state' ? answer.state === 'pending_annulment' : pendingAtSri);

/** What the consultation service's answer means for a requested cancellation: only ANULADO cancels. */
export function decideConsultation(document: DocumentState, answer: ConsultationAnswer, now: Date, policy: SagaPolicy): Decision {
  const cancellation = requested(document);
  if (isAnnulled(answer)) {
    return { moves: [{ trigger: 'annulled' }], patch: { cancellation: { ...cancellation, pendingAtSri: false } }, work: null };
  }
  const reason = lapseReason(cancellation, answer, now);
  if (reason !== null) {
    return { moves: [{ trigger: 'cancellation_lapsed', detail: { reason } }], patch: { cancellation: null }, work: null };
  }
  const { silentSince = now.toISOString(), ...told } = cancellation;
  const next = { ...told, asked: cancellation.asked + 1, pendingAtSri: pendingAfter(cancellation, answer), ...(!isAnswered(answer) && { silentSince }) };
  return { moves: [], patch: { cancellation: next }, work: watch(next, now, policy) };
}

/** Why the watch ends without an annulment; null while it goes on. */
function lapseReason(cancellation: Cancellation, answer: ConsultationAnswer, now: Date): string | null {
  if (isWatched(cancellation, now)) return null;
  if (answer.kind === 'state') return answer.state === 'pending_annulment' ? null : 'not_annulled_in_time';
  if (answer.kind === 'unknown') return 'sri_no_longer_tells';
  const { silentSince } = cancellation;
  return silentSince !== undefined && guayaquilDay(now) > addDays(guayaquilDay(new Date(silentSince)), MOST_SILENT_DAYS) ? 'sri_silent' : null;
}

/**
 * What an answer to a caller's own question changes: the document, if the annulment has ended; else only whether the receiver is
 * asked, and that the SRI is not silent. The watch goes on when it was to, however often somebody asks.
 */
export function decideCancellationReconciled(document: DocumentState, answer: ConsultedAnswer, now: Date, policy: SagaPolicy): Decision {
  const decision = decideConsultation(document, answer, now, policy);
  if (decision.moves.length > 0) return decision;
  const { silentSince, ...told } = requested(document);
  const pendingAtSri = pendingAfter(told, answer);
  // What is as it was is not written: the watch may have written since.
  const patch = pendingAtSri === told.pendingAtSri && silentSince === undefined ? {} : { cancellation: { ...told, pendingAtSri } };
  return { moves: [], patch, work: null, keepWork: true };
}

function watch({ asked }: Cancellation, now: Date, policy: SagaPolicy): Decision['work'] {
  return { step: 'watch', dueAt: new Date(now.getTime() + waitOf(policy.cancellationLadderMs, asked)), unsent: false };
}
