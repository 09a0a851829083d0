import { checkField, type FieldSpec, fieldsOf } from './field-spec.js';
import { unwrapped } from './field.js';

/** Distinct from every value that a field may have. */
const UNSOUND = Symbol('unsound');

/**
 * The DTO of a shape in which nothing is wrong, with each value in its normal form; null as soon as anything is, without saying what.
 * It is the DTO that class-transformer makes and class-validator finds nothing in, from the same declarations but in one walk
 * (ADR 004).
 * @param shape declared fields only, as `walkShape` leaves them
 */
export function soundInstance<T extends object>(type: new () => T, shape: object): T | null {
  const instance = new type();
  const given = shape as Readonly<Record<string, unknown>>;
  const leaning: [name: string, spec: FieldSpec][] = [];
  for (const [name, spec] of fieldsOf(type)) {
    if (Object.hasOwn(given, name)) {
      const value = soundValue(spec, given[name]);
      if (value === UNSOUND) return null;
      Reflect.set(instance, name, value);
      if (spec.endOf !== null) leaning.push([name, spec]);
    } else {
      leaning.push([name, spec]);
    }
  }
  for (const [name, spec] of leaning) {
    // Whether it may be left out, or ends a range, is for its siblings to say, so they come first.
    if (!checkField(spec, Reflect.get(instance, name), instance).ok) return null;
  }
  return instance;
}

function soundValue(spec: FieldSpec, value: unknown): unknown {
  const checked = checkField(spec, spec.opaque ? unwrapped(value) : value);
  if (!checked.ok) return UNSOUND;
  if (spec.nested === null || checked.value === null) return checked.value;
  const type = spec.nested.type();
  if (!Array.isArray(value)) return soundInstance(type, value as object) ?? UNSOUND;
  const items: object[] = [];
  for (const item of value as readonly object[]) {
    const instance = soundInstance(type, item);
    if (instance === null) return UNSOUND;
    items.push(instance);
  }
  return items;
}
