import { type ApiPropertyOptions, getSchemaPath } from '@nestjs/swagger';
import type { DtoClass } from '../http/field-spec.js';
import { type Components, nameOf, type Schema, schemaReference } from './description.js';

/** Marks a reference to a request's schema as meaning what is stored of it. */
const STORED = 'x-stored';
type Marked = Schema & { [STORED]?: boolean };

/** A property that gives back what a request's field brought, as it is stored; null where it brought nothing. */
export const storedOrNull = (type: DtoClass): ApiPropertyOptions => ({ anyOf: [{ $ref: getSchemaPath(type), [STORED]: true }, { type: 'null' }] }) as unknown as ApiPropertyOptions;

/** A list of parts of a document as they are stored; empty where the request brought none. */
export const storedList = (type: DtoClass): ApiPropertyOptions => ({ type: 'array', items: { $ref: getSchemaPath(type), [STORED]: true } }) as unknown as ApiPropertyOptions;

/**
 * Replaces marked references by schemas of the stored form: every field is there, absent ones as null or as an empty
 * list, decimals are strings. `DocumentLineCreate` becomes `DocumentLine`, `Transport` becomes `DocumentTransport`.
 */
export function addStoredForms(components: Components): void {
  for (const schema of Object.values(components.schemas)) {
    for (const place of Object.values(schema.properties ?? {})) {
      for (const reference of [place.items, ...(place.anyOf ?? [])]) {
        if (reference !== undefined && (reference as Marked)[STORED] === true) resolve(reference, components);
      }
    }
  }
}

function resolve(reference: Marked, components: Components): void {
  const { $ref } = reference;
  delete reference['x-stored'];
  if ($ref !== undefined) reference.$ref = schemaReference(storedName(nameOf($ref), components)).$ref;
}

function storedName(name: string, components: Components): string {
  const stored = name.endsWith('Create') ? name.slice(0, -'Create'.length) : `Document${name}`;
  const source = components.schemas[name];
  if (source?.properties === undefined) throw new Error(`${name} is the schema of no request`);
  if (components.schemas[stored] === undefined) {
    const form: Schema = { type: 'object', required: Object.keys(source.properties), properties: {} };
    components.schemas[stored] = form;
    form.properties = Object.fromEntries(Object.entries(source.properties).map(([field, inner]) => [field, storedField(inner, source.required?.includes(field) === true, components)]));
  }
  return stored;
}

function storedField(field: Schema, required: boolean, components: Components): Schema {
  const { description, examples, format, enum: values, $ref, items, anyOf, oneOf } = field;
  const about = { ...(description === undefined ? {} : { description }), ...(examples === undefined ? {} : { examples }) };
  if ($ref !== undefined) return { ...schemaReference(storedName(nameOf($ref), components)), ...about };
  const nested = anyOf?.[0]?.$ref;
  if (nested !== undefined) return { anyOf: [schemaReference(storedName(nameOf(nested), components)), { type: 'null' }], ...about };
  if (items !== undefined) return { type: field.type ?? 'array', items: items.$ref === undefined ? items : storedField(items, true, components), ...about };
  // Alternatives of plain values are those of a decimal: a number, or the same as text.
  const type = oneOf === undefined ? [field.type ?? []].flat()[0] : 'string';
  const always = required || field.default !== undefined;
  return { type: always ? (type ?? 'string') : [type ?? 'string', 'null'], ...(format === undefined ? {} : { format }), ...(values === undefined ? {} : { enum: values }), ...about };
}
