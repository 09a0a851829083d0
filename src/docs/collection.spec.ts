import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { z } from 'zod';
import { type Description, operationsOf } from '../platform/openapi/description.js';

/** What the format (2.1) demands of the parts that are used here. */
const pair = z.strictObject({ key: z.string().min(1), value: z.string(), description: z.string().optional(), disabled: z.literal(true).optional() });
const attribute = z.strictObject({ key: z.string(), value: z.string(), type: z.literal('string') });
const auth = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('noauth') }),
  z.strictObject({ type: z.literal('apikey'), apikey: z.array(attribute) }),
  z.strictObject({ type: z.literal('bearer'), bearer: z.array(attribute) }),
]);
const event = z.strictObject({ listen: z.enum(['prerequest', 'test']), script: z.strictObject({ type: z.literal('text/javascript'), exec: z.array(z.string()) }) });
const body = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('raw'), raw: z.string(), options: z.strictObject({ raw: z.strictObject({ language: z.literal('json') }) }) }),
  z.strictObject({
    mode: z.literal('formdata'),
    formdata: z.array(
      z.discriminatedUnion('type', [
        z.strictObject({ key: z.string(), type: z.literal('text'), value: z.string(), description: z.string() }),
        z.strictObject({ key: z.string(), type: z.literal('file'), src: z.null(), description: z.string() }),
      ]),
    ),
  }),
]);
const request = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  auth: auth.optional(),
  header: z.array(pair),
  url: z.strictObject({ raw: z.string(), host: z.tuple([z.literal('{{base_url}}')]), path: z.array(z.string().min(1)), query: z.array(pair).min(1).optional(), variable: z.array(pair).min(1).optional() }),
  body: body.optional(),
  description: z.string().optional(),
});
const item = z.strictObject({ name: z.string().min(1), event: z.array(event).optional(), request, response: z.array(z.strictObject({ name: z.string(), originalRequest: request })) });
const COLLECTION = z.strictObject({
  info: z.strictObject({ _postman_id: z.uuid(), name: z.string(), version: z.string(), description: z.string(), schema: z.literal('https://schema.getpostman.com/json/collection/v2.1.0/collection.json') }),
  auth,
  event: z.array(event),
  variable: z.array(z.strictObject({ key: z.string(), value: z.string(), type: z.literal('string'), description: z.string() })),
  item: z.array(z.strictObject({ name: z.string(), description: z.string(), item: z.array(item).min(1) })),
});

const text = readFileSync('docs/collection.postman.json', 'utf8');
const collection = COLLECTION.parse(JSON.parse(text));
const description = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Description;
const calls = operationsOf(description.paths);
const items = collection.item.flatMap((folder) => folder.item.map((one) => ({ folder: folder.name, ...one })));
const find = (method: string, path: string) => items.find(({ request: { method: verb, url } }) => verb === method && `/${url.path.join('/')}` === path)!;
const jsonOf = (one: z.infer<typeof request>): unknown => (one.body?.mode === 'raw' ? JSON.parse(one.body.raw) : undefined);

