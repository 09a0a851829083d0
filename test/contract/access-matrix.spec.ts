import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ApiModule } from '../../src/app.module.js';
import { readSettings } from '../../src/config/settings.js';
import { CryptoChance } from '../../src/platform/adapters/crypto-chance.js';
import { generateApiKey } from '../../src/platform/security/api-key.js';
import { isAllowed, type Role, ROLES } from '../../src/platform/security/permissions.js';
import { type DeclaredRoute, RouteDeclarations } from '../../src/platform/security/route-declarations.js';
import { addFaults, Business } from '../support/business.js';
import { BUSINESS_PASSWORD, businessCertificate } from '../support/business-certificate.js';
import { fromSetup } from '../support/database.js';
import { type Answer, call } from '../support/http.js';
import { join, signedIn } from '../support/people.js';
import { type RunningStack, sharedStack } from '../support/stack.js';
import { ACCESS_CASES, type AccessCase, NOBODY_LISTENS, type StandingIds, type World } from './access-cases.js';

/** Callers that nothing but a public route may answer. */
const STRANGERS = ['nobody', 'key_of_the_other_environment', 'revoked_key'] as const;
const CALLERS = [...ROLES, ...STRANGERS] as const;
type Caller = (typeof CALLERS)[number];

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
}

interface OpenApi {
  paths: Record<string, Record<string, { requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> }; parameters?: { name: string; in: string; schema?: Schema }[] }>>;
  components: { schemas: Record<string, Schema> };
}

/** A place in a call where an id stands. */
type Position = { readonly where: 'path' | 'query'; readonly name: keyof StandingIds } | { readonly where: 'body'; readonly at: readonly (string | number)[] };

