import { type Components, type Description, isReference, type MediaType, nameOf, operationsOf, type Schema } from './description.js';
import { sampleOf, sampleOfFormat, sampleOfSchema } from './samples.js';

/** Stands where no example can be derived: its field then wants one of its own, which a test demands. */
export const UNSAID = '?';

/** Gives every body, answer and parameter in a path an example, out of its schema where nobody wrote one beside the route. */
export function addExamples(description: Description): void {
  const { components } = description;
  for (const { operation } of operationsOf(description.paths)) {
    for (const content of Object.values(operation.requestBody?.content ?? {})) exemplify(content, components, 'request');
    for (const answer of Object.values(operation.responses)) {
      if (!isReference(answer)) for (const content of Object.values(answer.content ?? {})) exemplify(content, components, 'answer');
    }
    for (const parameter of operation.parameters ?? []) {
      // Swagger UI sends examples along: those of filters would hide what there is.
      if (isReference(parameter) || parameter.required !== true || parameter.schema === undefined || parameter.examples !== undefined) continue;
      parameter.example ??= exampleOf(parameter.schema, { components, kind: 'request', name: parameter.name, owner: '' });
    }
  }
}

export function exampleOfSchema(schema: Schema, components: Components): unknown {
  return exampleOf(schema, { components, kind: 'answer', name: '', owner: '' });
}

function exemplify(content: MediaType, components: Components, kind: 'request' | 'answer'): void {
  if (content.example !== undefined) {
    content.examples = { example: { value: content.example } };
    delete content.example;
  }
  if (content.examples !== undefined || content.schema === undefined || content.schema.contentMediaType !== undefined) return;
  content.examples = { example: { value: exampleOf(content.schema, { components, kind, name: '', owner: '' }) } };
}

interface ExampleContext {
  readonly components: Components;
  /** A request shows what must be sent and what says an example of its own; an answer shows everything. */
  readonly kind: 'request' | 'answer';
  /** Name of the field, and of the schema that it stands in. */
  readonly name: string;
  readonly owner: string;
}

function exampleOf(schema: Schema, context: ExampleContext): unknown {
  if (schema.examples?.[0] !== undefined) return schema.examples[0];
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    return sampleOfSchema(name) ?? exampleOf(context.components.schemas[name] ?? {}, { ...context, owner: name });
  }
  const sample = isScalar(schema) ? sampleOf(context.name, context.owner) : undefined;
  if (sample !== undefined && fits(sample, schema)) return sample;
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  // Where a whole part may be absent, the example shows it absent: most answers have no trip, no error, no annulment.
  if (choices !== undefined) return isNullable(schema) && choices.some(({ $ref }) => $ref !== undefined) ? null : exampleOf(choices[0] ?? {}, context);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.default ?? schema.enum[0];
  return exampleOfType(schema, context);
}

function exampleOfType(schema: Schema, context: ExampleContext): unknown {
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return exampleOfObject(schema, context);
    case 'array':
      return schema.items === undefined || (schema.minItems === undefined && context.kind === 'request') ? [] : [exampleOf(schema.items, context)];
    case 'boolean':
      return schema.default ?? true;
    case 'integer':
    case 'number':
      return schema.default ?? Math.max(1, schema.minimum ?? 1);
    case 'string':
      return sampleOfFormat(schema.format, context.name) ?? schema.default ?? UNSAID;
    default:
      return null;
  }
}

function exampleOfObject(schema: Schema, context: ExampleContext): unknown {
  const shown = Object.entries(schema.properties ?? {}).filter(
    ([name, inner]) => context.kind === 'answer' || schema.required?.includes(name) === true || (inner.examples !== undefined && !isNullable(inner)),
  );
  return Object.fromEntries(shown.map(([name, inner]) => [name, exampleOf(inner, { ...context, name })]));
}

const isScalar = ({ type, properties, items }: Schema): boolean => properties === undefined && items === undefined && type !== 'object' && type !== 'array';
const isNullable = (schema: Schema): boolean => typesOf(schema).includes('null');
const typesOf = ({ type, anyOf, oneOf }: Schema): readonly string[] =>
  type === undefined ? (anyOf ?? oneOf ?? []).flatMap((one) => typesOf(one)) : Array.isArray(type) ? type : [type];

const FORMS: Readonly<Record<string, RegExp>> = { uuid: /^[0-9a-f]{8}-[0-9a-f-]{27}$/, date: /^\d{4}-\d\d-\d\d$/, 'date-time': /^\d{4}-\d\d-\d\dT/ };

/** Whether the schema takes the sample, as far as the type, the values and the pattern say. */
function fits(sample: unknown, schema: Schema): boolean {
  const types = typesOf(schema);
  const type = sample === null ? 'null' : typeof sample === 'number' ? 'integer' : typeof sample;
  if (types.length > 0 && !types.includes(type) && !(type === 'integer' && types.includes('number'))) return false;
  if (schema.enum !== undefined && !schema.enum.includes(sample)) return false;
  if (typeof sample !== 'string') return true;
  if (schema.format !== undefined && FORMS[schema.format]?.test(sample) === false) return false;
  return (schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(sample)) && sample.length <= (schema.maxLength ?? Infinity) && sample.length >= (schema.minLength ?? 0);
}
