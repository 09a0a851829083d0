import type { SriMessage } from './message.js';

export type SriService = 'reception' | 'authorization' | 'consultation';

/** What a refusing answer means for the document. */
export type AnswerClass =
  /** The SRI has the document under this key already: ask, never send again. */
  | 'held_by_sri'
  /** The number belongs to some key at the SRI: ask for our own key first. */
  | 'sequential_taken'
  /** The SRI's own trouble: same bytes again later. */
  | 'transient'
  /** Refused as it is. */
  | 'refused'
  /** Refused because of the taxpayer, not of the document: everything in `scope` waits. */
  | 'blocked';

/** Besides, some codes are no verdict at all. */
type RowClass = AnswerClass | 'warning' | 'no_evidence';

export type BlockedScope = 'issuer' | 'establishment' | 'document_type';

/** How a refused document may go again with the same content. */
export type Mendable = 'resign' | 'unblock';

export interface Verdict {
  readonly class: AnswerClass;
  /** The code that decided; null when the answer carried none. */
  readonly code: string | null;
  readonly scope?: BlockedScope;
  readonly mendable?: Mendable;
  /** Our own check should have caught it: alert. */
  readonly ours?: boolean;
}

interface Row extends Omit<Verdict, 'class' | 'code'> {
  readonly class: RowClass;
}

const HELD: Row = { class: 'held_by_sri' };
const TAKEN: Row = { class: 'sequential_taken' };
const TRANSIENT: Row = { class: 'transient' };
const CONTENT: Row = { class: 'refused' };
const OUR_BUG: Row = { class: 'refused', ours: true };
const SIGNATURE: Row = { class: 'refused', mendable: 'resign' };
const WARNING: Row = { class: 'warning' };
const QUERY_FAILED: Row = { class: 'no_evidence', ours: true };
const NO_EVIDENCE: Row = { class: 'no_evidence' };
const blocked = (scope: BlockedScope): Row => ({ class: 'blocked', scope, mendable: 'unblock' });

/**
 * Codes whose meaning does not depend on where they come: the ficha técnica
 * places each check at one service, the emitters have seen several at the other.
 */
const EVERYWHERE: Readonly<Record<string, Row>> = {
  '2': blocked('issuer'), // RUC not active
  '10': blocked('establishment'), // closed by sanction
  '26': OUR_BUG, // above 320 KB
  '27': blocked('issuer'), // class of taxpayer may not issue
  '28': blocked('issuer'), // agreement of electronic media not accepted
  '34': blocked('document_type'), // type not in the issuer's request
  '35': OUR_BUG, // schema
  '36': OUR_BUG, // schema version discontinued
  '37': blocked('issuer'), // not enrolled for electronic issuing
  '39': SIGNATURE, // invalid signature
  '40': SIGNATURE, // certificate error
  '42': SIGNATURE, // certificate revoked or expired
  '46': CONTENT, // RUC does not exist
  '47': OUR_BUG, // document type does not exist
  '48': OUR_BUG, // no schema for the type
  '49': OUR_BUG, // null arguments
  '52': CONTENT, // arithmetic
  '56': blocked('establishment'), // closed
  '57': blocked('issuer'), // authorization suspended
  '58': OUR_BUG, // key differs from the document
  '59': WARNING, // receiver does not exist
  '60': WARNING, // processed in the test environment
  '62': WARNING, // receiver's identification malformed
  '63': blocked('issuer'), // RUC closed by sanction
  '64': CONTENT, // unknown supporting document code
  '65': CONTENT, // issue date out of time
  '67': OUR_BUG, // malformed date
  '68': WARNING, // supporting document not electronic
  '69': CONTENT, // receiver's RUC does not exist
  '82': CONTENT, // transport starts before the issue date
  '92': CONTENT, // IVA refund amount
};

/**
 * The one table: what each code of the SRI means, by the service that says it
 * (ficha técnica §11 and the table of error codes). A code that is not in it
 * decides nothing by itself.
 */
