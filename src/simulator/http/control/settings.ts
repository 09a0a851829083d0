import { z } from 'zod';
import type { SriBrain } from '../../brain/brain.js';
import { type ControlAnswer, ok, refused } from './answer.js';

const taxpayerState = z
  .strictObject({
    exists: z.boolean(),
    active: z.boolean(),
    sanctioned: z.boolean(),
    closed_establishments: z.array(z.string()),
    sanctioned_establishments: z.array(z.string()),
    class_allowed: z.boolean(),
    agreement_accepted: z.boolean(),
    enrolled_in: z.array(z.enum(['1', '2'])),
    suspended: z.boolean(),
    allowed_types: z.array(z.string()).nullable(),
  })
  .partial();

const changeableSettings = z
  .strictObject({
    environments: z.array(z.enum(['1', '2'])).min(1),
    processing_ms: z
      .strictObject({ min: z.int().min(0), max: z.int().min(0) })
      .refine(({ min, max }) => min <= max, { message: 'min must not exceed max' }),
    pending_answer: z.enum(['in_process', 'empty']),
    issue_window_days: z.int().min(0),
    discontinued_schemas: z.array(z.string()),
    signature_engine: z.enum(['xml-crypto', 'libxml2']),
    unknown_receivers: z.array(z.string()),
    revoked_certificates: z.array(z.string()),
    holidays: z.array(z.iso.date()),
    magic_values: z.boolean(),
  })
  .partial();

/** Names of the settings and of a taxpayer's properties, for the documentation. */
export const CHANGEABLE = {
  settings: Object.keys(changeableSettings.shape),
  taxpayer: Object.keys(taxpayerState.shape),
} as const;

/** `PUT /control/taxpayers/{ruc}`: the state replaces the former one; what it leaves out is healthy. */
export function setTaxpayer(brain: SriBrain, ruc: string, body: unknown): ControlAnswer {
  if (!/^\d{13}$/.test(ruc)) return refused('the path must end in a RUC of 13 digits');
  const parsed = taxpayerState.safeParse(body);
  if (!parsed.success) return refused(parsed.error);
  const taxpayers = brain.authority.currentSettings().taxpayers;
  brain.authority.configure({ taxpayers: { ...taxpayers, [ruc]: camelKeys(parsed.data) } });
  return ok({ ruc, ...parsed.data });
}

/** `PATCH /control/settings`. */
export function changeSettings(brain: SriBrain, body: unknown): ControlAnswer {
  const parsed = changeableSettings.safeParse(body);
  if (!parsed.success) return refused(parsed.error);
  brain.authority.configure(camelKeys(parsed.data));
  return ok(parsed.data);
}

type Camel<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name;
type CamelKeys<Values> = { [Name in keyof Values as Camel<Name>]: Values[Name] };

/** `processing_ms` to `processingMs`. */
function camelKeys<Values extends object>(values: Values): CamelKeys<Values> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      value as unknown,
    ]),
  ) as CamelKeys<Values>;
}
