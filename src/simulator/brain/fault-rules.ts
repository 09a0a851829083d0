import { z } from 'zod';

/** The simulated services. */
export const SERVICE_NAMES = ['reception', 'authorization', 'consultation'] as const;

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

const transportAction = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('hang'), phase }),
  z.strictObject({ kind: z.literal('reset'), phase }),
  z.strictObject({
    kind: z.literal('http'),
    status: z.int().min(200).max(599),
    body: z.string().max(100_000).optional(),
    content_type: z.string().max(200).default('text/html; charset=utf-8'),
    headers: z.record(z.string(), z.string()).default({}),
    phase: phase.default('before'),
  }),
  z.strictObject({
    kind: z.literal('malformed'),
    body: z.enum(MALFORMED_BODIES),
    phase: phase.default('after'),
  }),
  z.strictObject({ kind: z.literal('drip'), bytes_per_second: z.int().min(1).max(1_000_000) }),
]);

const receptionAction = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('refuse'),
    code,
    at: z.enum(['reception', 'authorization']),
    /** Only at reception: keep the document although the answer says DEVUELTA. */
    stored: z.boolean().default(false),
    info: z.string().max(1000).optional(),
  }),
]);

const authorizationAction = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('in_process') }),
  z.strictObject({ kind: z.literal('empty') }),
  z.strictObject({ kind: z.literal('answer_refused'), code, info: z.string().max(1000).optional() }),
  z.strictObject({ kind: z.literal('state'), estado: z.string().max(100) }),
  z.strictObject({ kind: z.literal('tampered'), what: z.enum(['document', 'key']) }),
]);

const consultationAction = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('consult_refused'), code: code.default('99'), info: z.string().max(1000).optional() }),
  z.strictObject({ kind: z.literal('consult_state'), estado: z.string().max(100) }),
]);

const delayAction = z.strictObject({ kind: z.literal('delay'), ms: z.int().min(0).max(600_000) });

/** Actions that only one service can do. */
const ONLY_AT: Readonly<Record<string, ServiceName>> = Object.fromEntries([
  ...kindsOf(receptionAction).map((kind) => [kind, 'reception'] as const),
  ...kindsOf(authorizationAction).map((kind) => [kind, 'authorization'] as const),
  ...kindsOf(consultationAction).map((kind) => [kind, 'consultation'] as const),
]);

const faultRule = z
  .strictObject({
    match: z
      .strictObject({
        service: z.enum(SERVICE_NAMES).optional(),
        access_key: z
          .string()
          .regex(/^\d{49}$/, 'an access key is 49 digits')
          .optional(),
        ruc: z
          .string()
          .regex(/^\d{13}$/, 'a RUC is 13 digits')
          .optional(),
      })
      .default({}),
    /** Which matching requests are hit, counted from 1. Excludes `skip` and `times`. */
    nth: z.array(z.int().min(1)).min(1).optional(),
    /** Matching requests that pass untouched before the first hit. */
    skip: z.int().min(0).optional(),
    /** How many requests are hit; null for all until the rule is removed. Default 1. */
    times: z.int().min(1).nullable().optional(),
    /** Count the requests of each access key apart. */
    per_key: z.boolean().default(false),
    action: z.discriminatedUnion('kind', [
      delayAction,
      ...transportAction.options,
      ...receptionAction.options,
      ...authorizationAction.options,
      ...consultationAction.options,
    ]),
  })
  .refine((rule) => rule.nth === undefined || (rule.skip === undefined && rule.times === undefined), {
    message: 'nth excludes skip and times',
    path: ['nth'],
  })
  .superRefine(({ action, match }, context) => {
    const only = ONLY_AT[action.kind];
    if (only === undefined || match.service === undefined || match.service === only) return;
    context.addIssue({ code: 'custom', message: `this action is for ${only} only`, path: ['action', 'kind'] });
  });

export type FaultRule = z.infer<typeof faultRule>;
export type FaultRuleInput = z.input<typeof faultRule>;
export type TransportAction = z.infer<typeof transportAction>;
export type ReceptionAction = z.infer<typeof receptionAction>;
export type AuthorizationAction = z.infer<typeof authorizationAction>;
export type ConsultationAction = z.infer<typeof consultationAction>;
export type ServiceName = (typeof SERVICE_NAMES)[number];

/** A rule that cannot be used; the message names every fault in it. */
export class InvalidFaultRule extends Error {}

/**
 * Checks rules that come from outside: one rule, or `{rules: [...]}`.
 *
 * @throws InvalidFaultRule naming each wrong field
 */
export function parseFaultRules(input: unknown): readonly FaultRule[] {
  const parsed = z.union([z.strictObject({ rules: z.array(z.unknown()).max(1000) }), z.unknown()]).parse(input);
  const list = hasRules(parsed) ? parsed.rules : [parsed];
  return list.map((rule, index) => {
    const result = faultRule.safeParse(rule);
    if (result.success) return result.data;
    const details = result.error.issues.map(
      (issue) => `${[`rules[${index}]`, ...issue.path].join('.')}: ${issue.message}`,
    );
    throw new InvalidFaultRule(details.join('; '));
  });
}

function hasRules(value: unknown): value is { readonly rules: readonly unknown[] } {
  return typeof value === 'object' && value !== null && 'rules' in value && Array.isArray(value.rules);
}

/** Which services an action can act on. */
export function actsOn(rule: FaultRule, service: ServiceName): boolean {
  if (rule.match.service !== undefined && rule.match.service !== service) return false;
  return (ONLY_AT[rule.action.kind] ?? service) === service;
}

function kindsOf(union: { readonly options: readonly { readonly shape: { readonly kind: z.ZodLiteral<string> } }[] }): readonly string[] {
  return union.options.map(({ shape }) => shape.kind.value);
}