describe('access to every route', () => {
  let stack: RunningStack;
  let routes: readonly DeclaredRoute[];
  let description: OpenApi;
  let world: World;
  let theirs: StandingIds;
  let keys: Readonly<Record<Exclude<Caller, Exclude<Role, 'api_key'>>, Record<string, string>>>;
  let credentials: Readonly<Record<Caller, Record<string, string>>>;
  let words = 0;

  beforeAll(async () => {
    stack = await sharedStack();
    const app = await applicationOf(stack);
    routes = app.get(RouteDeclarations).routes();
    await app.close();
    description = (await (await fetch(`${stack.apiUrl}/openapi.json`)).json()) as OpenApi;
    world = await makeWorld();
    theirs = (await makeWorld()).ids;
    keys = {
      api_key: { 'x-api-key': world.business.apiKey }, nobody: {},
      key_of_the_other_environment: await newKey('PRODUCTION', null), revoked_key: await newKey('TEST', new Date()),
    };
  });
  // Tokens stand for a quarter of an hour: for one of these tests, not for all of them on a slow machine.
  beforeEach(async () => {
    const people: Record<string, Record<string, string>> = {};
    for (const role of ROLES) if (role !== 'api_key') people[role] = { ...(await newPerson(role)), 'x-tenant-id': world.ids.tenant_id };
    credentials = { ...(people as Record<Exclude<Role, 'api_key'>, Record<string, string>>), ...keys };
  });
  afterAll(() => stack.stop());

  /** The application itself, over the stack's stores, for what it knows of its routes. */
  const applicationOf = async ({ databaseUrl, redisUrl }: RunningStack): Promise<INestApplicationContext> => {
    const settings = readSettings({
      APP_ENV: 'local', LOG_LEVEL: 'silent', DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, MASTER_KEY: fromSetup('TEST_MASTER_KEY'), TOKEN_KEYS: fromSetup('TEST_TOKEN_KEYS'),
      SRI_RECEPTION_URL: 'http://127.0.0.1:9/r', SRI_AUTHORIZATION_URL: 'http://127.0.0.1:9/a',
    });
    const app = await NestFactory.create(ApiModule.with(settings), { logger: false });
    return app.init();
  };

  const newPerson = async (role: Exclude<Role, 'api_key'>): Promise<Record<string, string>> => {
    const person = await signedIn(stack, { platformAdmin: role === 'platform_admin' });
    if (role !== 'platform_admin') await join(stack, person, world.ids.tenant_id, role);
    return { authorization: `Bearer ${person.token}` };
  };

  /** A key by a row: the service itself makes none of the other environment. */
  const newKey = async (environment: 'TEST' | 'PRODUCTION', revokedAt: Date | null): Promise<Record<string, string>> => {
    const key = generateApiKey(new CryptoChance(), environment);
    await stack.database.query(
      `insert into api_keys (tenant_id, id, name, prefix, key_hash, environment, created_at, revoked_at) values ($1, $2, 'stranger', $3, $4, $5, now(), $6)`,
      [world.ids.tenant_id, randomUUID(), key.prefix, key.hash, environment, revokedAt],
    );
    return { 'x-api-key': key.clear };
  };

  const isStranger = (caller: Caller): caller is (typeof STRANGERS)[number] => STRANGERS.some((one) => one === caller);

  const makeWorld = async (): Promise<World> => {
    const business = await Business.open(stack, { issuer: { logo: PNG } });
    const expectOk = (answer: Answer): Record<string, unknown> => {
      if (answer.status >= 300) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    };
    const { body: certificates } = await business.call<{ items: { id: string }[] }>('GET', `/issuers/${business.issuerId}/certificates`);
    const newDraft = async (): Promise<string> => expectOk(await business.call('POST', '/documents/drafts', business.invoice()))['id'] as string;
    const newBuyer = async (): Promise<string> => expectOk(await business.call('POST', '/buyers', { buyer_id_type: 'EXTERIOR', buyer_id: `W-${String((words += 1))}`, legal_name: 'X' }))['id'] as string;
    const newApiKey = async (): Promise<string> => expectOk(await business.call('POST', '/auth/api-keys', { name: 'target' }))['id'] as string;
    const newProduct = async (): Promise<string> =>
      expectOk(await business.call('POST', '/products', { main_code: `N-${randomUUID().slice(0, 8)}`, name: 'Café', unit_price: '1.00', iva_rate_code: '4' }))['id'] as string;
    const newWebhook = async (): Promise<string> => expectOk(await business.call('POST', '/webhooks', { url: NOBODY_LISTENS }))['id'] as string;
    const newMember = async (status: 'active' | 'suspended' | 'invited'): Promise<string> => {
      if (status !== 'invited') return join(stack, await signedIn(stack), business.tenantId, 'viewer', status);
      return expectOk(await business.call('POST', '/tenant/members/invite', { email: `${randomUUID()}@example.com`, role: 'viewer' }))['member_id'] as string;
    };
    const newFile = (): string => businessCertificate(business.ruc).toString('base64');
    const [documentId, pauseId] = [(await business.accepted()).document_id, randomUUID()];
    if ((await business.settled(documentId)).status !== 'AUTHORIZED') throw new Error('the standing document is not authorized');
    await addFaults(stack, { match: { ruc: business.ruc, service: 'reception' }, times: 1, action: { kind: 'refuse', code: '52', at: 'authorization' } });
    const refusedId = (await business.accepted()).document_id;
    if ((await business.settled(refusedId)).status !== 'REJECTED') throw new Error('the refused document is not refused');
    const unmailedId = (await business.accepted({ buyer_email: null })).document_id;
    if ((await business.settled(unmailedId)).status !== 'AUTHORIZED') throw new Error('the unmailed document is not authorized');
    await stack.database.query(
      `insert into issuing_pauses (tenant_id, id, scope, issuer_id, code, document_id, created_at, resumed_at) values ($1, $2, 'issuer', $3, '2', $4, now(), now())`,
      [business.tenantId, pauseId, business.issuerId, documentId],
    );
    const file = newFile();
    const webhookId = await newWebhook();
    const deliveryId = expectOk(await business.call('POST', `/webhooks/${webhookId}/test`))['id'] as string;
    return {
      business,
      ids: {
        tenant_id: business.tenantId, issuer_id: business.issuerId, establishment_id: business.establishmentId, emission_point_id: business.emissionPointId,
        certificate_id: certificates.items[0]!.id, pause_id: pauseId, product_id: await newProduct(), member_id: await newMember('active'), api_key_id: await newApiKey(),
        document_id: documentId, modified_document_id: documentId, profile_id: await newBuyer(), actor_id: business.apiKeyId, webhook_id: webhookId, delivery_id: deliveryId,
      },
      draftId: await newDraft(),
      refusedId,
      unmailedId,
      spare: await Business.open(stack, { certificate: null }),
      newDraft, newBuyer, newApiKey, newMember, newProduct, newWebhook,
      newCertificate: async () => {
        const path = `/issuers/${business.issuerId}/certificates`;
        const id = expectOk(await business.call('POST', path, { file_base64: newFile(), password: BUSINESS_PASSWORD }))['id'] as string;
        expectOk(await business.call('POST', `${path}/${certificates.items[0]!.id}/activate`));
        return id;
      },
      certificateFile: () => file,
      word: () => String((words += 1)),
    };
  };

  /** One line of what went wrong. */
  const told = (route: DeclaredRoute, where: string, due: unknown, { status, body }: Answer): string =>
    `${keyOf(route)}${where}: ${String(due)} was due, ${status} came: ${JSON.stringify(body).slice(0, 300)}`;
  const shown = (position: Position): string => (position.where === 'body' ? ` body ${position.at.join('.')}` : ` ${position.where} ${position.name}`);
  const keyOf = ({ method, path }: DeclaredRoute): string => `${method} ${path}`;
  const caseOf = (route: DeclaredRoute): AccessCase => ACCESS_CASES[keyOf(route)]!;
  const idsInPath = (route: DeclaredRoute): (keyof StandingIds)[] =>
    [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name!).filter((name) => caseOf(route).words?.[name] === undefined) as (keyof StandingIds)[];

  /** The statuses a caller must get on their own things and, where the caller may at all, on others'. */
  const expected = (route: DeclaredRoute, caller: Caller): { own: number; allowed: boolean } => {
    const { demands, own, refusesKeys, ofMembers } = caseOf(route);
    const isKey = 'x-api-key' in credentials[caller];
    if (demands === 'public') return refusesKeys === true && isKey ? { own: isStranger(caller) ? 401 : 403, allowed: false } : { own, allowed: true };
    if (isStranger(caller)) return { own: 401, allowed: false };
    const allowed = demands === 'signed_in' ? caller !== 'api_key' : isAllowed(caller, demands);
    if (ofMembers === true && caller === 'platform_admin') return { own: 404, allowed };
    return { own: allowed ? own : 403, allowed };
  };

  interface Call {
    readonly ids: Partial<Record<keyof StandingIds, string>>;
    readonly body: unknown;
  }

  const prepare = async (route: DeclaredRoute, used: boolean): Promise<Call> => {
    const one = caseOf(route);
    // What a refused caller cannot use up need not be made anew.
    return { ids: { ...world.ids, ...(used ? await one.fresh?.(world) : {}) }, body: one.body?.(world) };
  };

  const perform = async (route: DeclaredRoute, caller: Caller, { ids, body }: Call, stray: string | null = null): Promise<Answer> => {
    const { words: named, query, demands, type } = caseOf(route);
    const path = route.path.replace(/:(\w+)/g, (_all, name: keyof StandingIds) => named?.[name] ?? ids[name] ?? '');
    const search = [...Object.entries(query ?? {}).map(([name, id]) => `${name}=${ids[id]}`), ...(stray === null ? [] : [`${stray}=x`])].join('&');
    // A call for people may end the session: each gets a person of its own.
    const headers = demands === 'signed_in' && caller !== 'api_key' && !isStranger(caller) ? await newPerson(caller) : credentials[caller];
    return call(stack.apiUrl, route.method, search === '' ? path : `${path}?${search}`, { body, headers: type === undefined ? headers : { ...headers, 'content-type': type } });
  };

  const positionsOf = (route: DeclaredRoute, call: Call): Position[] => [
    ...idsInPath(route).map((name) => ({ where: 'path', name }) as const),
    ...Object.values(caseOf(route).query ?? {}).map((name) => ({ where: 'query', name }) as const),
    ...bodyIds(call.body).map((at) => ({ where: 'body', at }) as const),
  ];

  const bodyIds = (value: unknown, at: readonly (string | number)[] = []): (readonly (string | number)[])[] => {
    if (typeof value === 'string') return UUID.test(value) ? [at] : [];
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([name, inner]) => bodyIds(inner, [...at, name]));
  };

  const withId = (call: Call, position: Position, id: (name: keyof StandingIds) => string): Call => {
    if (position.where !== 'body') return { ...call, ids: { ...call.ids, [position.name]: id(position.name) } };
    const body = structuredClone(call.body) as Record<string, unknown>;
    const last = position.at.at(-1)!;
    const owner = position.at.slice(0, -1).reduce<Record<string, unknown>>((inner, name) => inner[name] as Record<string, unknown>, body);
    owner[last] = id(String(last) as keyof StandingIds);
    return { ...call, body };
  };

  /** An answer without what names the call and the id it was about. */
  const withoutIds = ({ status, body }: Answer, id: string): string =>
    JSON.stringify([status, body]).replaceAll(id, '<id>').replace(/"request_id":"[^"]*"/, '"request_id":""');

  it('is decided for each of them, as its case says', () => {
    const declared = routes.map((route) => [keyOf(route), route.permission ?? (route.signedIn ? 'signed_in' : 'public')]);
    const cases = Object.entries(ACCESS_CASES).map(([key, { demands }]) => [key, demands]);
    expect(declared.sort()).toEqual(cases.sort());
  });

  it('knows a value for every id that the description of the API names', async () => {
    const uuids = (schema: Schema | undefined, seen: readonly string[] = []): string[] => {
      if (schema === undefined) return [];
      if (schema.$ref !== undefined) {
        const name = schema.$ref.split('/').at(-1)!;
        return seen.includes(name) ? [] : uuids(description.components.schemas[name], [...seen, name]);
      }
      const inner = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.items === undefined ? [] : [schema.items])].flatMap((one) => uuids(one, seen));
      return [...inner, ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => (property.format === 'uuid' ? [name] : uuids(property, seen)))];
    };
    let checked = 0;
    for (const route of routes) {
      const operation = description.paths[route.path.replace(/:(\w+)/g, '{$1}')]?.[route.method.toLowerCase()];
      if (operation === undefined) continue;
      const inBody = uuids(operation.requestBody?.content['application/json']?.schema);
      const inQuery = (operation.parameters ?? []).filter((one) => one.in === 'query' && one.schema?.format === 'uuid').map(({ name }) => name);
      const { body } = await prepare(route, false);
      expect([keyOf(route), bodyIds(body).map((at) => String(at.at(-1))).sort()]).toEqual([keyOf(route), inBody.sort()]);
      expect([keyOf(route), Object.keys(caseOf(route).query ?? {}).sort()]).toEqual([keyOf(route), inQuery.sort()]);
      checked += inBody.length + inQuery.length + idsInPath(route).length;
    }
    expect(checked).toBeGreaterThan(60);
  });

  it.each(CALLERS)('%s gets exactly what is due, on every route', async (caller) => {
    const wrong: string[] = [];
    for (const route of routes) {
      const { own, allowed } = expected(route, caller);
      const answer = await perform(route, caller, await prepare(route, allowed));
      if (answer.status !== own) wrong.push(told(route, '', own, answer));
    }
    expect(wrong).toEqual([]);
  });

  it.each(CALLERS)("%s cannot tell another tenant's id from a random one, wherever an id stands", async (caller) => {
    const wrong: string[] = [];
    let compared = 0;
    for (const route of routes) {
      const { allowed, own } = expected(route, caller);
      // A wrong id in the path stops the call before it uses anything up; one in the body need not.
      const call = await prepare(route, allowed && bodyIds(caseOf(route).body?.(world)).length > 0);
      for (const position of positionsOf(route, call)) {
        const random = randomUUID();
        const name = position.where === 'body' ? (String(position.at.at(-1)) as keyof StandingIds) : position.name;
        const foreignId = theirs[name];
        const foreign = await perform(route, caller, withId(call, position, () => foreignId));
        const nowhere = await perform(route, caller, withId(call, position, () => random));
        const at = shown(position);
        // The platform's own routes reach every tenant: there, only a tenant's issuer under another tenant is foreign.
        const isForeign = !(allowed && route.path === '/platform/tenants/:tenant_id');
        if (isForeign && withoutIds(foreign, foreignId) !== withoutIds(nowhere, random)) wrong.push(told(route, at, withoutIds(nowhere, random).slice(0, 300), foreign));
        const due = allowed && position.where === 'path' ? [404] : allowed ? (position.where === 'query' ? [own, ...(caseOf(route).query?.['cursor'] === position.name ? [404] : [])] : [400, 404, ...(caseOf(route).dryRun === true ? [own] : [])]) : [own];
        if (isForeign && !due.includes(foreign.status)) wrong.push(told(route, `${at} foreign`, due, foreign));
        if (!due.includes(nowhere.status)) wrong.push(told(route, `${at} random`, due, nowhere));
        compared += 1;
      }
    }
    expect(wrong).toEqual([]);
    expect(compared).toBeGreaterThan(60);
  });

  it('lets no body set more than its fields: every column of every table is refused by name', async () => {
    const columns = (await stack.database.query<{ name: string }>(
      `select distinct column_name::text as name from information_schema.columns where table_schema = 'sello' and table_name <> 'migrations'`,
    )).map(({ name }) => name);
    expect(columns.length).toBeGreaterThan(100);
    let checked = 0;
    for (const route of routes) {
      const schema = description.paths[route.path.replace(/:(\w+)/g, '{$1}')]?.[route.method.toLowerCase()]?.requestBody?.content['application/json']?.schema;
      if (schema === undefined) continue;
      const fields = Object.keys(description.components.schemas[schema.$ref!.split('/').at(-1)!]!.properties ?? {});
      const { demands } = caseOf(route);
      const call = await prepare(route, true);
      const strangers = columns.filter((name) => !fields.includes(name));
      const body = { ...(call.body as object), ...Object.fromEntries(strangers.map((name) => [name, 'x'])) };
      const answer = await perform(route, demands.startsWith('platform:') ? 'platform_admin' : 'tenant_owner', { ...call, body });
      const detail = (answer.body as { detail?: { loc: string[]; type: string }[] }).detail ?? [];
      const refused = detail.filter(({ type, loc }) => type === 'extra_forbidden' && loc.length === 2).map(({ loc }) => loc[1]!);
      expect([keyOf(route), answer.status >= 400, refused.sort()]).toEqual([keyOf(route), true, strangers.sort()]);
      checked += 1;
    }
    expect(checked).toBeGreaterThan(20);
  });

  it('reads all that it is sent, or refuses it: no body and no query is lost in silence', async () => {
    const lost: string[] = [];
    let checked = 0;
    for (const route of routes) {
      // What a provider or a monitor writes there is theirs.
      if (route.path.startsWith('/health/') || (route.method === 'GET' && route.path.startsWith('/auth/google'))) continue;
      const caller = caseOf(route).demands.startsWith('platform:') ? 'platform_admin' : 'tenant_owner';
      const isRefused = ({ body }: Answer, source: string): boolean => ((body as { detail?: { loc: string[] }[] }).detail ?? []).some(({ loc }) => loc.join() === `${source},stray`);
      const call = await prepare(route, false);
      const asked = await perform(route, caller, call, 'stray');
      if (![400, 422].includes(asked.status) || !isRefused(asked, 'query')) lost.push(told(route, ' query', 422, asked));
      checked += 1;
      // A body of GET means nothing in HTTP.
      if (description.paths[route.path.replace(/:(\w+)/g, '{$1}')]?.[route.method.toLowerCase()]?.requestBody !== undefined || route.method === 'GET') continue;
      const sent = await perform(route, caller, { ...call, body: { stray: 'x' } });
      if (sent.status !== 422 || !isRefused(sent, 'body')) lost.push(told(route, ' body', 422, sent));
      checked += 1;
    }
    expect(lost).toEqual([]);
    expect(checked).toBeGreaterThan(100);
  });

  it('refuses a call without the body that its description requires, and no other for that', async () => {
    const wrong: string[] = [];
    const optional: string[] = [];
    let required = 0;
    for (const route of routes) {
      const body = description.paths[route.path.replace(/:(\w+)/g, '{$1}')]?.[route.method.toLowerCase()]?.requestBody;
      if (body === undefined) continue;
      const { demands } = caseOf(route);
      // Nobody's session ends by it.
      const caller = demands === 'public' ? 'nobody' : demands.startsWith('platform:') ? 'platform_admin' : 'tenant_owner';
      // None at all, and one of no bytes that is said to be JSON.
      for (const nothing of [undefined, '']) {
        const { ids } = await prepare(route, false);
        const answer = await perform(route, caller, { ids, body: nothing });
        const { error } = answer.body as { error?: { detail?: { reason?: string } | null } };
        const isRefused = answer.status === 400 && error?.detail?.reason === 'empty_body';
        if (isRefused !== (body.required === true)) wrong.push(told(route, ` ${JSON.stringify(nothing)}`, body.required === true ? 400 : 'another', answer));
      }
      if (body.required === true) required += 1;
      else optional.push(keyOf(route));
    }
    expect(wrong).toEqual([]);
    expect(optional.sort()).toEqual(['POST /auth/logout', 'POST /auth/refresh', 'POST /documents/:document_id/email', 'POST /tenant/mail-settings/preview']);
    expect(required).toBeGreaterThan(40);
  });

  it('changed nothing of the other tenant, and consumed none of its numbers', async () => {
    const rows = await stack.database.query<{ action: string; actor_id: string }>('select action, actor_id from audit_log where tenant_id = $1', [theirs.tenant_id]);
    // It was founded by the operator.
    expect(rows.filter(({ actor_id }) => actor_id !== theirs.actor_id).map(({ action }) => action).sort()).toEqual(['api_key.created', 'tenant.founded']);
    const [counter] = await stack.database.query<{ last: number; documents: number }>(
      `select (select sum(last_value)::int from sequence_counters where tenant_id = $1) as last, (select count(*)::int from documents where tenant_id = $1 and status <> 'DRAFT') as documents`,
      [theirs.tenant_id],
    );
    expect(counter).toEqual({ last: 3, documents: 3 });
  });
});
