import { type Components, type Description, isReference, type MediaType, operationsOf, pascal, type Schema, schemaReference } from './description.js';

/**
 * Turns what is left of OpenAPI 3.0 into JSON Schema 2020-12, in place: bounds, examples, encoded and binary content.
 * (Swagger's builder has made `nullable` a type of its own.)
 */
export function toDialect(description: Description): void {
  for (const schema of Object.values(description.components.schemas)) convert(schema);
  for (const { operation } of operationsOf(description.paths)) {
    for (const parameter of operation.parameters ?? []) if (!isReference(parameter) && parameter.schema !== undefined) convert(parameter.schema);
    for (const [mediaType, content] of contentsOf(operation)) {
      if (content.schema === undefined) continue;
      if (!HAS_FIELDS.test(mediaType)) content.schema = { contentMediaType: mediaType };
      convert(content.schema);
    }
  }
}

/** Media types whose content has fields to describe; all others are files. */
const HAS_FIELDS = /json|^multipart\//;

function contentsOf(operation: Description['paths'][string]['get'] & object): [string, MediaType][] {
  const answers = Object.values(operation.responses).flatMap((answer) => (isReference(answer) ? [] : Object.entries(answer.content ?? {})));
  return [...Object.entries(operation.requestBody?.content ?? {}), ...answers];
}

function convert(schema: Schema): void {
  if (schema.exclusiveMinimum === true) {
    schema.exclusiveMinimum = schema.minimum ?? 0;
    delete schema.minimum;
  }
  if (schema.example !== undefined) {
    schema.examples = [schema.example];
    delete schema.example;
  }
  if (schema.format === 'byte') {
    schema.contentEncoding = 'base64';
    delete schema.format;
  }
  if (schema.format === 'binary') {
    schema.contentMediaType = 'application/octet-stream';
    delete schema.format;
  }
  flatten(schema);
  for (const inner of partsOf(schema)) convert(inner);
}

/** Says "a decimal or null" in one list of alternatives instead of a list within a list, and a reference without a wrapping. */
function flatten(schema: Schema): void {
  const [first, second] = schema.anyOf ?? [];
  if (first?.oneOf !== undefined && second?.type === 'null') {
    schema.oneOf = [...first.oneOf, second];
    delete schema.anyOf;
  }
  const only = schema.allOf?.length === 1 ? schema.allOf[0] : undefined;
  if (only?.$ref !== undefined && schema.type === undefined) {
    schema.$ref = only.$ref;
    delete schema.allOf;
  }
}

function partsOf(schema: Schema): readonly Schema[] {
  return [
    ...Object.values(schema.properties ?? {}),
    ...(schema.items === undefined ? [] : [schema.items]),
    ...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
  ];
}

/** Gives every object a name: what stands within another schema is called after its place, what a call takes or answers after the call. */
export function nameObjects(description: Description): void {
  const { schemas } = description.components;
  for (const [name, schema] of Object.entries(schemas)) nameParts(schema, name, schemas);
  for (const { operation } of operationsOf(description.paths)) {
    const called = pascal(operation.operationId);
    for (const content of Object.values(operation.requestBody?.content ?? {})) nameContent(content, `${called}Request`, schemas);
    for (const answer of Object.values(operation.responses)) {
      if (!isReference(answer)) for (const content of Object.values(answer.content ?? {})) nameContent(content, `${called}Response`, schemas);
    }
  }
}

function nameContent(content: MediaType, name: string, schemas: Components['schemas']): void {
  const { schema } = content;
  if (schema === undefined || !(isObjectType(schema) || schema.oneOf !== undefined || schema.anyOf !== undefined || schema.items !== undefined)) return;
  content.schema = named(schema, name, schemas);
}

function nameParts(schema: Schema, name: string, schemas: Components['schemas']): void {
  for (const [property, inner] of Object.entries(schema.properties ?? {})) {
    if (schema.properties !== undefined) schema.properties[property] = namedPart(inner, name + pascal(property), schemas);
  }
  if (schema.items !== undefined) schema.items = namedPart(schema.items, `${name}Item`, schemas);
}

function namedPart(schema: Schema, name: string, schemas: Components['schemas']): Schema {
  if (isObjectType(schema)) return named(schema, name, schemas);
  nameParts(schema, name, schemas);
  return schema;
}

/** Moves the schema among the named ones; a description stays where it was written, and null stays an alternative. */
function named(schema: Schema, name: string, schemas: Components['schemas']): Schema {
  if (schemas[name] !== undefined) throw new Error(`Two schemas are called ${name}`);
  const { description, ...rest } = schema;
  const nullable = Array.isArray(rest.type) && rest.type.includes('null');
  if (nullable) rest.type = 'object';
  schemas[name] = rest;
  nameParts(rest, name, schemas);
  const reference = nullable ? { anyOf: [schemaReference(name), { type: 'null' }] } : schemaReference(name);
  return description === undefined ? reference : { ...reference, description };
}

const isObjectType = ({ type, properties, $ref }: Schema): boolean =>
  $ref === undefined && (properties !== undefined || type === 'object' || (Array.isArray(type) && type.includes('object')));
