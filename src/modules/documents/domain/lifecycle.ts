/**
 * The lifecycle of a document: the single source of states, moves, due work and
 * eligibility. Derived from it and never written twice: the status type, the
 * OpenAPI enumeration, the rows of `document_moves` that PostgreSQL enforces,
 * which actions a caller may take, which step comes next, `docs/lifecycle.md`
 * and the tests over all pairs.
 *
 * "Given up" is said of several things: the move `gave_up` is the service's, and
 * hands the document over to a person; the reason `GIVEN_UP` is of a document that
 * `abandon` ended; a print (`RideStatus`) of one that failed for good says
 * `given_up` where it was never sent, `abandoned` where it was.
 */
import type { EventKind } from '../../../shared/event-catalogue.js';

/** Work that a worker does for a document in a state. */
export type Step = 'prepare' | 'submit' | 'authorize' | 'watch';

/** Actions a caller may ask for; each is allowed exactly in the states that list it. */
export type Action = 'issue' | 'edit' | 'delete' | 'cancel' | 'withdraw_cancellation' | 'credit' | 'retry' | 'reconcile' | 'correct' | 'abandon';

interface StateDefinition {
  /** What the state means to a reader. */
  readonly meaning: string;
  /** Decided. Only a late answer of the SRI or somebody's act moves it. */
  readonly final: boolean;
  /** An authorized tax document now: the SRI stands by it, so that it may be printed as one and mailed. */
  readonly valid: boolean;
  /** Given up, by the service or by somebody: rests until somebody acts. */
  readonly needsPerson: boolean;
  /** The SRI may or may not hold the document: ask before sending anything. */
  readonly ambiguous: boolean;
  /** The work due in this state; `resume` = the step stored with the document. Where the state waits for nothing, the SRI is asked again daily for a while (`Work.recheck`). */
  readonly step: Step | 'resume' | null;
  /** What it means when a worker vanishes in this state. */
  readonly lostLease: 'repeat' | 'ask' | null;
  readonly actions: readonly Action[];
  /** Trigger -> next state. */
  readonly moves: Readonly<Record<string, string>>;
}

const state = <const Definition extends StateDefinition>(definition: Definition): Definition => definition;

/**
 * In every state in which the SRI may be asked; that includes NUMBER_RESERVED and XML_GENERATED, where a corrected document may
 * wait for a certificate. Evidence of an authorization wins.
 */
const AUTHORIZED_ON_EVIDENCE = { authorized: 'AUTHORIZED' } as const;

/**
 * Wherever the SRI's verdict is waited for, or looked for again: it shows under the document's key what we did not sign, so issuing
 * the sale anew would double it. A database that went on from an earlier point meets what its lost life had corrected.
 */
const ANOTHER_ON_EVIDENCE = { mismatch: 'MANUAL_REVIEW_REQUIRED' } as const;

