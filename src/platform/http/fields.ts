import { parseDecimal, WHOLE_DIGITS } from '../../shared/decimal.js';
import { type FreeObjectLimits, freeObjectProblem } from '../../shared/free-object.js';
import { isCalendarDay } from '../../shared/guayaquil.js';
import { isObject } from '../../shared/is-object.js';
import { normaliseText, textProblem } from '../../shared/text.js';
import { NIL_UUID, UUID } from '../../shared/uuid.js';
import { accountAddress, isEmailAddress } from './email-address.js';
import { field, type FieldOptions } from './field.js';
import { accept, type Checked, type DtoClass, refuse } from './field-spec.js';

export interface TextOptions extends FieldOptions {
  /** Least length in code points after trimming; default 1, or 0 for a nullable field. */
  readonly min?: number;
  readonly max: number;
  /** Names accepted besides the stored values, by upper-case alias. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Further format; linear-time expressions only. */
  readonly pattern?: RegExp;
  readonly secret?: boolean;
  /** May have several lines; a line break is `\n`. Empty lines at both ends are removed. */
  readonly multiline?: boolean;
  /** Judges what the text says: type and parameters of the failure, or null. */
  readonly holds?: (text: string) => { readonly type: string; readonly ctx: Readonly<Record<string, unknown>> } | null;
}

/**
 * Text: NFC, ends trimmed, length counted in code points, no control characters.
 * An empty nullable text whose minimum is 0 means the same as null.
 */
export function Text(options: TextOptions): PropertyDecorator {
  const { max, pattern } = options;
  const min = options.min ?? (options.nullable === true ? 0 : 1);
  const check = (value: unknown): Checked => {
    if (typeof value !== 'string') return refuse('string_type');
    if (value.length > 8 * max + 64) return refuse('string_too_long', { max_length: max });
    const normal = aliasOf(options.aliases, value) ?? (options.multiline === true ? normaliseLines(value) : normaliseText(value));
    const problem = textProblem(options.multiline === true ? normal.replaceAll('\n', ' ') : normal, { min, max });
    if (problem !== null) return refuse(problem.type, problem.ctx);
    const failure = options.holds?.(normal) ?? null;
    if (failure !== null) return refuse(failure.type, failure.ctx);
    if (pattern !== undefined && !pattern.test(normal)) {
      return refuse('string_pattern_mismatch', { pattern: pattern.source });
    }
    return accept(normal === '' && options.nullable === true ? null : normal);
  };
  const api = {
    type: String,
    // The names are taken, too, and may be longer than what they stand for.
    maxLength: Math.max(max, ...Object.keys(options.aliases ?? {}).map((alias) => alias.length)),
    ...(min > 0 ? { minLength: min } : {}),
    ...(pattern === undefined ? {} : { pattern: pattern.source }),
    ...(options.secret === true ? { format: 'password', writeOnly: true } : {}),
  };
  return field({ check, api, secret: options.secret ?? false }, options);
}

/** The normal form of every line. */
function normaliseLines(text: string): string {
  const lines = text.split(/\r\n?|\n/).map(normaliseText);
  const isTold = (line: string): boolean => line !== '';
  return lines.slice(Math.max(0, lines.findIndex(isTold)), lines.findLastIndex(isTold) + 1).join('\n');
}

/** The stored value that a name stands for; names that every object has, like `toString`, stand for nothing. */
const aliasOf = (aliases: Readonly<Record<string, string>> = {}, name: string): string | undefined =>
  Object.hasOwn(aliases, name) ? aliases[name] : undefined;

export interface SecretOptions extends FieldOptions {
  /** Least length in code points, of a secret that is chosen here. */
  readonly min?: number;
  readonly max: number;
}

