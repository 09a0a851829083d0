import { randomUUID } from 'node:crypto';
import { type BadInput, expectEnvelope, refuses, type Refusal } from '../../support/bad-input.js';
import { Business } from '../../support/business.js';
import type { Answer } from '../../support/http.js';
import type { RunningStack } from '../../support/stack.js';

const INVALID = [422, 'VALIDATION_FAILED'] as const;
const NOT_FOUND = [404, 'NOT_FOUND'] as const;

const PLACES = ['issuer_id', 'establishment_id', 'emission_point_id', 'modified_document_id'] as const;
const NO_UUIDS: readonly [name: string, value: unknown][] = [
  ['a word', 'x'],
  ['braces', `{${randomUUID()}}`],
  ['a prefix', `urn:uuid:${randomUUID()}`],
  ['no hyphens', randomUUID().replaceAll('-', '')],
  ['a digit too many', `${randomUUID()}0`],
  ['a space behind', `${randomUUID()} `],
  ['a line break behind', `${randomUUID()}\n`],
  ['nil', '00000000-0000-0000-0000-000000000000'],
  ['wide digits', randomUUID().replace(/[0-9]/, '１')],
  ['a number', 7],
  ['true', true],
  ['a list', [randomUUID()]],
  ['an object', { id: randomUUID() }],
  ['the text undefined', 'undefined'],
  ['the text null', 'null'],
  ['an empty text', ''],
];
const OPERATORS = [{ $ne: null }, { _type: 'not' }, { '@instanceof': 'FindOperator', _type: 'isNull' }, { $gt: '' }];