describe('the collection of requests', () => {
  it('has one request for each call, in the folder of its tag', () => {
    const said = items.map(({ folder, request: { method, url } }) => `${folder} ${method} /${url.path.join('/').replace(/:(\w+)/g, '{$1}')}`);
    expect(said.sort()).toEqual(calls.map(({ path, method, operation }) => `${operation.tags?.[0] ?? ''} ${method.toUpperCase()} ${path}`).sort());
  });

  it('has a value for every place in an address, and sends no filter that nobody switched on', () => {
    for (const { name, request: { url } } of items) {
      expect([name, (url.variable ?? []).map(({ key }) => `:${key}`).sort()]).toEqual([name, url.path.filter((part) => part.startsWith(':')).sort()]);
      expect([name, (url.variable ?? []).filter(({ value }) => value === '')]).toEqual([name, []]);
      const sent = (url.query ?? []).filter(({ disabled }) => disabled !== true).map(({ key, value }) => `${key}=${value}`);
      expect(url.raw).toBe(`{{base_url}}/${url.path.join('/')}${sent.length === 0 ? '' : `?${sent.join('&')}`}`);
    }
    expect(find('GET', '/documents').request.url.query?.every(({ disabled, description: about }) => disabled === true && about !== '')).toBe(true);
    expect(find('GET', '/buyers/lookup').request.url.raw).toMatch(/\?identifier=\d+&type=\w+$/);
  });

  it('uses no variable that it does not tell, and tells none that it does not use', () => {
    const used = new Set([...text.matchAll(/\{\{([^$}]\w*)\}\}/g)].map(([, name]) => name));
    expect([...used].sort()).toEqual(collection.variable.map(({ key }) => key).sort());
    const set = [...text.matchAll(/collectionVariables\.set\('(\w+)'/g)].map(([, name]) => name!);
    for (const name of set) expect([...used]).toContain(name);
  });

  it('holds no secret, not even one of an example', () => {
    const fields = items.flatMap(({ request: one, response }) => [one, ...response.map(({ originalRequest }) => originalRequest)]).flatMap((one) => {
      const found: [string, unknown][] = [];
      JSON.stringify(jsonOf(one) ?? null, (key, value: unknown) => (found.push([key, value]), value));
      return found;
    });
    const own = fields.filter(([key]) => /password|token|secret|_key$/.test(key));
    expect(own.length).toBeGreaterThan(5);
    expect(own.filter(([, value]) => typeof value !== 'string' || !/^\{\{\w+\}\}$/.test(value))).toEqual([]);
    expect(text).not.toMatch(/svc_(?:test|live)_\w|eyJ|whsec_\w/);
    expect(collection.variable.filter(({ key, value }) => /key|token|password|email/.test(key) && value !== '')).toEqual([]);
  });

  it('signs in by the key of the collection, people by their token, and nobody where none is needed', () => {
    const of = (method: string, path: string) => find(method, path).request.auth;
    expect(collection.auth).toEqual({ type: 'apikey', apikey: expect.arrayContaining([{ key: 'value', value: '{{api_key}}', type: 'string' }, { key: 'key', value: 'X-API-Key', type: 'string' }]) });
    expect(of('POST', '/documents')).toBeUndefined();
    expect(of('GET', '/auth/me')).toEqual({ type: 'bearer', bearer: [{ key: 'token', value: '{{access_token}}', type: 'string' }] });
    expect(of('POST', '/auth/login')).toEqual({ type: 'noauth' });
  });

  it('shows a document of each type, of today and of the own issuer', () => {
    const { request: invoice, response } = find('POST', '/documents');
    const bodies = [invoice, ...response.map(({ originalRequest }) => originalRequest)].map((one) => jsonOf(one) as Record<string, unknown>);
    expect(bodies.map((one) => one['document_type'])).toEqual(['01', '03', '04', '05', '06', '07']);
    for (const one of bodies) expect(one).toMatchObject({ issuer_id: '{{issuer_id}}', establishment_id: '{{establishment_id}}', emission_point_id: '{{emission_point_id}}', issue_date: '{{today}}' });
    expect(JSON.stringify(bodies[2])).toContain('"modified_document_id":"{{document_id}}"');
    expect(JSON.stringify(bodies[5])).toContain('"fiscal_period":"{{this_month}}"');
  });

  it('accepts an invitation as a new person, whom nobody signs in, and keeps the other way as an example', () => {
    const { request: sent, response } = find('POST', '/auth/invitations/accept');
    expect([sent.auth, jsonOf(sent)]).toEqual([{ type: 'noauth' }, { token: '{{token}}', name: 'Rosa Calle', password: '{{password}}' }]);
    expect(response.map(({ originalRequest }) => jsonOf(originalRequest))).toEqual([{ token: '{{token}}' }]);
  });

  it('has scripts that run: the day before each call, ids and tokens after those that make them', () => {
    const run = (exec: readonly string[], code: number, made: object): Record<string, unknown> => {
      const kept: Record<string, unknown> = {};
      const pm = { collectionVariables: { set: (name: string, value: unknown) => (kept[name] = value) }, response: { code, json: () => made } };
      runInNewContext(exec.join('\n'), { pm });
      return kept;
    };
    expect(run(collection.event[0]!.script.exec, 0, {})).toEqual({ today: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), this_month: expect.stringMatching(/^\d\d\/\d{4}$/) });
    const after = (path: string, code: number, made: object) => run(find('POST', path).event?.[0]?.script.exec ?? [], code, made);
    expect(after('/issuers', 201, { id: '1', tenant_id: '2' })).toEqual({ issuer_id: '1' });
    expect(after('/issuers', 422, { id: '1' })).toEqual({});
    expect(after('/documents', 202, { document_id: '3' })).toEqual({ document_id: '3' });
    expect(after('/documents/drafts', 201, { id: '4' })).toEqual({ document_id: '4' });
    expect(after('/auth/login', 200, { access_token: 'a', refresh_token: 'r' })).toEqual({ access_token: 'a', refresh_token: 'r' });
    for (const one of items.flatMap(({ event: events }) => events ?? [])) run(one.script.exec, 201, { id: 'x' });
  });
});
