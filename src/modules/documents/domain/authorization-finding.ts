import { documentDigest } from '../../../sri/document-digest.js';
import type { AuthorizationAnswer, AuthorizationEntry } from '../../../sri/soap/authorization.js';
import { authorizationState } from '../../../sri/soap/classification.js';
import type { SriMessage } from '../../../sri/soap/message.js';
import type { DocumentState, Signing } from './document.js';
import { isSettled } from './lifecycle.js';

/** What the SRI says of a document. */
export interface Answers {
  /** Asked by its access key. */
  readonly answer: AuthorizationAnswer;
  /** Asked by `formerKeys`, in their order, as far as was asked: no further than what authorizes it, or than a question without an answer where others may have one. */
  readonly former?: readonly AuthorizationAnswer[];
}

/** Access keys that the document had before a correction gave it another date: the SRI may have taken what was sent under one. */
export const formerKeys = ({ accessKey, signings }: DocumentState): readonly string[] =>
  [...new Set(signings.map((signing) => signing.accessKey))].filter((key) => key !== accessKey);

/** What the authorization service says about the document as it was last signed. */
export type AuthorizationFinding =
  | ({ readonly kind: 'authorized' } & Authorization)
  /** Authorized under our key, but not the bytes we sent. `formerKey`: the key, where it is not the present one. */
  | { readonly kind: 'mismatch'; readonly formerKey?: string }
  | { readonly kind: 'in_process' }
  /** `decidedAt`: null where the SRI does not say when, or not in a way that can be read. */
  | { readonly kind: 'refused'; readonly messages: readonly SriMessage[]; readonly decidedAt: Date | null }
  /** Asked by key: nothing there. */
  | { readonly kind: 'absent' }
  /** Nothing there but refusals that are not known to be of the current signing: of older ones, or of nobody knows which. */
  | { readonly kind: 'former_refused'; readonly messages: readonly SriMessage[] }
  /** Not there, but the SRI is at work on what was sent under a former key: of one number it takes one document. */
  | { readonly kind: 'former_in_process' }
  /** An authorization that does not show of what: neither refused nor absent, whatever else is listed, under whichever key. */
  | { readonly kind: 'unshown'; readonly formerKey?: string }
  /** An entry that neither authorizes nor refuses. */
  | { readonly kind: 'unusable' }
  /** `isHeard`: the SRI did answer, in a way that proves nothing. */
  | { readonly kind: 'no_answer'; readonly reason: string; readonly retryAfterSeconds?: number; readonly isHeard?: boolean };

/** The finding of all answers together: whatever authorizes the document wins; "not held" needs an answer under every key. */
export function findingOf(document: DocumentState, { answer, former = [] }: Answers): AuthorizationFinding {
  const found = findingUnderKey(document, answer);
  if (found.kind === 'authorized' || former.length === 0) return found;
  const before = former.map((one) => findingUnderKey(document, one, { isFormer: true }));
  const told = (kind: AuthorizationFinding['kind']): AuthorizationFinding | undefined => before.find((one) => one.kind === kind);
  const authorized = told('authorized');
  if (authorized) return authorized;
  const another = ofFormerKey(document, before, 'mismatch') ?? ofFormerKey(document, before, 'unshown');
  // What the present key may still say is not waited for where nobody waits any more: who settles the document must know.
  if (another && found.kind !== 'mismatch' && (found.kind === 'refused' || isSettled(document.status))) return another;
  if (found.kind !== 'absent' && found.kind !== 'former_refused') return found;
  if (told('in_process')) return { kind: 'former_in_process' };
  // That nobody holds it is known only once every question had an answer that says so.
  return another ?? told('no_answer') ?? told('unusable') ?? found;
}

/** The first such finding under a former key, with that key. */
function ofFormerKey(document: DocumentState, before: readonly AuthorizationFinding[], kind: 'mismatch' | 'unshown'): AuthorizationFinding | undefined {
  const at = before.findIndex((one) => one.kind === kind);
  const formerKey = formerKeys(document)[at];
  return formerKey === undefined ? undefined : { kind, formerKey };
}

function findingUnderKey(document: DocumentState, answer: AuthorizationAnswer, { isFormer = false } = {}): AuthorizationFinding {
  if (answer.kind === 'no_evidence') return { ...answer, kind: 'no_answer' };
  if (answer.kind === 'not_delivered') return { kind: 'no_answer', reason: answer.reason };
  const { entries } = answer;
  const authorization = authorizationIn(document, answer);
  if (authorization) return { kind: 'authorized', ...authorization };
  if (entries.some((one) => isAuthorization(one) && showsAnother(document, one))) return { kind: 'mismatch' };
  if (entries.some(isAuthorization)) return { kind: 'unshown' };
  const states = new Set(entries.map(({ estado }) => authorizationState(estado)));
  if (states.has('in_process')) return { kind: 'in_process' };
  const refusals = entries.filter(({ estado }) => authorizationState(estado) === 'refused');
  const refusal = refusals.filter((one) => concernsCurrentSigning(document, one, isFormer)).reduce(latest, null);
  if (refusal) return { kind: 'refused', messages: refusal.messages, decidedAt: instantOf(refusal) };
  if (states.has('unknown')) return { kind: 'unusable' };
  const formerRefusal = refusals.reduce(latest, null);
  return formerRefusal ? { kind: 'former_refused', messages: formerRefusal.messages } : { kind: 'absent' };
}

/** A time of the SRI; without an offset it is Ecuador's, not that of the machine that reads it. */
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:?\d{2})?$/;

/** A date before the year 2000, or of 2100 or later, stands for none, as 9999-12-31 does; PostgreSQL stores not all of those. */
const [EARLIEST, LATEST] = [Date.parse('2000-01-01T00:00:00Z'), Date.parse('2100-01-01T00:00:00Z')];

/** When the SRI decided; null where it does not say, or not in a way that can be read. */
export function instantOf({ fechaAutorizacion }: AuthorizationEntry): Date | null {
  const read = ISO_TIME.exec(fechaAutorizacion ?? '');
  const time = read === null ? Number.NaN : Date.parse(read[1] === undefined ? `${read[0]}-05:00` : read[0]);
  return time >= EARLIEST && time < LATEST ? new Date(time) : null;
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

/** An authorization that does not show its bytes is another's only where its number is. */
const showsAnother = ({ signings }: DocumentState, { comprobante, numeroAutorizacion }: AuthorizationEntry): boolean =>
  comprobante !== null || (numeroAutorizacion !== null && !signings.some(({ accessKey }) => accessKey === numeroAutorizacion));

/** The signings whose bytes the entry holds. */
function signingsOf({ signings }: DocumentState, { comprobante }: AuthorizationEntry): readonly Signing[] {
  if (comprobante === null) return [];
  const digest = documentDigest(comprobante);
  return signings.filter((sent) => sent.digest === digest);
}

/** A refusal of an older signing says nothing about the current one. A refusal without bytes is attributed by its key, if only one signing had that key. */
function concernsCurrentSigning(document: DocumentState, entry: AuthorizationEntry, isFormer: boolean): boolean {
  if (entry.comprobante === null) return !isFormer && document.signings.filter(({ accessKey }) => accessKey === document.accessKey).length <= 1;
  return signingsOf(document, entry).some(({ signingNo }) => signingNo === document.signingNo);
}

function latest(best: AuthorizationEntry | null, entry: AuthorizationEntry): AuthorizationEntry {
  const [before, at] = [best && instantOf(best), instantOf(entry)];
  return best === null || before === null || at === null || at >= before ? entry : best;
}
