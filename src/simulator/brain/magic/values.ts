import { DOCUMENT_SERVICES, type DocumentService, type FaultAction, MALFORMED_BODIES } from '../fault-actions.js';
import { SRI_MESSAGES } from '../messages.js';

/** One value that a document can ask the simulator for. */
export interface MagicValue {
  readonly name: string;
  /** What follows a colon; null where nothing may. */
  readonly argument: MagicArgument | null;
  /** Where it acts unless `@service` says otherwise. */
  readonly service: DocumentService;
  /** Services that `@` may name. */
  readonly movableTo: readonly DocumentService[];
  /** How many requests about the key it hits without `xN`; null for all. */
  readonly times: number | null;
  readonly meaning: string;
  /** What a client that does everything right comes to. */
  readonly leadsTo: string;
  /** @param service what `@` named, null without it */
  action(argument: string, service: DocumentService | null): FaultAction;
}

export interface MagicArgument {
  readonly name: string;
  /** Taken when the colon is missing; null when it must be there. */
  readonly fallback: string | null;
  readonly pattern: RegExp;
}

const CODES_HELD: ReadonlySet<string> = new Set(['43', '70']);
/** Reported once, so that the document goes on. */
const CODES_ONCE: ReadonlySet<string> = new Set(['43', '50', '70', '80']);
const NOTHING_ELSE: Pick<MagicValue, 'argument' | 'movableTo' | 'times'> = { argument: null, movableTo: [], times: 1 };
const seconds = (fallback: string): MagicArgument => ({ name: 'SECONDS', fallback, pattern: /^\d{1,7}(\.\d{1,3})?$/ });
const codeArgument = (fallback: string | null): MagicArgument => ({ name: 'CODE', fallback, pattern: /^\d{1,4}$/ });
const AUTHORIZED_ONCE = 'AUTHORIZED, the document sent once';

/** A code of the SRI is a value by itself: the SRI reports it where it reports it. */
const CODE_VALUES: readonly MagicValue[] = Object.entries(SRI_MESSAGES).map(([code, row]) => ({
  name: code,
  argument: null,
  service: row.at === 'reception' ? 'reception' : row.at === 'consultation' ? 'consultation' : decidedBy(row.at, row.type),
  movableTo: row.type === 'ERROR' && row.at !== 'consultation' ? ['reception', 'authorization'] : [],
  times: CODES_ONCE.has(code) ? 1 : null,
  meaning: row.meaning,
  leadsTo: outcomeOf(code),
  action: (_, service) => codeAction(code, service),
}));

/** Refusals and warnings at authorization are decided when the document is stored, that is by a submission. */
function decidedBy(at: 'authorization' | 'query', type: string | null): DocumentService {
  return at === 'query' || type === null ? 'authorization' : 'reception';
}

function codeAction(code: string, service: DocumentService | null): FaultAction {
  const row = SRI_MESSAGES[code];
  if (row?.type === 'ADVERTENCIA') return { kind: 'warn', code };
  switch (row?.at) {
    case 'query':
      return { kind: 'query_refused', code };
    case 'consultation':
      return { kind: 'consult_refused', code };
    case 'authorization':
    case 'reception':
    case undefined:
      return { kind: 'refuse', code, at: refusalAt(service ?? row?.at ?? null), stored: CODES_HELD.has(code) };
  }
}

function refusalAt(at: string | null): 'reception' | 'authorization' {
  return at === 'authorization' ? 'authorization' : 'reception';
}

function outcomeOf(code: string): string {
  const row = SRI_MESSAGES[code];
  if (row?.type === 'ADVERTENCIA') return 'AUTHORIZED with the warning';
  switch (code) {
    case '43':
    case '70':
      return AUTHORIZED_ONCE;
    case '45':
      return 'MANUAL_REVIEW_REQUIRED, SEQUENTIAL_TAKEN';
    case '50':
      return 'AUTHORIZED, the same bytes sent again';
    case '80':
      return 'AUTHORIZED, asked again';
    case '99':
      return 'AUTHORIZED; a cancellation stays CANCELLATION_REQUESTED';
    default:
      return 'REJECTED';
  }
}