export const LIFECYCLE = {
  DRAFT: state({
    meaning: 'Being written; holds no number',
    final: false, valid: false, needsPerson: false, ambiguous: false, step: null, lostLease: null,
    actions: ['issue', 'edit', 'delete'],
    moves: { validated: 'VALIDATED' },
  }),
  VALIDATED: state({
    meaning: 'Passed every rule; about to take its number',
    final: false, valid: false, needsPerson: false, ambiguous: false, step: null, lostLease: null,
    actions: [],
    moves: { number_taken: 'NUMBER_RESERVED' },
  }),
  NUMBER_RESERVED: state({
    meaning: 'Accepted: number and access key are its own for ever',
    final: false, valid: false, needsPerson: false, ambiguous: false, step: 'prepare', lostLease: 'repeat',
    actions: [],
    moves: { ...AUTHORIZED_ON_EVIDENCE, xml_built: 'XML_GENERATED', failed: 'FAILED_PERMANENT', gave_up: 'MANUAL_REVIEW_REQUIRED' },
  }),
  XML_GENERATED: state({
    meaning: 'XML built',
    final: false, valid: false, needsPerson: false, ambiguous: false, step: 'prepare', lostLease: 'repeat',
    actions: [],
    moves: { ...AUTHORIZED_ON_EVIDENCE, signed: 'SIGNED', failed: 'FAILED_PERMANENT', gave_up: 'MANUAL_REVIEW_REQUIRED' },
  }),
  SIGNED: state({
    meaning: 'Signed; the bytes are stored',
    final: false, valid: false, needsPerson: false, ambiguous: false, step: 'prepare', lostLease: 'repeat',
    actions: [],
    moves: { queued: 'RECEPTION_PENDING', gave_up: 'MANUAL_REVIEW_REQUIRED' },
  }),
  RECEPTION_PENDING: state({
    meaning: 'Waits for its turn to be sent to the SRI',
    final: false, valid: false, needsPerson: false, ambiguous: false, step: 'submit', lostLease: 'repeat',
    actions: [],
    moves: { sending: 'SUBMITTED_TO_SRI', not_delivered: 'RECEPTION_RETRY_SCHEDULED', signature_stale: 'XML_GENERATED', gave_up: 'MANUAL_REVIEW_REQUIRED' },
  }),
  SUBMITTED_TO_SRI: state({
    meaning: 'Being sent; the answer is not known yet',
    final: false, valid: false, needsPerson: false, ambiguous: true, step: 'authorize', lostLease: 'ask',
    actions: ['reconcile'],
    moves: {
      ...AUTHORIZED_ON_EVIDENCE,
      received: 'RECEIVED_BY_SRI',
      held_by_sri: 'RECEIVED_BY_SRI',
      refused: 'REJECTED',
      not_delivered: 'RECEPTION_RETRY_SCHEDULED',
      transient: 'RECEPTION_RETRY_SCHEDULED',
      no_evidence: 'RECEPTION_UNKNOWN',
      sequential_taken: 'RECEPTION_UNKNOWN',
    },
  }),
  RECEIVED_BY_SRI: state({
    meaning: 'The SRI holds it',
    final: false, valid: false, needsPerson: false, ambiguous: false, step: 'authorize', lostLease: 'repeat',
    actions: ['reconcile'],
    moves: { ...AUTHORIZED_ON_EVIDENCE, awaiting: 'AUTHORIZATION_PENDING' },
  }),
  AUTHORIZATION_PENDING: state({
    meaning: 'The SRI is to decide; it is asked soon',
    final: false, valid: false, needsPerson: false, ambiguous: false, step: 'authorize', lostLease: 'repeat',
    actions: ['reconcile'],
    moves: { ...AUTHORIZED_ON_EVIDENCE, refused: 'REJECTED', undecided: 'AUTHORIZATION_RETRY_SCHEDULED', ...ANOTHER_ON_EVIDENCE, gave_up: 'MANUAL_REVIEW_REQUIRED' },
  }),
  AUTHORIZED: state({
    meaning: 'Legally valid',
    final: true, valid: true, needsPerson: false, ambiguous: false, step: null, lostLease: null,
    actions: ['cancel', 'credit'],
    moves: { cancellation_requested: 'CANCELLATION_REQUESTED', credited_in_full: 'VOIDED_BY_NC' },
  }),
  REJECTED: state({
    meaning: 'Refused by the SRI; the number stays with it',
    final: true, valid: false, needsPerson: false, ambiguous: false, step: 'authorize', lostLease: 'repeat',
    actions: ['retry', 'reconcile', 'correct', 'abandon'],
    moves: { ...AUTHORIZED_ON_EVIDENCE, ...ANOTHER_ON_EVIDENCE, retry_sending: 'RECEPTION_RETRY_SCHEDULED', corrected: 'NUMBER_RESERVED', abandoned: 'FAILED_PERMANENT' },
  }),
  RECEPTION_RETRY_SCHEDULED: state({
    meaning: 'Will be sent (again) at a known time',
    final: false, valid: false, needsPerson: false, ambiguous: false, step: 'resume', lostLease: 'repeat',
    actions: ['retry', 'reconcile'],
    moves: {
      ...AUTHORIZED_ON_EVIDENCE,
      retry_sending: 'RECEPTION_RETRY_SCHEDULED',
      sending: 'SUBMITTED_TO_SRI',
      resigned: 'RECEPTION_PENDING',
      held_by_sri: 'RECEIVED_BY_SRI',
      refused: 'REJECTED',
      sequential_taken: 'MANUAL_REVIEW_REQUIRED',
      ...ANOTHER_ON_EVIDENCE,
      gave_up: 'MANUAL_REVIEW_REQUIRED',
      failed: 'FAILED_PERMANENT',
    },
  }),
  AUTHORIZATION_RETRY_SCHEDULED: state({
    meaning: 'The SRI had not decided; it is asked again at a known time',
    final: false, valid: false, needsPerson: false, ambiguous: false, step: 'authorize', lostLease: 'repeat',
    actions: ['retry', 'reconcile'],
    moves: { ...AUTHORIZED_ON_EVIDENCE, retry_asking: 'AUTHORIZATION_RETRY_SCHEDULED', refused: 'REJECTED', overdue: 'AUTHORIZATION_UNKNOWN', ...ANOTHER_ON_EVIDENCE, gave_up: 'MANUAL_REVIEW_REQUIRED' },
  }),
  RECEPTION_UNKNOWN: state({
    meaning: 'Sent, but whether it arrived is unknown: the SRI is asked by access key before anything is sent again',
    final: false, valid: false, needsPerson: false, ambiguous: true, step: 'authorize', lostLease: 'repeat',
    actions: ['retry', 'reconcile'],
    moves: {
      ...AUTHORIZED_ON_EVIDENCE,
      refused: 'REJECTED',
      held_by_sri: 'RECEIVED_BY_SRI',
      not_found: 'RECEPTION_RETRY_SCHEDULED',
      retry_sending: 'RECEPTION_RETRY_SCHEDULED',
      sequential_taken: 'MANUAL_REVIEW_REQUIRED',
      ...ANOTHER_ON_EVIDENCE,
      gave_up: 'MANUAL_REVIEW_REQUIRED',
    },
  }),
  AUTHORIZATION_UNKNOWN: state({
    meaning: 'No decision within the deadline',
    final: false, valid: false, needsPerson: false, ambiguous: true, step: 'authorize', lostLease: 'repeat',
    actions: ['retry', 'reconcile'],
    moves: { ...AUTHORIZED_ON_EVIDENCE, refused: 'REJECTED', retry_asking: 'AUTHORIZATION_RETRY_SCHEDULED', gave_up: 'MANUAL_REVIEW_REQUIRED' },
  }),
  MANUAL_REVIEW_REQUIRED: state({
    meaning: 'A person must decide; reason and suggested action stand on the record',
    final: false, valid: false, needsPerson: true, ambiguous: false, step: 'authorize', lostLease: 'repeat',
    actions: ['retry', 'reconcile', 'abandon'],
    moves: { ...AUTHORIZED_ON_EVIDENCE, ...ANOTHER_ON_EVIDENCE, refused: 'REJECTED', retry_sending: 'RECEPTION_RETRY_SCHEDULED', retry_asking: 'AUTHORIZATION_RETRY_SCHEDULED', abandoned: 'FAILED_PERMANENT' },
  }),
  FAILED_PERMANENT: state({
    meaning: 'Given up; the number stays with it and is explained',
    final: true, valid: false, needsPerson: true, ambiguous: false, step: 'authorize', lostLease: 'repeat',
    actions: ['retry'],
    moves: { ...AUTHORIZED_ON_EVIDENCE, ...ANOTHER_ON_EVIDENCE, retry_sending: 'RECEPTION_RETRY_SCHEDULED', retry_asking: 'AUTHORIZATION_RETRY_SCHEDULED' },
  }),
  CANCELLATION_REQUESTED: state({
    meaning: 'To be annulled by the taxpayer in the SRI portal; the service watches',
    final: false, valid: true, needsPerson: false, ambiguous: false, step: 'watch', lostLease: 'repeat',
    actions: ['withdraw_cancellation', 'reconcile'],
    moves: { annulled: 'CANCELLED', cancellation_withdrawn: 'AUTHORIZED', cancellation_lapsed: 'AUTHORIZED' },
  }),
  CANCELLED: state({
    meaning: 'Annulled, as the SRI confirms',
    final: true, valid: false, needsPerson: false, ambiguous: false, step: null, lostLease: null,
    actions: [],
    moves: {},
  }),
  VOIDED_BY_NC: state({
    meaning: 'Credited in full by authorized credit notes',
    final: true, valid: true, needsPerson: false, ambiguous: false, step: null, lostLease: null,
    actions: [],
    moves: { credit_annulled: 'AUTHORIZED' },
  }),
} as const satisfies Record<string, StateDefinition>;

