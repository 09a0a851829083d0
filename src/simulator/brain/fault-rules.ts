import { z } from 'zod';
import {
  authorizationAction,
  consultationAction,
  delayAction,
  receptionAction,
  SERVICE_NAMES,
  type ServiceName,
  servicesOf,
  storingAction,
  transportAction,
} from './fault-actions.js';

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
        /** `01`, `04`, ...: by the key. */
        document_type: z
          .string()
          .regex(/^\d{2}$/, 'a document type is 2 digits')
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
      ...storingAction.options,
      ...authorizationAction.options,
      ...consultationAction.options,
    ]),
  })
  .refine((rule) => rule.nth === undefined || (rule.skip === undefined && rule.times === undefined), {
    message: 'nth excludes skip and times',
    path: ['nth'],
  })
  .superRefine(({ action, match }, context) => {
    const possible = servicesOf(action.kind);
    if (match.service === undefined || possible.includes(match.service)) return;
    context.addIssue({ code: 'custom', message: `this action is for ${possible.join()} only`, path: ['action', 'kind'] });
  });

export type FaultRule = z.infer<typeof faultRule>;
export type FaultRuleInput = z.input<typeof faultRule>;
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
  return servicesOf(rule.action.kind).includes(service);
}