/** A secret: any text of at least `min` code points and up to `max` code units, taken as it is, never echoed. */
export function Secret(options: SecretOptions): PropertyDecorator {
  const { min = 0, max } = options;
  const check = (value: unknown): Checked => {
    if (typeof value !== 'string') return refuse('string_type');
    if (value.length > max) return refuse('string_too_long', { max_length: max });
    return Array.from(value).length < min ? refuse('string_too_short', { min_length: min }) : accept(value);
  };
  const api = { type: String, format: 'password', writeOnly: true, maxLength: max, ...(min > 0 ? { minLength: min } : {}) };
  return field({ check, secret: true, api }, options);
}

/** Exactly `length` ASCII digits; nothing is trimmed. `not` names a forbidden value of that length. */
export function Digits(length: number, options: FieldOptions & { readonly not?: string } = {}): PropertyDecorator {
  const pattern = `^${options.not === undefined ? '' : `(?!${options.not})`}[0-9]{${length}}$`;
  const expression = new RegExp(pattern);
  const check = (value: unknown): Checked => {
    if (typeof value !== 'string') return refuse('string_type');
    return expression.test(value) ? accept(value) : refuse('string_pattern_mismatch', { pattern });
  };
  return field({ check, api: { type: String, pattern, minLength: length, maxLength: length } }, options);
}

/** A UUID, lower-cased; the nil UUID names nothing and is refused. */
export function Uuid(options: FieldOptions = {}): PropertyDecorator {
  const check = (value: unknown): Checked => {
    const uuid = uuidOf(value);
    return uuid === null ? refuse('uuid_parsing') : accept(uuid);
  };
  return field({ check, api: { type: String, format: 'uuid' } }, options);
}

/** The value as a lower-case UUID, or null when it is none; the nil UUID is none. */
export function uuidOf(value: unknown): string | null {
  const lower = typeof value === 'string' ? value.toLowerCase() : '';
  return UUID.test(lower) && lower !== NIL_UUID ? lower : null;
}

/** A calendar day `YYYY-MM-DD` of this century. */
export function Day(options: FieldOptions = {}): PropertyDecorator {
  const check = (value: unknown): Checked =>
    typeof value === 'string' && isCalendarDay(value) ? accept(value) : refuse('date_type');
  return field({ check, api: { type: String, format: 'date' } }, options);
}

export interface DecimalOptions extends FieldOptions {
  readonly fractionDigits: number;
  /** Refuse zero. */
  readonly positive?: boolean;
  /** Largest value accepted, as a decimal string. */
  readonly max?: string;
  /** Keep the fractional digits that were given: `"1.50"` stays, where it would become `"1.500000"`. */
  readonly asGiven?: boolean;
}

/** A non-negative decimal, as a JSON number or a decimal string; its normal form is a plain decimal string. */
export function DecimalNumber(options: DecimalOptions): PropertyDecorator {
  const { fractionDigits, positive = false, max, asGiven = false } = options;
  const format = { fractionDigits, positive, asGiven, ...(max === undefined ? {} : { max }) };
  const check = (value: unknown): Checked => {
    const parsed = parseDecimal(value, format);
    return parsed.ok ? accept(parsed.value) : refuse(parsed.type, parsed.ctx);
  };
  const bounds = {
    minimum: 0,
    ...(positive ? { exclusiveMinimum: true } : {}),
    ...(max === undefined ? {} : { maximum: Number(max) }),
  };
  const pattern = `^\\+?(0|[1-9][0-9]{0,${WHOLE_DIGITS - 1}})(\\.[0-9]{1,${fractionDigits}})?$`;
  const api = { oneOf: [{ type: 'number', ...bounds }, { type: 'string', pattern }] };
  return field({ check, api }, options);
}

/** A non-negative amount in US dollars with at most 2 fractional digits. */
export const Money = (options: FieldOptions = {}): PropertyDecorator => DecimalNumber({ ...options, fractionDigits: 2 });

export interface IntegerOptions extends FieldOptions {
  readonly min: number;
  readonly max: number;
  /** The value arrives as text (query strings). */
  readonly fromText?: boolean;
}

