import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { API_KEY_SCHEME, BEARER_SCHEME, COOKIE_SCHEME, SESSION_COOKIE } from '../security/access.js';
import { addCallComponents, noteCall, type RateNumbers } from './call-notes.js';
import type { Components, Description, Operation } from './description.js';
import { isReference, operationsOf, schemaReference } from './description.js';
import { addErrorAnswers, addErrorsTo, completeErrorsOf, errorStatusesOf } from './error-answers.js';
import { addEventHooks, type DescribedEvent } from './event-hooks.js';
import { addExamples } from './examples.js';
import { nameObjects, toDialect } from './schema-dialect.js';
import { addStoredForms } from './stored-forms.js';
import { TAGS } from './tags.js';

/** Version of the interface description (specification, section 9). */
const INTERFACE_VERSION = '0.1.0';

const ABOUT = [
  "Issues the electronic tax documents of Ecuador: invoices, credit and debit notes, delivery guides, withholdings, purchase settlements.",
  '',
  'A document is issued with `POST /documents`, which takes its number and answers 202 at once; `Prefer: wait=10` waits for the verdict of the SRI, and a webhook tells it. JSON in `snake_case`, instants in UTC, days of Ecuador,',
  'decimals in answers as strings. Every error carries a stable `code` and the `request_id` of the call; messages are Spanish, or English by `Accept-Language`.',
  '',
  'Pages of a list are counted by offset, mostly newest first: a row created between two pages moves the rest by one, so that one comes twice. Who wants all of them reads an export or `GET /events`.',
].join('\n');

/** What the routes themselves do not know. */
export interface Surroundings {
  readonly limits: RateNumbers;
  /** What the service sends to webhooks. */
  readonly events: readonly DescribedEvent[];
}

/** The OpenAPI 3.1 description of the application: routes and DTOs, permissions, limits, errors out of the catalogue, events. */
export function buildOpenApi(app: INestApplication, { limits, events }: Surroundings): Description {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-API-Key', description: '`svc_test_…` in sandbox and local, `svc_live_…` in production' }, API_KEY_SCHEME)
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Access token of `POST /auth/login` or `GET /auth/google/callback`; `X-Tenant-Id` chooses among several memberships' }, BEARER_SCHEME)
    .addCookieAuth(SESSION_COOKIE, { type: 'apiKey', in: 'cookie', description: 'The same token, for browsers; unsafe methods need an `Origin` of ours and a JSON body' }, COOKIE_SCHEME)
    .build();
  const scanned = SwaggerModule.createDocument(app, config, { operationIdFactory: (_controller, method) => method }) as unknown as Description;
  const components: Components = { ...emptyComponents(), ...scanned.components };
  const description: Description = {
    openapi: scanned.openapi,
    info: { title: 'Sello', version: INTERFACE_VERSION, description: ABOUT },
    jsonSchemaDialect: 'https://spec.openapis.org/oas/3.1/dialect/base',
    servers: [{ url: '/', description: 'Where this description comes from' }],
    tags: [],
    paths: scanned.paths,
    webhooks: {},
    components,
  };
  for (const { operation } of operationsOf(description.paths)) {
    useForm(operation);
    sayIds(operation);
  }
  sayAbsences(description);
  toDialect(description);
  addStoredForms(components);
  nameObjects(description);
  addErrorAnswers(components);
  for (const { path, method, operation } of operationsOf(description.paths)) {
    completeErrorsOf(operation);
    if (noteCall(operation, method, path, limits)) addErrorsTo(operation, errorStatusesOf(method));
  }
  addCallComponents(components);
  addExamples(description);
  addEventHooks(description, events);
  const used = new Set(operationsOf({ ...description.paths, ...description.webhooks }).flatMap(({ operation }) => operation.tags ?? []));
  description.tags = TAGS.filter(({ name }) => used.has(name));
  return inOrder(description);
}

const emptyComponents = (): Components => ({ schemas: {}, responses: {}, headers: {}, parameters: {}, securitySchemes: {} });

/** A form has parts where the JSON body has base64: `@ApiExtension('x-form', name of its schema)` names its schema. */
function useForm(operation: Operation): void {
  const form = operation.requestBody?.content['multipart/form-data'];
  const name = operation['x-form'];
  if (form === undefined || typeof name !== 'string') return;
  form.schema = { $ref: `#/components/schemas/${name}` };
  delete operation['x-form'];
}

/** A body whose schema is marked (`@MayBeAbsent`) is not required. */
function sayAbsences({ paths, components }: Description): void {
  const marked = Object.entries(components.schemas).filter(([, schema]) => schema['x-may-be-absent'] === true);
  const references = new Set(marked.map(([name]) => schemaReference(name).$ref));
  for (const { operation: { requestBody } } of operationsOf(paths)) {
    const reference = requestBody?.content['application/json']?.schema?.$ref;
    if (requestBody !== undefined && reference !== undefined && references.has(reference)) requestBody.required = false;
  }
  for (const [, schema] of marked) delete schema['x-may-be-absent'];
}

/** Whatever a path calls an id is a UUID, also where the route reads it as a plain parameter. */
function sayIds(operation: Operation): void {
  for (const parameter of operation.parameters ?? []) {
    if (!isReference(parameter) && parameter.in === 'path' && parameter.name.endsWith('_id') && parameter.schema?.type === 'string') parameter.schema.format = 'uuid';
  }
}

/** Paths and components by name: a new route changes the lines of its own only. */
function inOrder(description: Description): Description {
  const sorted = <Value>(record: Readonly<Record<string, Value>>): Record<string, Value> => Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
  const { paths, webhooks = {}, components, ...head } = description;
  const inOrderEach = Object.fromEntries(Object.entries(components).map(([kind, named]) => [kind, sorted(named as Record<string, unknown>)])) as unknown as Components;
  return { ...head, paths: sorted(paths), webhooks: sorted(webhooks), components: inOrderEach };
}
