import { validateHeaderName, validateHeaderValue } from 'node:http';
import { z } from 'zod';

/** The services that take and answer for documents, over SOAP. */
export const DOCUMENT_SERVICES = ['reception', 'authorization', 'consultation'] as const;
/** The simulated services: those, and the public registry of taxpayers. */
export const SERVICE_NAMES = [...DOCUMENT_SERVICES, 'registry'] as const;

const phase = z.enum(['before', 'after']);
const code = z.string().regex(/^\d{1,4}$/, 'a message code is 1 to 4 digits');

/** Bodies that no well-behaved service sends. */
export const MALFORMED_BODIES = [
  'empty',
  'truncated',
  'not_xml',
  'wrong_namespace',
  'soap_fault',
  'byte_order_mark',
  'wrong_encoding',
  'entity_bomb',
  'external_entity',
  'unknown_root',
  'oversized',
] as const;

/** Headers by which an answer is sent: one that does not fit the answer would keep it from being sent at all. */
const FRAMING_HEADERS = ['Connection', 'Content-Length', 'Trailer', 'Transfer-Encoding'] as const;

const headers = z.record(z.string(), z.string()).superRefine((given, context) => {
  for (const [name, value] of Object.entries(given)) {
    const problem = headerProblem(name, value);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem, path: [name] });
  }
});

function headerProblem(name: string, value: string): string | null {
  if (FRAMING_HEADERS.some((framing) => framing.toLowerCase() === name.toLowerCase())) return 'the simulator sets this header itself';
  if (!isTaken(() => validateHeaderName(name))) return 'not a name of an HTTP header';
  return isHeaderValue(value) ? null : 'not a value of an HTTP header';
}

function isHeaderValue(value: string): boolean {
  return isTaken(() => validateHeaderValue('any', value));
}

function isTaken(validate: () => void): boolean {
  try {
    validate();
    return true;
  } catch {
    // Node's words name the header only, which the path of the issue does already.
    return false;
  }
}

export const transportAction = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('hang'), phase }),
  z.strictObject({ kind: z.literal('reset'), phase }),
  z.strictObject({
    kind: z.literal('http'),
    status: z.int().min(200).max(599),
    body: z.string().max(100_000).optional(),
    content_type: z.string().max(200).refine(isHeaderValue, 'not a value of an HTTP header').default('text/html; charset=utf-8'),
    headers: headers.default({}),
    phase: phase.default('before'),
  }),
  z.strictObject({
    kind: z.literal('malformed'),
    body: z.enum(MALFORMED_BODIES),
    phase: phase.default('after'),
  }),
  z.strictObject({ kind: z.literal('drip'), bytes_per_second: z.int().min(1).max(1_000_000) }),
]);

export const receptionAction = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('refuse'),
    code,
    at: z.enum(['reception', 'authorization']),
    /** Only at reception: keep the document although the answer says DEVUELTA. */
    stored: z.boolean().default(false),
    info: z.string().max(1000).optional(),
  }),
]);

export const authorizationAction = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('in_process') }),
  z.strictObject({ kind: z.literal('empty') }),
  z.strictObject({ kind: z.literal('repeated') }),
  z.strictObject({ kind: z.literal('refused_before'), code: code.default('39') }),
  z.strictObject({ kind: z.literal('query_refused'), code: code.default('80') }),
  z.strictObject({ kind: z.literal('answer_refused'), code, info: z.string().max(1000).optional() }),
  z.strictObject({ kind: z.literal('state'), estado: z.string().max(100) }),
  z.strictObject({ kind: z.literal('tampered'), what: z.enum(['document', 'key']) }),
]);

export const consultationAction = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('consult_refused'), code: code.default('99'), info: z.string().max(1000).optional() }),
  z.strictObject({ kind: z.literal('consult_state'), estado: z.string().max(100) }),
]);

