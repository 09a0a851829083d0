import type { Answer, Components, Description, Header, Parameter } from './description.js';
import { pascal, schemaReference } from './description.js';
import { exampleOfSchema } from './examples.js';
import { sampleId } from './samples.js';

/** A kind of event as the description has it. */
export interface DescribedEvent {
  /** `document.authorized`. */
  readonly kind: string;
  /** When it is sent. */
  readonly meaning: string;
  /** What `data` holds: schemas of the description, by the field's name. */
  readonly data: Readonly<Record<string, string>>;
}

const HEADERS: readonly (readonly [name: string, schema: Header['schema'], description: string])[] = [
  ['webhook-id', { type: 'string' }, 'Id of the event: the same on every attempt, so that it is taken once'],
  ['webhook-timestamp', { type: 'integer' }, 'Unix seconds of the attempt: refuse what is older than five minutes'],
  ['webhook-signature', { type: 'string' }, '`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` under the secret behind `whsec_`; two, separated by a space, while a secret is rotated'],
];

const ANSWERS: Readonly<Record<string, Answer>> = {
  '2XX': { description: 'Taken. Anything else, a redirect too, or no answer within 10 seconds, is tried again: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h, 24 h, 24 h later' },
  '410': { description: 'Wanted no more: the webhook is disabled' },
};

/** Describes what the service sends: one webhook a kind, with the schema of its body. */
export function addEventHooks(description: Description, events: readonly DescribedEvent[]): void {
  description.webhooks = Object.fromEntries(events.map((event) => [event.kind, { post: hookOf(event, description.components) }]));
}

function hookOf({ kind, meaning, data }: DescribedEvent, components: Components) {
  const name = `${pascal(kind)}Event`;
  const fields = Object.entries(data);
  // Kinds with the same data share its name: `DocumentEventData`.
  const dataName = `${pascal(fields.map(([field]) => field).join('_'))}EventData`;
  components.schemas[dataName] = {
    type: 'object',
    required: fields.map(([field]) => field),
    properties: Object.fromEntries(fields.map(([field, schema]) => [field, schemaReference(schema)])),
  };
  components.schemas[name] = {
    type: 'object',
    required: ['id', 'type', 'created_at', 'tenant_id', 'data', 'version'],
    properties: {
      id: { type: 'string', format: 'uuid', examples: [sampleId('event_id')] },
      type: { const: kind },
      created_at: { type: 'string', format: 'date-time' },
      tenant_id: { type: 'string', format: 'uuid' },
      data: schemaReference(dataName),
      version: 'document' in data ? { type: 'integer', description: 'Grows strictly per document; order of arrival is not promised' } : { type: 'null' },
    },
  };
  const parameters: Parameter[] = HEADERS.map(([header, schema, text]) => ({ name: header, in: 'header', required: true, schema, description: text }));
  return {
    operationId: `on${pascal(kind)}`,
    summary: meaning,
    tags: ['webhooks'],
    security: [],
    parameters,
    requestBody: { required: true, content: { 'application/json': { schema: schemaReference(name), examples: { example: { value: exampleOfSchema(schemaReference(name), components) } } } } },
    responses: structuredClone(ANSWERS),
  };
}
