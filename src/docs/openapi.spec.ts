import { EVENT_KINDS } from '../shared/event-catalogue.js';
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { EXPOSED_HEADERS } from '../platform/http/exposed-headers.js';
import { type Answer, type Description, isReference, type MediaType, type Operation, operationsOf, type Schema } from '../platform/openapi/description.js';
import { UNSAID } from '../platform/openapi/examples.js';
import { withCurrentExamples } from '../platform/openapi/docs-page.js';
import { SAMPLE_DAY, sampleId } from '../platform/openapi/samples.js';
import { isAllowed, type Permission } from '../platform/security/permissions.js';
import { ERROR_CATALOGUE } from '../shared/error-catalogue.js';

const description = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Description;
const calls = operationsOf(description.paths);
const hooks = operationsOf(description.webhooks ?? {});

const ajv = new Ajv2020({ strict: false, allErrors: true });
(formats as unknown as (one: Ajv2020) => void)(ajv);
ajv.addSchema(description, 'sello');

function validatorOf(schema: Schema): ValidateFunction {
  return ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"sello#/components/')) as object);
}

/** Everything that travels in a call: bodies and answers, with where they stand. */
function contents({ operationId, requestBody, responses }: Operation): { at: string; mediaType: string; content: MediaType }[] {
  const of = (at: string, content: Record<string, MediaType> | undefined) => Object.entries(content ?? {}).map(([mediaType, one]) => ({ at: `${operationId} ${at}`, mediaType, content: one }));
  const answers = Object.entries(responses).flatMap(([status, answer]) => of(status, resolve(answer).content));
  return [...of('body', requestBody?.content), ...answers];
}

const resolve = (answer: Operation['responses'][string]): Answer => (isReference(answer) ? description.components.responses[answer.$ref.split('/').at(-1)!]! : answer);