export type DocumentStatus = keyof typeof LIFECYCLE;

type MovesOf<Status extends DocumentStatus> = (typeof LIFECYCLE)[Status]['moves'];

/** Every trigger of every state. */
export type Trigger = { [Status in DocumentStatus]: keyof MovesOf<Status> & string }[DocumentStatus];

export const DOCUMENT_STATUSES = Object.keys(LIFECYCLE) as readonly DocumentStatus[];

/** The states in which a document is a valid tax document. */
export type ValidStatus = { [Status in DocumentStatus]: (typeof LIFECYCLE)[Status]['valid'] extends true ? Status : never }[DocumentStatus];

export const isValid = (status: DocumentStatus): status is ValidStatus => LIFECYCLE[status].valid;

export const VALID_STATUSES: readonly ValidStatus[] = DOCUMENT_STATUSES.filter(isValid);

/** The events a caller hears of, by the state that a move enters. */
export const EVENT_OF_STATE: Partial<Record<DocumentStatus, EventKind>> = {
  AUTHORIZED: 'document.authorized',
  REJECTED: 'document.rejected',
  MANUAL_REVIEW_REQUIRED: 'document.manual_review_required',
  FAILED_PERMANENT: 'document.failed',
  CANCELLATION_REQUESTED: 'document.cancellation_requested',
  CANCELLED: 'document.cancelled',
  VOIDED_BY_NC: 'document.voided',
};

