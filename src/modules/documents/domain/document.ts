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
  /** Digests of every signing that may have left the house, by number. */
  readonly sentDigests: readonly { readonly signingNo: number; readonly digest: string }[];
  readonly suspicion: 'SEQUENTIAL_TAKEN' | null;
  readonly receptionAttempts: number;
  readonly authorizationAttempts: number;
  readonly firstSentAt: Date | null;
  readonly receivedAt: Date | null;
  readonly deadlineAt: Date | null;
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
  firstSentAt?: Date;
  receivedAt?: Date;
  deadlineAt?: Date;
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
}

/** What to write after an event: moves in order, columns, next work. Produced by `decide`, executed by the repository. */
export interface Decision {
  readonly moves: readonly Move[];
  readonly patch: DocumentPatch;
  readonly work: Work | null;
}

/** Waiting times and deadlines; all in milliseconds. */
export interface SagaPolicy {
  readonly receptionLadderMs: readonly number[];
  readonly authorizationLadderMs: readonly number[];
  readonly answerDeadlineMs: number;
}

/** A document whose worker vanished this often without progress is handed to a person (poison). */
export const MAX_LOST_LEASES = 3;

/** The `attempt`-th wait (from 0) of a ladder whose last step repeats. */
export function waitOf(ladder: readonly number[], attempt: number): number {
  return ladder[Math.min(attempt, ladder.length - 1)] ?? 0;
}
