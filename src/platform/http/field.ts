import { ApiProperty } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { ValidateBy, ValidateIf, ValidateNested, type ValidationArguments } from 'class-validator';
import { checkField, type Checked, declareField, type FieldSpec, type RangeStart } from './field-spec.js';

/** What every field may say about itself. */
export interface FieldOptions {
  /** Meaning for the reader of the API description. */
  readonly about?: string;
  /** May be absent. */
  readonly optional?: boolean;
  /** May be absent or null. */
  readonly nullable?: boolean;
  /** Value that an absent field takes; set it as the property's initialiser too. Implies optional. */
  readonly default?: unknown;
  /** Required, unless one of these sibling fields is given; null is then as good as absent. */
  readonly requiredUnless?: readonly string[];
  /** Optional, unless one of these sibling fields is given. Goes with `optional`. */
  readonly requiredWith?: readonly string[];
  /** For a day or moment that ends a range: the sibling field with which the range begins. */
  readonly endOf?: RangeStart;
  readonly example?: unknown;
}

/** What a kind of field brings along. */
export interface FieldKind {
  readonly check: (value: unknown) => Checked;
  readonly api: Readonly<Record<string, unknown>>;
  readonly secret?: boolean;
  readonly nested?: FieldSpec['nested'];
  readonly list?: boolean;
  readonly opaque?: boolean;
}

/** One line per field: check, normalisation, the specification used for error details, and the OpenAPI property. */
export function field(kind: FieldKind, options: FieldOptions): PropertyDecorator {
  const nullable = options.nullable ?? false;
  const requiredUnless = options.requiredUnless ?? [];
  const requiredWith = options.requiredWith ?? [];
  const required = !nullable && options.optional !== true && options.default === undefined && requiredUnless.length === 0;
  const nested = kind.nested ?? null;
  const opaque = kind.opaque ?? false;
  const list = kind.list ?? false;
  const spec: FieldSpec = { required, requiredUnless, requiredWith, endOf: options.endOf ?? null, nullable, secret: kind.secret ?? false, check: kind.check, nested, list, opaque };
  const validate = (value: unknown, about?: ValidationArguments): boolean => checkField(spec, value, about?.object).ok;
  const decorators: PropertyDecorator[] = [
    ValidateBy({ name: 'field', validator: { validate } }),
    ApiProperty({ ...kind.api, ...describe(options, required, nullable || requiredUnless.length > 0) }),
  ];
  if (nested === null) {
    decorators.push(Transform(({ value }: { value: unknown }) => normalForm(spec, opaque ? unwrapped(value) : value)));
  } else {
    decorators.push(Type(nested.type), ValidateNested());
    // class-validator takes null for a broken nested object.
    if (nullable) decorators.push(ValidateIf((_owner, value) => value !== null));
  }
  return (prototype, name) => {
    declareField(prototype, String(name), spec);
    for (const decorate of decorators) decorate(prototype, name);
  };
}

function describe(options: FieldOptions, required: boolean, nullable: boolean): Readonly<Record<string, unknown>> {
  return {
    required,
    ...(nullable ? { nullable: true } : {}),
    ...(options.about === undefined ? {} : { description: options.about }),
    ...(options.default === undefined ? {} : { default: options.default }),
    ...(options.example === undefined ? {} : { example: options.example }),
  };
}

/** Hides an opaque object from class-transformer, which would copy it key by key and take a key `constructor` for its class; it leaves functions alone. */
export const wrapped = (value: unknown): (() => unknown) => () => value;
/** What was `wrapped`; anything else as it is. */
export const unwrapped = (value: unknown): unknown => (typeof value === 'function' ? (value as () => unknown)() : value);

/** The normal form of an acceptable value; what is not acceptable stays as it came, to be refused and echoed. */
function normalForm(spec: FieldSpec, value: unknown): unknown {
  const checked = checkField(spec, value);
  return checked.ok ? checked.value : value;
}
