import 'reflect-metadata';

/** Outcome of checking one value: its normal form, or the stable failure type with its parameters. */
export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly type: string; readonly ctx: Readonly<Record<string, unknown>> };

export type DtoClass = new () => object;

/** Everything the service knows about one field of a request, declared by one decorator of `fields.ts`. */
export interface FieldSpec {
  readonly required: boolean;
  /** Names of sibling fields of which any makes this one optional by its presence; null then counts as absent. */
  readonly requiredUnless: readonly string[];
  /** Names of sibling fields of which any makes this one required by its presence. */
  readonly requiredWith: readonly string[];
  /** The sibling field with which this one bounds a range. */
  readonly endOf: RangeStart | null;
  readonly nullable: boolean;
  /** A secret value is never echoed in an answer. */
  readonly secret: boolean;
  /** Checks and normalises a present, non-null leaf value. Accepts its own normal form. */
  readonly check: (value: unknown) => Checked;
  readonly nested: NestedSpec | null;
  /** A list of plain values. */
  readonly list: boolean;
  /** An object whose inside is the caller's own: taken whole, judged by `check` alone. */
  readonly opaque: boolean;
}

/** Where a range begins, and whether it may end there too. */
export interface RangeStart {
  readonly from: string;
  readonly inclusive: boolean;
}

export interface NestedSpec {
  readonly type: () => DtoClass;
  /** Bounds of the list; null for a single object. */
  readonly list: { readonly min: number; readonly max: number } | null;
}

const KEY = Symbol('fields');

/** Remembers a field of a DTO class; fields of a parent class are inherited. */
export function declareField(prototype: object, name: string, spec: FieldSpec): void {
  const own = Reflect.getOwnMetadata(KEY, prototype) as Map<string, FieldSpec> | undefined;
  const fields = own ?? new Map(fieldsOfPrototype(prototype));
  fields.set(name, spec);
  Reflect.defineMetadata(KEY, fields, prototype);
}

/** The declared fields of a DTO class by wire name; empty for a class that declares none. */
export function fieldsOf(type: abstract new () => object): ReadonlyMap<string, FieldSpec> {
  return fieldsOfPrototype(type.prototype as object);
}

function fieldsOfPrototype(prototype: object): ReadonlyMap<string, FieldSpec> {
  return (Reflect.getMetadata(KEY, prototype) as Map<string, FieldSpec> | undefined) ?? new Map<string, FieldSpec>();
}

/**
 * Judges any value against a field: absence and null first, then the field's own check.
 * `owner` is the object that holds the field, for fields whose presence or bound depends on a sibling.
 */
export function checkField(spec: FieldSpec, value: unknown, owner: object = {}): Checked {
  if (value === undefined) {
    return isRequired(spec, owner) ? refuse('missing') : accept(undefined);
  }
  if (value === null && spec.nullable) {
    return accept(null);
  }
  const checked = spec.check(value);
  return checked.ok && spec.endOf !== null && isBeforeStart(checked.value, spec.endOf, owner) ? refuse('range_order', { [spec.endOf.inclusive ? 'ge' : 'gt']: spec.endOf.from }) : checked;
}

/** Days, and moments, in normal form compare as texts. A start that is not valid has its own finding. */
function isBeforeStart(end: unknown, { from, inclusive }: RangeStart, owner: object): boolean {
  const start = fieldsOf(owner.constructor as DtoClass).get(from)?.check(Reflect.get(owner, from));
  if (start?.ok !== true || typeof start.value !== 'string' || typeof end !== 'string') return false;
  return inclusive ? end < start.value : end <= start.value;
}

/** Whether a field must be there beside the fields of its owner, which may be the request's own object. */
export function isRequired({ required, requiredUnless, requiredWith }: FieldSpec, owner: object): boolean {
  const isGiven = (name: string): boolean => {
    const sibling: unknown = Reflect.get(owner, name);
    return sibling !== undefined && sibling !== null;
  };
  if (requiredWith.some(isGiven)) return true;
  return requiredUnless.length === 0 ? required : !requiredUnless.some(isGiven);
}

export const accept = (value: unknown): Checked => ({ ok: true, value });

export const refuse = (type: string, ctx: Readonly<Record<string, unknown>> = {}): Checked => ({
  ok: false,
  type,
  ctx,
});