describe('the description of the API', () => {
  const all = [...calls, ...hooks].flatMap(({ operation }) => contents(operation));

  it('is OpenAPI 3.1 and says nothing in words of 3.0', () => {
    expect([description.openapi, description.info['version']]).toEqual(['3.1.0', '0.1.0']);
    const outdated: string[] = [];
    JSON.stringify(description, (key, value: unknown) => {
      if (key === 'nullable' || (key === 'exclusiveMinimum' && typeof value === 'boolean') || (key === 'format' && (value === 'binary' || value === 'byte'))) outdated.push(`${key}: ${String(value)}`);
      return value;
    });
    expect(outdated).toEqual([]);
  });

  it('names each call once, in words, and with what it demands', () => {
    const ids = [...calls, ...hooks].map(({ operation }) => operation.operationId);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    for (const { path, operation } of calls) {
      expect([operation.operationId, (operation.summary ?? '').length > 5, operation.tags?.length, Array.isArray(operation.security)]).toEqual([operation.operationId, true, 1, true]);
      if (!path.startsWith('/health/')) expect(operation.description).toMatch(/(Permission: `|For signed-in people|No credential needed)[^]*Rate limit: \d+ calls (a minute|an hour)/);
    }
  });

  it('has the header that names a tenant on calls that act in one, and on no other', () => {
    const takesIt = ({ parameters = [] }: Operation): boolean => parameters.some((one) => isReference(one) && one.$ref.endsWith('/TenantId'));
    const wrong = calls.filter(({ operation }) => takesIt(operation) !== (typeof operation['x-permission'] === 'string' && !operation['x-permission'].startsWith('platform:')));
    expect(wrong.map(({ operation }) => operation.operationId)).toEqual([]);
  });

  it('offers an API key where one may hold the permission, and nowhere else', () => {
    const takesIt = ({ security = [] }: Operation): boolean => security.some((one) => 'X-API-Key' in one);
    const wrong = calls.filter(({ operation }) => takesIt(operation) !== (typeof operation['x-permission'] === 'string' && isAllowed('api_key', operation['x-permission'] as Permission)));
    expect(wrong.map(({ operation }) => operation.operationId)).toEqual([]);
  });

  it('says of what shuts a member out, or takes rights from one, that the keys they made go on', () => {
    const said = calls.filter(({ path, operation }) => path.startsWith('/tenant/members') && operation.description?.includes('`created_by`') === true);
    expect(said.map(({ operation }) => operation.operationId).sort()).toEqual(['changeMemberRole', 'removeMember', 'suspendMember']);
    for (const file of ['docs/operating.md', 'docs/front-ends.md', 'src/provision.ts']) expect(readFileSync(file, 'utf8')).toMatch(/made[^.]*\bgo\s+on\b[^.]*created_by/);
  });

  it('tells by what the calls of nobody that is known are counted', () => {
    const counted = (path: string): string | undefined => /Rate limit: .*/.exec(description.paths[path]?.get?.description ?? '')?.[0];
    for (const path of ['/auth/google', '/auth/google/callback']) expect(counted(path)).toContain('per address');
    expect(counted('/auth/me')).toContain('per API key or person');
  });

  it('tells of a draft what its warnings say nothing of', () => {
    const { description: said = '' } = calls.find(({ operation }) => operation.operationId === 'createDraft')!.operation;
    for (const what of ['issuer, establishment and emission point are active', 'certificate', 'numbers', 'state and balance', 'earlier withholdings']) expect(said).toContain(what);
  });

  it('tells the limits of the specification', () => {
    const limitOf = (path: string, method: 'get' | 'post' | 'patch') => description.paths[path]?.[method]?.['x-rate-limit'];
    expect(limitOf('/documents', 'post')).toEqual({ bucket: 'issue', limit: 60, window_seconds: 60 });
    expect(limitOf('/documents/{document_id}', 'get')).toEqual({ bucket: 'read', limit: 300, window_seconds: 60 });
    expect(limitOf('/auth/login', 'post')).toEqual({ bucket: 'auth', limit: 10, window_seconds: 60 });
    expect(limitOf('/auth/me', 'patch')).toEqual({ bucket: 'rename', limit: 10, window_seconds: 3_600 });
    expect(limitOf('/issuers', 'get')).toEqual({ bucket: 'other', limit: 600, window_seconds: 60 });
  });

  it('tells the headers of every answer', () => {
    for (const { path, operation } of calls) {
      for (const [status, answer] of Object.entries(operation.responses)) {
        const names = Object.keys(resolve(answer).headers ?? {});
        const counted = status !== '401' && !path.startsWith('/health/');
        expect([operation.operationId, status, names]).toEqual([
          operation.operationId, status,
          expect.arrayContaining(['X-Request-Id', ...(counted ? ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'RateLimit', 'RateLimit-Policy'] : []), ...(status === '429' || status === '503' ? ['Retry-After'] : [])]),
        ]);
      }
    }
  });

  it('tells of no header of an answer that the pages of other origins may not read', () => {
    const told = new Set(calls.flatMap(({ operation }) => Object.values(operation.responses).flatMap((answer) => Object.keys(resolve(answer).headers ?? {}))));
    expect(told).toContain('Idempotent-Replayed');
    expect([...told].filter((name) => !EXPOSED_HEADERS.includes(name))).toEqual([]);
  });

  it('tells of every record whose it is', () => {
    // A tenant is told by its own id, and of a pause in an event the event tells it.
    const told = new Set(['Tenant', 'PlatformTenant', 'EventPause']);
    const has = (schema: Schema, ...names: string[]) => names.some((name) => schema.properties?.[name] !== undefined);
    const records = Object.entries(description.components.schemas).filter(([name, schema]) => !told.has(name) && has(schema, 'id', 'member_id') && has(schema, 'created_at', 'invited_at', 'at'));
    expect(records.map(([name]) => name)).toEqual(expect.arrayContaining(['Document', 'DocumentListItem', 'Buyer', 'Certificate', 'Webhook', 'ApiKey', 'Member', 'AuditLine', 'Event']));
    expect(records.filter(([, schema]) => schema.required?.includes('tenant_id') !== true).map(([name]) => name)).toEqual([]);
  });

  it('has a name for every object', () => {
    const anonymous: string[] = [];
    const visit = (schema: Schema, at: string, named: boolean): void => {
      if (schema.$ref !== undefined) return;
      if (!named && (schema.properties !== undefined || [schema.type].flat().includes('object'))) anonymous.push(at);
      for (const [name, inner] of Object.entries(schema.properties ?? {})) visit(inner, `${at}.${name}`, false);
      for (const inner of [schema.items, ...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) if (inner !== undefined) visit(inner, `${at}[]`, false);
    };
    for (const [name, schema] of Object.entries(description.components.schemas)) visit(schema, name, true);
    for (const { at, content } of all) if (content.schema !== undefined) visit(content.schema, at, false);
    expect(anonymous).toEqual([]);
  });

  it('does not promise that documents are sent to the address in a profile of a buyer', () => {
    for (const name of ['Buyer', 'BuyerCreate', 'BuyerUpdate']) expect(description.components.schemas[name]?.properties?.['email']).toMatchObject({ description: expect.stringContaining('mailed to its own buyer_email') });
  });

  it('has no default in the body of a change, where a field that is absent stays', () => {
    const defaults: string[] = [];
    const visit = (schema: Schema, at: string, seen: readonly string[]): void => {
      const { $ref } = schema;
      if ($ref !== undefined && !seen.includes($ref)) visit(description.components.schemas[$ref.split('/').at(-1)!]!, at, [...seen, $ref]);
      if (schema['default'] !== undefined) defaults.push(at);
      for (const [name, inner] of Object.entries(schema.properties ?? {})) visit(inner, `${at}.${name}`, seen);
      for (const inner of [schema.items, ...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) if (inner !== undefined) visit(inner, `${at}[]`, seen);
    };
    const changes = calls.filter(({ method }) => method === 'patch');
    expect(changes.length).toBeGreaterThan(10);
    for (const { operation } of changes) for (const { schema } of Object.values(operation.requestBody?.content ?? {})) if (schema !== undefined) visit(schema, operation.operationId, []);
    expect(defaults).toEqual([]);
  });

  it('has an example for every body and answer, and each fits its schema', () => {
    const faults: string[] = [];
    let examples = 0;
    const validators = new Map<string, ValidateFunction>();
    for (const { at, mediaType, content } of all) {
      const { schema } = content;
      if (schema === undefined || schema.contentMediaType !== undefined) {
        // Bytes: there is nothing to show.
        if (mediaType === 'application/json') faults.push(`${at}: no schema`);
        continue;
      }
      const key = JSON.stringify(schema);
      const validate = validators.get(key) ?? validators.set(key, validatorOf(schema)).get(key)!;
      if (Object.keys(content.examples ?? {}).length === 0) faults.push(`${at}: no example`);
      for (const [name, { value }] of Object.entries(content.examples ?? {})) {
        examples += 1;
        if (JSON.stringify(value).includes(`"${UNSAID}"`)) faults.push(`${at}: give an \`example\` to the field that shows as ${UNSAID} in ${JSON.stringify(value)}`);
        if (!validate(value)) faults.push(`${at} ${name}: ${ajv.errorsText(validate.errors)}`);
      }
    }
    for (const { operation } of calls) {
      for (const parameter of operation.parameters ?? []) {
        if (isReference(parameter) || parameter.required !== true) continue;
        if (!validatorOf(parameter.schema!)(parameter.example) || parameter.example === UNSAID) faults.push(`${operation.operationId} ${parameter.name} has no example that fits`);
      }
    }
    expect(faults).toEqual([]);
    expect(examples).toBeGreaterThan(calls.length);
  });

  it('has an example for every error code of the catalogue', () => {
    const shown = Object.values(description.components.responses).flatMap(({ content }) => Object.entries(content?.['application/json']?.examples ?? {}));
    const answered = Object.entries(ERROR_CATALOGUE).filter(([, { status }]) => status >= 400);
    expect(shown.map(([code]) => code).sort()).toEqual(answered.map(([code]) => code).sort());
    for (const [code, { value }] of shown) expect(value).toMatchObject({ error: { code } });
  });

  it('tells what is sent to webhooks', () => {
    expect(Object.keys(description.webhooks ?? {}).sort()).toEqual([...EVENT_KINDS].sort());
    for (const { path, operation } of hooks) {
      const value = operation.requestBody?.content['application/json']?.examples?.['example']?.value;
      expect(value).toMatchObject({ type: path, version: path.startsWith('document.') ? 1 : null });
    }
  });

  it('is served with examples of today and with the ids that exist', () => {
    const served = withCurrentExamples(description, '2027-01-31', { issuer_id: '11111111-1111-4111-8111-111111111111' });
    const bodies = Object.values(served.paths['/documents']!.post!.requestBody!.content['application/json']!.examples!).map(({ value }) => value);
    for (const body of bodies) expect(body).toMatchObject({ issuer_id: '11111111-1111-4111-8111-111111111111', issue_date: '2027-01-31' });
    expect(JSON.stringify(served)).not.toContain(sampleId('issuer_id'));
    expect(JSON.stringify(description)).toContain(SAMPLE_DAY);
  });
});