export const identifierCases = (running: () => RunningStack): void => describe('identifiers', () => {
  let stack: RunningStack;
  beforeAll(() => {
    stack = running();
  });

  refuses('in bodies', () => stack, [
    ...PLACES.flatMap((field) => NO_UUIDS.map(([name, value]): BadInput => ({ name: `B23 ${field}: ${name}`, change: { [field]: value }, refused: INVALID, at: `/${field}`, because: 'uuid_parsing' }))),
    ...PLACES.slice(0, 3).map((field): BadInput => ({ name: `B27 ${field}: null`, change: { [field]: null }, refused: INVALID, at: `/${field}`, because: 'uuid_parsing' })),
    ...PLACES.slice(0, 3).map((field): BadInput => ({ name: `B27 ${field}: left out`, change: { [field]: undefined }, refused: [400, 'INVALID_PAYLOAD'], at: `/${field}`, because: 'missing' })),
    ...PLACES.flatMap((field) => OPERATORS.map((value): BadInput => ({ name: `B30 ${field}: ${JSON.stringify(value)}`, change: { [field]: value }, refused: INVALID, at: `/${field}`, because: 'uuid_parsing' }))),
  ]);

  refuses('in paths and queries', () => stack, [
    ...NO_UUIDS.filter(([, value]) => typeof value === 'string' && value !== '').flatMap(([name, value]) =>
      ([['GET', '/documents/?', 'document_id'], ['GET', '/issuers/?', 'issuer_id'], ['POST', '/documents/?/cancel', 'document_id'], ['DELETE', '/auth/api-keys/?', 'api_key_id'], ['PATCH', '/tenant/members/?', 'member_id']] as const).map(
        ([method, path, field]): BadInput => ({
          name: `B23 ${method} ${path}: ${name}`,
          call: () => ({ method, path: path.replace('?', encodeURIComponent(value as string)), ...(method === 'POST' ? { body: { reason: 'x' } } : method === 'PATCH' ? { body: { role: 'viewer' } } : {}) }),
          refused: INVALID, at: `/${field}`, because: 'uuid_parsing',
        }),
      ),
    ),
    { name: 'B23 an actor of the audit log', call: () => ({ method: 'GET', path: '/tenant/audit-log?actor_id=x' }), refused: INVALID, at: '/actor_id', because: 'uuid_parsing' },
    { name: 'B30 an operator in a query', call: () => ({ method: 'GET', path: '/tenant/audit-log?actor_id[$ne]=x' }), refused: INVALID, at: '/actor_id[$ne]', because: 'extra_forbidden' },
    { name: 'B27 undefined in the path of a document', call: () => ({ method: 'GET', path: '/documents/undefined' }), refused: INVALID, at: '/document_id', because: 'uuid_parsing' },
  ]);

  refuses('that do not belong together', () => stack, [
    {
      name: 'B25 an issuer with another own issuer’s establishment',
      change: async (business) => ({ issuer_id: await created(business, '/issuers', { ruc: '1790012347001', razon_social: 'X', direccion_matriz: 'Quito', obligado_contabilidad: false }) }),
      refused: NOT_FOUND,
    },
    {
      name: 'B25 an establishment with another’s emission point',
      change: async (business) => ({ establishment_id: await created(business, `/issuers/${business.issuerId}/establishments`, { code: '002', address: 'Cuenca' }) }),
      refused: NOT_FOUND,
    },
    { name: 'B25 an establishment in the place of its issuer', change: ({ establishmentId }) => ({ issuer_id: establishmentId }), refused: NOT_FOUND },
    ...(['issuer_id', 'establishment_id', 'emission_point_id'] as const).map((field): BadInput => ({ name: `B25 an unknown ${field}`, change: { [field]: randomUUID() }, refused: NOT_FOUND })),
    ...([['of another tenant', () => randomUUID()], ['garbage', () => 'garbage'], ['several', (own) => `${own}, ${own}`], ['nil', () => '00000000-0000-0000-0000-000000000000']] as [string, (own: string) => string][]).map(
      ([name, tenant]): BadInput => ({
        name: `B26 X-Tenant-Id ${name}`, call: (business) => ({ body: business.invoice(), headers: { 'x-tenant-id': tenant(business.tenantId) } }), refused: [403, 'FORBIDDEN'],
      }),
    ),
    {
      name: 'B29 a key of production', refused: [401, 'UNAUTHENTICATED'],
      call: (business) => ({ body: business.invoice(), apiKey: business.apiKey.replace('svc_test_', 'svc_live_') }),
    },
  ]);

  const created = async (business: Business, path: string, body: unknown): Promise<string> => {
    const answer = await business.call('POST', path, body);
    expect(answer.status).toBe(201);
    return answer.body['id'] as string;
  };

  it.each([
    ['issuers', [403, 'ISSUER_DISABLED', undefined]],
    ['establishments', [400, 'FISCAL_RULE_VIOLATED', '/establishment_id']],
    ['emission_points', [400, 'FISCAL_RULE_VIOLATED', '/emission_point_id']],
  ])('B28 inactive %s', async (table, [status, code, at]) => {
    const business = await Business.open(stack);
    await stack.database.query(`update ${table} set is_active = false where tenant_id = $1`, [business.tenantId]);
    const answer = (await business.issue({ idempotency_key: 'later' })) as unknown as Answer<Refusal>;
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    expectEnvelope(answer);
    if (at !== undefined) expect(answer.body.error.detail).toMatchObject([{ pointer: at, rule: 'place.inactive' }]);
    await stack.database.query(`update ${table} set is_active = true where tenant_id = $1`, [business.tenantId]);
    const accepted = await business.issue({ idempotency_key: 'later' });
    expect([accepted.status, accepted.headers.get('idempotent-replayed'), await business.lastNumber()]).toEqual([202, null, 1]);
  });

  it('B23 ids in capitals are the same ids', async () => {
    const business = await Business.open(stack);
    const upper = await business.issue({ issuer_id: business.issuerId.toUpperCase(), emission_point_id: business.emissionPointId.toUpperCase(), idempotency_key: 'k' });
    expect(upper.status).toBe(202);
    expect(await business.document(upper.body.document_id.toUpperCase())).toMatchObject({ id: upper.body.document_id, issuer_id: business.issuerId });
    expect((await business.issue({ idempotency_key: 'k' })).headers.get('idempotent-replayed')).toBe('true');
  });
});
