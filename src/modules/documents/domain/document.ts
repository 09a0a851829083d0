import type { SriMessage } from '../../../sri/soap/message.js';
import type { DocumentStatus, Step, Trigger } from './lifecycle.js';

/** What the saga needs to know of a document to decide; plain data, no behaviour. */
export interface DocumentState {
  readonly id: string;
  readonly tenantId: string;
  readonly status: DocumentStatus;
  readonly version: number;
  readonly accessKey: string;
  /** Which signing is current; 0 before the first. */
  readonly signingNo: number;
  /** Which content is current; a correction makes a new one. */
  readonly contentRevision: number;
  /** Every signing that may have left the house, by number. */
  readonly signings: readonly Signing[];
  readonly suspicion: 'SEQUENTIAL_TAKEN' | null;
  readonly receptionAttempts: number;
  readonly authorizationAttempts: number;
  readonly firstSentAt: Date | null;
  readonly receivedAt: Date | null;
  /** Until when the SRI has time to decide; null: nothing is waited for. */
  readonly deadlineAt: Date | null;
  /** When its next step was to be taken; null: not at a time of its own. */
  readonly dueAt: Date | null;
  /** When the record was last written. */
  readonly changedAt: Date;
  /** Why the document does not go on; code of the error catalogue. */
  readonly errorCode: string | null;
  readonly sriMessages: readonly SriMessage[];
  /**
   * A new signature is due, or the current one is of a content or access key that a correction replaced: verdicts on it are
   * known and spent, and its bytes are not sent any more.
   */
  readonly isResigning: boolean;
  /** The SRI refused it at authorization once, so that its key is registered: a correction may not give it another date. */
  readonly isDateFixed: boolean;
  /** When it was given up as annulled at the SRI, which goes on listing an annulled document as authorized; null where it was not. */
  readonly annulledAt: Date | null;
  readonly cancellation: Cancellation | null;
}

/** Bytes that were signed, and what of. */
export interface Signing {
  readonly signingNo: number;
  readonly digest: string;
  readonly signedAt: Date;
  readonly accessKey: string;
  /** Null where it is not known. */
  readonly contentRevision: number | null;
}

/** A request to annul the document in the SRI's portal, which the service watches. Days are Guayaquil's. */
export interface Cancellation {
  readonly requestedAt: string;
  readonly reason: string;
  /** Last day on which the portal annuls; null: no limit. */
  readonly deadline: string | null;
  /** The receiver has to accept within the days after the deadline. */
  readonly needsAcceptance: boolean;
  /** When the service stops watching. */
  readonly watchUntil: string | null;
  /** How often the SRI was asked whether it is done. */
  readonly asked: number;
  /** The SRI said PENDIENTE DE ANULAR: the receiver is asked. */
  readonly pendingAtSri: boolean;
  /** Since when the SRI was asked and gave no answer; absent where it gave its last one. */
  readonly silentSince?: string;
}

/** Columns of `documents` that a decision sets; absent = unchanged. */
export interface DocumentPatch {
  authorizationNumber?: string;
  authorizationDate?: string;
  errorCode?: string | null;
  errorDetail?: unknown;
  sriMessages?: readonly SriMessage[];
  signingNo?: number;
  suspicion?: 'SEQUENTIAL_TAKEN' | null;
  receptionAttempts?: number;
  authorizationAttempts?: number;
  firstSentAt?: Date | null;
  receivedAt?: Date | null;
  deadlineAt?: Date | null;
  cancellation?: Cancellation | null;
}

/** Submissions of a whole scope wait after the SRI blocked it, until somebody resumes them. */
export interface Pause {
  readonly scope: 'issuer' | 'establishment' | 'document_type' | 'emission_point';
  /** The SRI's code. */
  readonly code: string;
  /** Pauses only when this many documents in a row met the same. */
  readonly threshold: number;
  /** When the SRI said so. A scope that it has served since, or that somebody has resumed since, is not paused. Null: it is paused in any case. */
  readonly decidedAt: Date | null;
  /** Whose clock tells that. */
  readonly by: 'sri' | 'worker';
}

export interface Move {
  readonly trigger: Trigger;
  readonly detail?: unknown;
}

/** The work that is due next. */
export interface Work {
  readonly step: Step;
  /** 'never' parks the document: it resumes when somebody removes the obstacle. */
  readonly dueAt: Date | 'never';
  /** The same worker goes on at once under its lease. */
  readonly keepLease?: boolean;
  /** False once the document was handed to the SRI for the first time. */
  readonly unsent?: boolean;
  /** A decided document that is looked at again, in case the SRI changed its mind: not shown as a next attempt. */
  readonly recheck?: boolean;
}

/** What to write after an event: moves in order, columns, next work. Produced by `decide`, executed by the repository. */
export interface Decision {
  readonly moves: readonly Move[];
  readonly patch: DocumentPatch;
  readonly work: Work | null;
  /** Leaves the due work as it is, whoever holds it; `work` is ignored. */
  readonly keepWork?: boolean;
  readonly pause?: Pause;
  /** The record becomes what was signed then again: that is what the SRI authorized. */
  readonly restore?: Signing & { readonly contentRevision: number };
}

/** Waiting times and deadlines; all in milliseconds. */
export interface SagaPolicy {
  readonly receptionLadderMs: readonly number[];
  readonly authorizationLadderMs: readonly number[];
  /** Longest wait before a service that gave no answer is called again. */
  readonly unansweredWaitMs: number;
  readonly answerDeadlineMs: number;
  /** A document the SRI neither took nor refused is handed to a person after so many transmissions. */
  readonly maxReceptionAttempts: number;
  /** How often and how long after its first transmission a decided document is looked at again. */
  readonly recheckEveryMs: number;
  readonly recheckForMs: number;
  readonly cancellationLadderMs: readonly number[];
}

/** A document whose worker vanished this often without progress is handed to a person (poison); one that was slow and came back did not vanish. */
export const MAX_LOST_LEASES = 3;

/** `reason` in the `error_detail` of a document whose workers vanished before it was signed anew: the next retry signs it. */
export const NOT_SIGNED = 'not_signed_anew';

/** Tells, in the `error_detail` of a document about which something else is to be said, that it is to be signed anew. */
export const stillToSign = ({ isResigning }: DocumentState): { readonly signs_anew?: true } => (isResigning ? { signs_anew: true } : {});

/** The `attempt`-th wait (from 0) of a ladder whose last step repeats. */
export function waitOf(ladder: readonly number[], attempt: number): number {
  return ladder[Math.min(attempt, ladder.length - 1)] ?? 0;
}