/** A whole number within bounds; in bodies a JSON number, in query strings plain digits. */
export function Integer(options: IntegerOptions): PropertyDecorator {
  const { min, max } = options;
  const check = (value: unknown): Checked => {
    const number = options.fromText === true && typeof value === 'string' ? fromDigits(value) : value;
    if (typeof number !== 'number' || !Number.isSafeInteger(number) || Object.is(number, -0)) return refuse('int_type');
    if (number < min) return refuse('greater_than_equal', { ge: min });
    if (number > max) return refuse('less_than_equal', { le: max });
    return accept(number);
  };
  return field({ check, api: { type: 'integer', minimum: min, maximum: max } }, options);
}

const fromDigits = (value: string): number => (/^-?[0-9]{1,15}$/.test(value) ? Number(value) : NaN);

/** `true` or `false`; in query strings those two words. */
export function Flag(options: FieldOptions & { readonly fromText?: boolean } = {}): PropertyDecorator {
  const check = (value: unknown): Checked => {
    if (typeof value === 'boolean') return accept(value);
    if (options.fromText === true && (value === 'true' || value === 'false')) return accept(value === 'true');
    return refuse('bool_type');
  };
  return field({ check, api: { type: Boolean } }, options);
}

/** One of the listed strings, exactly. */
export function OneOf(values: readonly string[], options: FieldOptions & { readonly enumName?: string } = {}): PropertyDecorator {
  const check = (value: unknown): Checked =>
    typeof value === 'string' && values.includes(value) ? accept(value) : refuse('enum', { expected: values });
  const name = options.enumName === undefined ? {} : { enumName: options.enumName };
  return field({ check, api: { type: String, enum: [...values], ...name } }, options);
}

export interface EmailOptions extends FieldOptions {
  readonly max: number;
  /** The address of an account: its normal form is the one that is looked up, which the bound holds for too. */
  readonly ofAccount?: boolean;
}

/** One e-mail address `local@domain.tld`: no quotes, no lists, no spaces. */
export function Email(options: EmailOptions): PropertyDecorator {
  const { max, ofAccount = false } = options;
  const check = (value: unknown): Checked => {
    if (typeof value !== 'string') return refuse('string_type');
    if (value.length > 2 * max) return refuse('string_too_long', { max_length: max });
    const normal = ofAccount ? accountAddress(value) : normaliseText(value);
    if (normal === '' && options.nullable === true) return accept(null);
    const problem = textProblem(normal, { min: 1, max });
    if (problem !== null) return refuse(problem.type, problem.ctx);
    return isEmailAddress(normal) ? accept(normal) : refuse('email');
  };
  return field({ check, api: { type: String, format: 'email', maxLength: max } }, options);
}

export interface Base64Options extends FieldOptions {
  readonly maxBytes: number;
  /** Judges what the field holds: type and parameters of the failure, or null. */
  readonly holds?: (bytes: Buffer) => { readonly type: string; readonly ctx: Readonly<Record<string, unknown>> } | null;
}

/** Standard base64 of at most `maxBytes` bytes, never echoed; stays text. */
export function Base64(options: Base64Options): PropertyDecorator {
  const maxLength = Math.ceil(options.maxBytes / 3) * 4;
  const check = (value: unknown): Checked => {
    if (typeof value !== 'string') return refuse('string_type');
    if (value.length > maxLength) return refuse('string_too_long', { max_length: maxLength });
    const wellFormed = value.length > 0 && value.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(value);
    if (!wellFormed) return refuse('base64');
    const failure = options.holds?.(Buffer.from(value, 'base64')) ?? null;
    return failure === null ? accept(value) : refuse(failure.type, failure.ctx);
  };
  return field({ check, secret: true, api: { type: String, format: 'byte', maxLength, writeOnly: true } }, options);
}

/** A nested object of its own DTO class. */
export function Nested(type: () => DtoClass, options: FieldOptions = {}): PropertyDecorator {
  const check = (value: unknown): Checked => (isObject(value) ? accept(value) : refuse('object_type'));
  // Here and below: Swagger knows a lazy type by the function's name, `type`.
  return field({ check, nested: { type, list: null }, api: { type: () => type() } }, options);
}