/** Every move as a row: what PostgreSQL enforces. */
export function allMoves(): readonly { from: DocumentStatus; trigger: Trigger; to: DocumentStatus }[] {
  return DOCUMENT_STATUSES.flatMap((from) =>
    Object.entries(LIFECYCLE[from].moves).map(([trigger, to]) => ({ from, trigger: trigger as Trigger, to })),
  );
}

/**
 * The state that `trigger` leads to.
 * @throws Error when the table has no such move: a bug of the caller, never of the data
 */
export function target(from: DocumentStatus, trigger: Trigger): DocumentStatus {
  const to = (LIFECYCLE[from].moves as Readonly<Record<string, DocumentStatus>>)[trigger];
  if (to === undefined) throw new Error(`the lifecycle has no move ${trigger} from ${from}`);
  return to;
}

/** True when `action` may be asked for in this state. */
export function allows(status: DocumentStatus, action: Action): boolean {
  return (LIFECYCLE[status].actions as readonly Action[]).includes(action);
}

/** True where waiting brings nothing more: the document is decided, or somebody has to act. */
export const isSettled = (status: DocumentStatus): boolean => LIFECYCLE[status].final || LIFECYCLE[status].needsPerson;

/**
 * True for the states that a document passes by itself: its lists keep the documents that move apart from those that
 * rest (the SQL function `is_moving` says the same).
 */
export function isMoving(status: DocumentStatus): boolean {
  return LIFECYCLE[status].step !== null && !isSettled(status);
}