const TABLE: Readonly<Record<SriService, Readonly<Record<string, Row>>>> = {
  reception: {
    ...EVERYWHERE,
    '43': HELD, // key registered
    '45': TAKEN, // sequential registered
    '50': TRANSIENT, // internal error
    '70': HELD, // key in process
    '80': OUR_BUG, // malformed key
  },
  authorization: {
    ...EVERYWHERE,
    // Said by a definite NO AUTORIZADO these refuse: by then the SRI holds nothing to wait for.
    '43': CONTENT,
    '45': CONTENT,
    '50': SIGNATURE, // its own trouble refused: another signature tells what is answered then from this
    '70': CONTENT,
    '80': QUERY_FAILED, // the query's key is malformed
    '99': NO_EVIDENCE, // the service cannot tell
  },
  consultation: { '80': QUERY_FAILED, '99': NO_EVIDENCE },
};

/** The row of one code, or undefined: for documentation, alerts and tests. */
export function rowOf(service: SriService, code: string): Readonly<Row> | undefined {
  const rows = TABLE[service];
  const canonical = canonicalCode(code);
  return Object.hasOwn(rows, canonical) ? rows[canonical] : undefined;
}

/** What a DEVUELTA means. */
export function classifyReturned(messages: readonly SriMessage[]): Verdict {
  return classify('reception', messages);
}

/** What a NO AUTORIZADO means; its document is refused whatever the messages say. */
export function classifyRefused(messages: readonly SriMessage[]): Verdict {
  return classify('authorization', messages);
}

/** Whether the issue date is among what was refused: out of time (65). */
export const refusesDate = (messages: readonly SriMessage[]): boolean => messages.some(({ identifier }) => identifier !== null && canonicalCode(identifier) === '65');

/**
 * The `estado` has refused already; messages only say how. So: holding beats
 * all, since it forbids a second sending; then the taken number; then a block,
 * which others must hear of; a transient trouble counts only alone. Unknown
 * codes and no codes at all are a plain refusal.
 */
function classify(service: SriService, messages: readonly SriMessage[]): Verdict {
  const counted = messages.flatMap((message) => verdictOf(service, message));
  const first = (wanted: AnswerClass): Verdict | undefined => counted.find((verdict) => verdict.class === wanted);
  const strongest = first('held_by_sri') ?? first('sequential_taken') ?? first('blocked');
  if (strongest !== undefined) return strongest;
  const refusals = counted.filter((verdict) => verdict.class === 'refused');
  const [refusal] = refusals;
  if (refusal === undefined) return first('transient') ?? { class: 'refused', code: null };
  const mendable = refusals.every((verdict) => verdict.mendable === 'resign') ? 'resign' : undefined;
  return {
    class: 'refused',
    code: refusal.code,
    ...(mendable === undefined ? {} : { mendable }),
    ...(refusals.some((verdict) => verdict.ours === true) ? { ours: true } : {}),
  };
}

function verdictOf(service: SriService, { identifier, messageType }: SriMessage): Verdict[] {
  const isWarning = messageType === 'ADVERTENCIA' || messageType === 'INFORMATIVO';
  const row = identifier === null ? undefined : rowOf(service, identifier);
  if (row === undefined) return isWarning ? [] : [{ class: 'refused', code: identifier }];
  const { class: found, ...rest } = row;
  if (found === 'warning' || found === 'no_evidence') return [];
  // Whatever its type says, a held key or number must not be sent again blindly.
  if (isWarning && found !== 'held_by_sri' && found !== 'sequential_taken') return [];
  return [{ class: found, code: identifier, ...rest }];
}

/** `043` and `43` are the same code. */
function canonicalCode(code: string): string {
  return code.trim().replace(/^0+(?=\d)/, '');
}

/** What the `estado` of an authorization entry says. */
export type AuthorizationState = 'authorized' | 'refused' | 'in_process' | 'unknown';

const STATES: ReadonlyMap<string, AuthorizationState> = new Map([
  ['AUTORIZADO', 'authorized'],
  ['NO AUTORIZADO', 'refused'],
  ['RECHAZADO', 'refused'],
  ['EN PROCESO', 'in_process'],
  ['EN PROCESAMIENTO', 'in_process'],
  ['PPR', 'in_process'],
]);

/** Unknown is neither authorized nor refused; RECHAZADA refuses a query, not a document. */
export function authorizationState(estado: string): AuthorizationState {
  return STATES.get(estado) ?? 'unknown';
}