export interface ListOptions extends FieldOptions {
  readonly min?: number;
  readonly max: number;
}

/** An object of the caller's own making, within bounds: depth, number of values, size as JSON. */
export function FreeObject(options: FieldOptions & { readonly limits: FreeObjectLimits }): PropertyDecorator {
  const check = (value: unknown): Checked => {
    if (!isObject(value)) return refuse('object_type');
    const problem = freeObjectProblem(value, options.limits);
    return problem === null ? accept(value) : refuse(problem.type, problem.ctx);
  };
  return field({ check, opaque: true, api: { type: 'object', additionalProperties: true } }, options);
}

/** A list of nested objects. A list over its bound is refused before its elements are looked at. */
export function NestedList(type: () => DtoClass, options: ListOptions): PropertyDecorator {
  const { min = 0, max } = options;
  const check = (value: unknown): Checked => {
    if (!Array.isArray(value)) return refuse('list_type');
    if (value.length < min) return refuse('too_short', { min_length: min });
    return value.length > max ? refuse('too_long', { max_length: max }) : accept(value);
  };
  const api = { type: () => type(), isArray: true, maxItems: max, ...(min > 0 ? { minItems: min } : {}) };
  return field({ check, nested: { type, list: { min, max } }, api }, options);
}

export interface IntegerListOptions extends FieldOptions {
  /** Bounds of each number. */
  readonly min: number;
  readonly max: number;
  /** Bounds of the list's length. */
  readonly atLeast: number;
  readonly atMost: number;
}

/** A list of whole numbers within bounds. */
export function IntegerList(options: IntegerListOptions): PropertyDecorator {
  const { min, max, atLeast, atMost } = options;
  const fits = (item: unknown): boolean => typeof item === 'number' && Number.isSafeInteger(item) && item >= min && item <= max;
  const check = (value: unknown): Checked => {
    if (!Array.isArray(value)) return refuse('list_type');
    if (value.length < atLeast) return refuse('too_short', { min_length: atLeast });
    if (value.length > atMost) return refuse('too_long', { max_length: atMost });
    return value.every(fits) ? accept(value) : refuse('int_list', { ge: min, le: max });
  };
  const api = { type: 'array', items: { type: 'integer', minimum: min, maximum: max }, minItems: atLeast, maxItems: atMost };
  return field({ check, list: true, api }, options);
}

export interface OneOfListOptions extends FieldOptions {
  readonly atLeast: number;
}

/** A list of some of the given strings; repeated ones count once. */
export function OneOfList(values: readonly string[], options: OneOfListOptions): PropertyDecorator {
  const check = (value: unknown): Checked => {
    if (!Array.isArray(value)) return refuse('list_type');
    if (value.length < options.atLeast) return refuse('too_short', { min_length: options.atLeast });
    if (value.length > values.length) return refuse('too_long', { max_length: values.length });
    return value.every((item) => typeof item === 'string' && values.includes(item)) ? accept([...new Set<unknown>(value)]) : refuse('enum_list', { expected: values });
  };
  const items = { type: 'string', enum: [...values] };
  return field({ check, list: true, api: { type: 'array', items, minItems: options.atLeast, maxItems: values.length } }, options);
}

const INSTANT = /^20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?(?:Z|[+-][0-9]{2}:[0-9]{2})$/;

/** A moment in ISO 8601 with its zone; its normal form is UTC. */
export function Instant(options: FieldOptions = {}): PropertyDecorator {
  const check = (value: unknown): Checked => {
    if (typeof value !== 'string' || !INSTANT.test(value) || !isCalendarDay(value.slice(0, 10))) return refuse('instant');
    const time = Date.parse(value);
    if (Number.isNaN(time)) return refuse('instant');
    const normal = new Date(time).toISOString();
    // At either end of the century the zone may lead out of it.
    return INSTANT.test(normal) ? accept(normal) : refuse('instant');
  };
  return field({ check, api: { type: String, format: 'date-time' } }, options);
}
