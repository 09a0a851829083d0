import { type ArgumentMetadata, Inject, Injectable, type PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { type ValidationError, validateSync } from 'class-validator';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { DomainError } from '../../shared/domain-error.js';
import { isObject } from '../../shared/is-object.js';
import { isSecretName } from '../observability/logger.js';
import { checkField, type DtoClass, type FieldSpec, fieldsOf, isRequired } from './field-spec.js';
import { wrapped } from './field.js';
import { mayBeAbsent } from './may-be-absent.js';
import { laterFaults } from './refused-later.js';
import { soundInstance } from './sound-instance.js';
import { echo, type FieldFinding, ValidationFailure } from './validation-failure.js';

const SOURCES = { body: 'body', query: 'query', param: 'path', custom: 'body' } as const;

/**
 * A request holds at most this many objects and lists: what lists of lists of lists may hold by their own bounds, all together,
 * would stop the process for seconds. Two thousand lines with all that each may hold are some 18,000.
 */
const MAX_OBJECTS = 25_000;

/** An answer lists at most this many findings; a request with more is not a typo. */
const MAX_FINDINGS = 500;

/**
 * Turns a request's body, query or path into its DTO, or refuses it with every finding at once.
 *
 * First the shape is walked by the declared fields: unknown names, wrong containers and lists over their bound are
 * found and cut off before any deep work. The rest, if it is sound, becomes its DTO in one walk (`sound-instance.ts`).
 * Anything else goes through class-transformer (normal forms) and class-validator (checks); each failure is recomputed
 * from its field's specification into the wire form. Beside them stands what the use case would refuse in the sound fields
 * (`refused-later.ts`).
 */
@Injectable()
export class FieldValidationPipe implements PipeTransform {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    const type = metadata.metatype as DtoClass | undefined;
    if (type === undefined || fieldsOf(type).size === 0) return value;
    const source = SOURCES[metadata.type];
    if (value !== undefined) return validateAs(type, value, source, this.settings);
    // Whoever forgets the body of a change would be told that it was made.
    if (!mayBeAbsent(type)) throw new DomainError('MALFORMED_REQUEST', { reason: 'empty_body' });
    return validateAs(type, {}, source, this.settings);
  }
}

/**
 * Validates and normalises `value` as `type`; throws ValidationFailure with all findings.
 * @param settings for what a use case would refuse besides; null where none follows
 */
export function validateAs<T extends object>(type: new () => T, value: unknown, source: string, settings: Settings | null = null): T {
  if (!isObject(value)) {
    throw new ValidationFailure([{ loc: [source], type: 'object_type', input: echo(value), ctx: {} }]);
  }
  const shape: FieldFinding[] = [];
  const pruned = walkShape(type, value, [source], shape);
  if (holdsMoreObjects(pruned, MAX_OBJECTS)) {
    throw new ValidationFailure(bounded([...shape, { loc: [source], type: 'too_many_objects', input: null, ctx: { max: MAX_OBJECTS } }]));
  }
  return (shape.length === 0 ? soundInstance(type, pruned) : null) ?? judge(type, pruned, source, shape, settings);
}

/**
 * Has class-transformer and class-validator make and judge the DTO.
 * @param shape what was found already
 * @throws ValidationFailure with that and all that they find
 */
export function judge<T extends object>(type: new () => T, pruned: object, source: string, shape: readonly FieldFinding[], settings: Settings | null = null): T {
  const instance = plainToInstance(type, pruned);
  const errors = validateSync(instance, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: true });
  const known = new Set(shape.map((finding) => finding.loc.join('\n')));
  const findings = [...shape];
  collect(errors, [source], findings, known);
  if (errors.length > 0 && findings.length === 0) {
    findings.push({ loc: [source], type: 'invalid', input: null, ctx: {} });
  }
  if (findings.length > 0) throw new ValidationFailure(bounded([...findings, ...(settings === null ? [] : foundLater(instance, source, findings, settings))]));
  return instance;
}

/** What the use case would refuse in the fields at which nothing was found. */
function foundLater(instance: object, source: string, findings: readonly FieldFinding[], settings: Settings): FieldFinding[] {
  const type = instance.constructor as DtoClass;
  const faulty = new Set(findings.map(({ loc }) => loc[1]));
  const given: Record<string, unknown> = {};
  for (const name of fieldsOf(type).keys()) if (!faulty.has(name)) given[name] = Reflect.get(instance, name);
  return laterFaults(type, given, settings)
    .filter(({ field }) => !faulty.has(field))
    .map(({ field, type: failure, ctx }) => {
      const isTold = failure !== 'missing' && fieldsOf(type).get(field)?.secret === false;
      return { loc: [source, field], type: failure, input: isTold ? echo(given[field]) : null, ctx };
    });
}

