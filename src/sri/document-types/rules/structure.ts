import { isCalendarDay } from '../../../shared/guayaquil.js';
import type { Finding } from '../../../shared/finding.js';
import { isObject } from '../../../shared/is-object.js';
import { defineRules, finding } from './rule.js';

const RULES = defineRules({
  'shape.structure': {
    es: 'El campo no tiene la forma esperada',
    en: 'The field does not have the expected form',
    reference: 'Ficha técnica 2.32, anexo 3',
  },
});

type Leaf = 'text' | 'decimal' | 'day' | 'integer' | 'flag';

/** The form of a nested field: a leaf, one that may be null, a list, or an object. */
export type Structure =
  | Leaf
  | { readonly nullable: Structure }
  | { readonly list: Structure }
  | { readonly object: Readonly<Record<string, Structure>> };

export const orNull = (structure: Structure): Structure => ({ nullable: structure });
export const listOf = (structure: Structure): Structure => ({ list: structure });
export const objectOf = (fields: Readonly<Record<string, Structure>>): Structure => ({ object: fields });

/** How content writes amounts. */
export const DECIMAL = /^[0-9]{1,18}(\.[0-9]{1,6})?$/;

const LEAVES: Readonly<Record<Leaf, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  decimal: (value) => typeof value === 'string' && DECIMAL.test(value),
  day: (value) => typeof value === 'string' && isCalendarDay(value),
  integer: (value) => Number.isSafeInteger(value),
  flag: (value) => typeof value === 'boolean',
};

/**
 * A nested field of the content against its form, so that no rule of its type ever
 * throws on content from elsewhere. Field names are those of the content; pointers
 * are in the request's.
 */
export function* checkStructure(value: unknown, structure: Structure, pointer: string): Generator<Finding> {
  // Content nearly always fits: pointers are only put together when it does not.
  if (!fits(value, structure)) yield* explain(value, structure, pointer);
}

function fits(value: unknown, structure: Structure): boolean {
  if (typeof structure === 'string') return LEAVES[structure](value);
  if ('nullable' in structure) return value === null || fits(value, structure.nullable);
  if ('list' in structure) return Array.isArray(value) && value.every((entry) => fits(entry, structure.list));
  if (!isObject(value)) return false;
  for (const name in structure.object) {
    const form = structure.object[name];
    if (form !== undefined && !fits(value[name], form)) return false;
  }
  return true;
}

function* explain(value: unknown, structure: Structure, pointer: string): Generator<Finding> {
  if (typeof structure === 'string') {
    if (!LEAVES[structure](value)) yield finding(RULES['shape.structure'], pointer, structure);
  } else if ('nullable' in structure) {
    if (value !== null) yield* explain(value, structure.nullable, pointer);
  } else if ('list' in structure) {
    if (!Array.isArray(value)) yield finding(RULES['shape.structure'], pointer, 'list');
    else for (const [index, entry] of value.entries()) yield* explain(entry, structure.list, `${pointer}/${index}`);
  } else if (!isObject(value)) {
    yield finding(RULES['shape.structure'], pointer, 'object');
  } else {
    for (const [name, form] of Object.entries(structure.object)) {
      yield* explain(value[name], form, `${pointer}/${wireName(name)}`);
    }
  }
}

/** The request's name of a field of the content. */
export const wireName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