const TRANSPORT: readonly Omit<MagicValue, 'service' | 'movableTo'>[] = [
  {
    name: 'timeout-before',
    argument: null,
    times: 1,
    meaning: 'no answer; the request was not processed',
    leadsTo: 'AUTHORIZED, sent again after the question found nothing',
    action: () => ({ kind: 'hang', phase: 'before' }),
  },
  {
    name: 'timeout-after',
    argument: null,
    times: 1,
    meaning: 'no answer although the request was processed',
    leadsTo: AUTHORIZED_ONCE,
    action: () => ({ kind: 'hang', phase: 'after' }),
  },
  {
    name: 'reset-before',
    argument: null,
    times: 1,
    meaning: 'the connection is torn down, nothing processed',
    leadsTo: 'AUTHORIZED, sent again',
    action: () => ({ kind: 'reset', phase: 'before' }),
  },
  {
    name: 'reset-after',
    argument: null,
    times: 1,
    meaning: 'the connection is torn down after processing',
    leadsTo: AUTHORIZED_ONCE,
    action: () => ({ kind: 'reset', phase: 'after' }),
  },
  {
    name: 'html',
    argument: { name: 'STATUS', fallback: '502', pattern: /^[2-5]\d\d$/ },
    times: 1,
    meaning: 'an HTML page with this HTTP status; `html-502` is the same as `html:502`; 429 and 503 ask to wait 2 seconds',
    leadsTo: 'AUTHORIZED, sent again',
    action: (status) => htmlPage(Number(status)),
  },
  {
    name: 'malformed',
    argument: { name: 'BODY', fallback: 'truncated', pattern: new RegExp(`^(${MALFORMED_BODIES.join('|')})$`) },
    times: 1,
    meaning: `processed, but the answer is spoilt: ${MALFORMED_BODIES.join(', ')}`,
    leadsTo: AUTHORIZED_ONCE,
    action: (body) => ({ kind: 'malformed', body: MALFORMED_BODIES.find((name) => name === body) ?? 'truncated', phase: 'after' }),
  },
  {
    name: 'slow',
    argument: seconds('5'),
    times: 1,
    meaning: 'the answer comes so much later',
    leadsTo: 'AUTHORIZED',
    action: (duration) => ({ kind: 'delay', ms: Math.min(Math.round(Number(duration) * 1000), 600_000) }),
  },
  {
    name: 'slow-bytes',
    argument: { name: 'PER_SECOND', fallback: '20', pattern: /^[1-9]\d{0,5}$/ },
    times: 1,
    meaning: 'processed, then the answer comes byte by byte',
    leadsTo: AUTHORIZED_ONCE,
    action: (rate) => ({ kind: 'drip', bytes_per_second: Number(rate) }),
  },
];

/** A maintenance page; the two statuses that ask a client to wait say for how long. */
function htmlPage(status: number): FaultAction {
  return {
    kind: 'http',
    status,
    content_type: 'text/html; charset=utf-8',
    headers: status === 429 || status === 503 ? { 'retry-after': '2' } : {},
    phase: 'before',
  };
}