/** What changes the document that a submission stores; does not exclude other actions. */
export const storingAction = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('processing'), seconds: z.number().min(0).max(90 * 24 * 3600) }),
  z.strictObject({ kind: z.literal('warn'), code, info: z.string().max(1000).optional() }),
  z.strictObject({
    kind: z.literal('annul'),
    /** What the receiver does, where one is asked. */
    receiver: z.enum(['accepts', 'refuses', 'silent']).default('accepts'),
    /** How long he takes. */
    after_seconds: z.number().min(0).max(90 * 24 * 3600).default(5),
  }),
]);

export const delayAction = z.strictObject({ kind: z.literal('delay'), ms: z.int().min(0).max(600_000) });

export type TransportAction = z.infer<typeof transportAction>;
export type ReceptionAction = z.infer<typeof receptionAction>;
export type AuthorizationAction = z.infer<typeof authorizationAction>;
export type ConsultationAction = z.infer<typeof consultationAction>;
export type StoringAction = z.infer<typeof storingAction>;
type DelayAction = z.infer<typeof delayAction>;
/** An action that decides a request alone: of several, the first one wins. */
type DecisiveAction = TransportAction | ReceptionAction | AuthorizationAction | ConsultationAction;
export type FaultAction = DelayAction | StoringAction | DecisiveAction;
export type ServiceName = (typeof SERVICE_NAMES)[number];
export type DocumentService = (typeof DOCUMENT_SERVICES)[number];

/** What each action does, for the documentation. */
export const ACTION_MEANINGS: Readonly<Record<FaultAction['kind'], string>> = {
  delay: '`ms`: the answer takes so much longer; adds to other actions',
  hang: '`phase` before or after processing: no answer ever',
  reset: '`phase`: the connection is torn down',
  http: `\`status\`, \`body\`, \`content_type\`, \`headers\` (none of ${FRAMING_HEADERS.join(', ')}), \`phase\` (default before): another HTTP answer, by default an HTML page`,
  malformed: '`body`, `phase` (default after): a spoilt answer, one of those listed below',
  drip: '`bytes_per_second`: the answer comes byte by byte',
  refuse: '`code`, `at` reception or authorization, `stored`, `info`: DEVUELTA, or stored and NO AUTORIZADO; `stored` keeps the document although the answer is DEVUELTA',
  processing: '`seconds`: the document stays in process so long; adds to other actions',
  warn: '`code`, `info`: the decision carries this warning; adds to other actions',
  annul: '`receiver` accepts, refuses or silent, `after_seconds`: once authorized, the document is annulled in the portal; adds to other actions',
  in_process: 'the question is answered EN PROCESO',
  empty: 'the question is answered with no entry',
  repeated: 'the last entry comes twice',
  refused_before: '`code`: an older refusal comes before the entries',
  query_refused: '`code` (default 80): the question itself is refused, without echo of the key',
  answer_refused: '`code`, `info`: the answer says NO AUTORIZADO whatever is held',
  state: '`estado`: the answer says this state',
  tampered: '`what` document or key: the answer is about another document or another key',
  consult_refused: '`code` (default 99), `info`: the consultation is refused',
  consult_state: '`estado`: the consultation says this state',
};

/** Whether an action acts beside one that decides, before or after it. */
export function addsUp(action: FaultAction): boolean {
  return ADDING.has(action.kind);
}

const ADDING: ReadonlySet<string> = new Set([delayAction.shape.kind.value, ...kindsOf(storingAction)]);

/** The services that an action can act on. */
export function servicesOf(kind: FaultAction['kind']): readonly ServiceName[] {
  const only = ONLY_AT[kind];
  return only === undefined ? SERVICE_NAMES : [only];
}

const ONLY_AT: Readonly<Record<string, ServiceName>> = Object.fromEntries([
  ...kindsOf(receptionAction).map((kind) => [kind, 'reception'] as const),
  ...kindsOf(storingAction).map((kind) => [kind, 'reception'] as const),
  ...kindsOf(authorizationAction).map((kind) => [kind, 'authorization'] as const),
  ...kindsOf(consultationAction).map((kind) => [kind, 'consultation'] as const),
]);

function kindsOf(union: {
  readonly options: readonly { readonly shape: { readonly kind: z.ZodLiteral<string> } }[];
}): readonly string[] {
  return union.options.map(({ shape }) => shape.kind.value);
}