/** Whether there are more objects in a value that was JSON than `most`; looks no further than that. */
function holdsMoreObjects(value: object, most: number): boolean {
  const waiting: object[] = [value];
  for (let seen = 0; waiting.length > 0; seen += 1) {
    if (seen > most) return true;
    for (const inner of Object.values(waiting.pop() as object) as unknown[]) if (typeof inner === 'object' && inner !== null) waiting.push(inner);
    if (waiting.length > most) return true;
  }
  return false;
}

/** Copies the declared fields of sound containers; reports the rest. */
export function walkShape(type: DtoClass, value: Record<string, unknown>, loc: readonly string[], findings: FieldFinding[]): object {
  const fields = fieldsOf(type);
  // A password under a mistyped name is a password still: where one is asked for, no value of an unknown name is told.
  const takesSecret = [...fields.values()].some(({ secret }) => secret);
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const spec = fields.get(name);
    const at = [...loc, name];
    if (spec === undefined) {
      if (findings.length <= MAX_FINDINGS) {
        const input = takesSecret || isSecretName(name) ? null : echo(value[name]);
        findings.push({ loc: [...loc, echo(name) as string], type: 'extra_forbidden', input, ctx: {} });
      }
    } else {
      const kept = walkField(spec, value[name], value, at, findings);
      if (kept !== undefined) copy[name] = kept;
    }
  }
  return copy;
}

function walkField(spec: FieldSpec, value: unknown, owner: object, loc: readonly string[], findings: FieldFinding[]): unknown {
  // Answers tell by null that a sibling stands for the field, and what was answered may be sent again.
  if (value === null && spec.requiredUnless.length > 0 && !isRequired(spec, owner)) return undefined;
  // Except for containers, class-transformer gets scalars only: it would take an object's own key `constructor` for its class.
  if (value === null || (spec.nested === null && typeof value !== 'object')) return value;
  if (isRepeated(spec, value, loc)) {
    findings.push({ loc, type: 'repeated', input: spec.secret ? null : echo(value), ctx: {} });
    return undefined;
  }
  const checked = checkField(spec, value);
  if (!checked.ok) {
    findings.push({ loc, type: checked.type, input: spec.secret ? null : echo(value), ctx: checked.ctx });
    return undefined;
  }
  if (spec.opaque) return wrapped(value);
  if (spec.nested === null) return value;
  const inner = spec.nested.type();
  if (!Array.isArray(value)) return walkShape(inner, value as Record<string, unknown>, loc, findings);
  return value.map((item: unknown, index) => {
    const at = [...loc, String(index)];
    if (isObject(item)) return walkShape(inner, item, at, findings);
    findings.push({ loc: at, type: 'object_type', input: echo(item), ctx: {} });
    return {};
  });
}

/** A parameter of the query that is given more than once arrives as a list. */
const isRepeated = (spec: FieldSpec, value: unknown, loc: readonly string[]): boolean => loc[0] === SOURCES.query && Array.isArray(value) && !spec.list;

function collect(errors: readonly ValidationError[], loc: readonly string[], findings: FieldFinding[], known: ReadonlySet<string>): void {
  for (const error of errors) {
    const at = [...loc, error.property];
    if (isKnown(at, known)) continue;
    const finding = error.constraints === undefined ? null : explain(error, at);
    if (finding !== null) findings.push(finding);
    collect(error.children ?? [], at, findings, known);
  }
}

/** A broken container was reported already; what lies below it says nothing new. */
function isKnown(loc: readonly string[], known: ReadonlySet<string>): boolean {
  return known.size > 0 && loc.some((_, index) => known.has(loc.slice(0, index + 1).join('\n')));
}

function explain(error: ValidationError, loc: readonly string[]): FieldFinding | null {
  const target: unknown = error.target;
  const spec = isObject(target) ? fieldsOf(target.constructor as DtoClass).get(error.property) : undefined;
  if (spec === undefined) return { loc, type: 'extra_forbidden', input: echo(error.value), ctx: {} };
  const checked = checkField(spec, error.value, target as object);
  if (checked.ok) return null;
  return { loc, type: checked.type, input: spec.secret ? null : echo(error.value), ctx: checked.ctx };
}

function bounded(findings: readonly FieldFinding[]): readonly FieldFinding[] {
  if (findings.length <= MAX_FINDINGS) return findings;
  // A missing field decides the status: it stays in view.
  const ordered = [...findings].sort((a, b) => Number(b.type === 'missing') - Number(a.type === 'missing'));
  const more: FieldFinding = { loc: [ordered[0]?.loc[0] ?? 'body'], type: 'too_many_findings', input: null, ctx: {} };
  return [...ordered.slice(0, MAX_FINDINGS), more];
}