const MEANINGS: readonly MagicValue[] = [
  {
    ...NOTHING_ELSE,
    name: 'refuse',
    argument: codeArgument(null),
    service: 'reception',
    movableTo: ['reception', 'authorization'],
    times: null,
    meaning: 'refused with any code, also one that no text lists',
    leadsTo: 'REJECTED',
    action: (code, service) => ({ kind: 'refuse', code, at: refusalAt(service), stored: false }),
  },
  {
    ...NOTHING_ELSE,
    name: '45-held',
    service: 'reception',
    meaning: 'code 45, and the number is held by this very key',
    leadsTo: AUTHORIZED_ONCE,
    action: () => ({ kind: 'refuse', code: '45', at: 'reception', stored: true }),
  },
  {
    ...NOTHING_ELSE,
    name: 'in-process',
    argument: seconds('60'),
    service: 'reception',
    times: null,
    meaning: 'received, then EN PROCESO so long',
    leadsTo: 'AUTHORIZATION_PENDING, then AUTHORIZED',
    action: (duration) => ({ kind: 'processing', seconds: Number(duration) }),
  },
  {
    ...NOTHING_ELSE,
    name: 'empty',
    service: 'authorization',
    meaning: 'the question is answered with no entry',
    leadsTo: 'AUTHORIZED, asked again',
    action: () => ({ kind: 'empty' }),
  },
  {
    ...NOTHING_ELSE,
    name: 'unknown-state',
    service: 'authorization',
    meaning: 'the question is answered with a state that no text lists',
    leadsTo: 'AUTHORIZED, asked again',
    action: () => ({ kind: 'state', estado: 'QUIZAS' }),
  },
  {
    ...NOTHING_ELSE,
    name: 'double-authorization',
    service: 'authorization',
    times: null,
    meaning: 'the authorization comes twice in one answer',
    leadsTo: 'AUTHORIZED, once',
    action: () => ({ kind: 'repeated' }),
  },
  {
    ...NOTHING_ELSE,
    name: 'refused-before',
    argument: codeArgument('39'),
    service: 'authorization',
    times: null,
    meaning: 'an older refusal comes before the authorization in the same answer',
    leadsTo: 'AUTHORIZED',
    action: (code) => ({ kind: 'refused_before', code }),
  },
  {
    ...NOTHING_ELSE,
    name: 'false-refusal',
    argument: codeArgument('39'),
    service: 'authorization',
    meaning: 'the first answer says NO AUTORIZADO although the document is authorized',
    leadsTo: 'REJECTED; AUTHORIZED when it is compared with the SRI again',
    action: (code) => ({ kind: 'answer_refused', code }),
  },
  {
    ...NOTHING_ELSE,
    name: 'tampered',
    service: 'authorization',
    times: null,
    meaning: 'the authorization returns another document than the one sent',
    leadsTo: 'MANUAL_REVIEW_REQUIRED',
    action: () => ({ kind: 'tampered', what: 'document' }),
  },
  {
    ...NOTHING_ELSE,
    name: 'tampered-key',
    service: 'authorization',
    meaning: 'the answer is about another access key',
    leadsTo: 'AUTHORIZED, asked again',
    action: () => ({ kind: 'tampered', what: 'key' }),
  },
  ...(['accepts', 'refuses', 'silent'] as const).map((receiver): MagicValue => ({
    ...NOTHING_ELSE,
    name: { accepts: 'annul', refuses: 'annul-refused', silent: 'annul-silent' }[receiver],
    argument: seconds('5'),
    service: 'reception',
    times: null,
    meaning: `once authorized, annulled in the portal; where the receiver must accept, he ${{ accepts: 'accepts after so long', refuses: 'refuses after so long', silent: 'never answers' }[receiver]}`,
    leadsTo: {
      accepts: 'AUTHORIZED; a cancellation becomes CANCELLED',
      refuses: 'AUTHORIZED; a cancellation of 04, 05, 07 ends AUTHORIZED',
      silent: 'AUTHORIZED; a cancellation of 04, 05, 07 ends AUTHORIZED after five business days',
    }[receiver],
    action: (duration) => ({ kind: 'annul', receiver, after_seconds: Number(duration) }),
  })),
];

/** Every value, in the order of the documentation. */
export const MAGIC_VALUES: readonly MagicValue[] = [
  ...CODE_VALUES,
  ...TRANSPORT.map((value): MagicValue => ({ ...value, service: 'reception', movableTo: DOCUMENT_SERVICES })),
  ...MEANINGS,
];
