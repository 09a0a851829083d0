import { randomUUID } from 'node:crypto';
import { Business } from '../support/business.js';
import { type RunningStack, sharedStack } from '../support/stack.js';

interface Gap {
  from_number: number;
  to_number: number;
  kind: string;
  reason: string | null;
  document_id: string | null;
  status: string | null;
}

describe('the numbers of an emission point', () => {
  let stack: RunningStack;
  beforeAll(async () => {
    stack = await sharedStack();
  });
  afterAll(() => stack.stop());

  const sequences = (business: Business): string => `/emission-points/${business.emissionPointId}/sequences`;
  const raise = (business: Business, next_number: unknown, type = '01', reason: unknown = 'Sistema anterior') =>
    business.call('POST', `${sequences(business)}/${type}/raise`, { next_number, reason });
  const gaps = async (business: Business, query = ''): Promise<Gap[]> => (await business.call<{ items: Gap[] }>('GET', `${sequences(business)}/01/gaps${query}`)).body.items;
  const numberOf = async (business: Business): Promise<number> => Number((await business.accepted()).access_key.slice(30, 39));

  it('are told per document type, beginning where the point says', async () => {
    const business = await Business.open(stack, { initialSequential: 500 });
    expect(await numberOf(business)).toBe(500);
    const { body } = await business.call<{ items: unknown[] }>('GET', sequences(business));
    expect(body).toEqual({
      items: ['01', '03', '04', '05', '06', '07'].map((document_type) => {
        const next_number = document_type === '01' ? 501 : 500;
        return { document_type, next_number, remaining: 1_000_000_000 - next_number };
      }),
      total: 6,
    });
  });

  it('go on from a raised number, before the first document too, and never go back', async () => {
    const business = await Business.open(stack);
    expect((await raise(business, 41)).body).toEqual({ document_type: '01', next_number: 41, remaining: 999_999_959 });
    expect(await numberOf(business)).toBe(41);
    for (const next of [42, 41, 2]) {
      const refused = await raise(business, next);
      expect([refused.status, refused.body]).toMatchObject([409, { error: { code: 'INVALID_STATE', detail: { reason: 'not_higher', next_number: 42, allowed_actions: ['raise_higher'] } } }]);
    }
    expect((await raise(business, 50, '07')).status).toBe(200);
    expect(await numberOf(business)).toBe(42);
  });

  it('up to the last one', async () => {
    const business = await Business.open(stack);
    await raise(business, 999_999_999);
    expect(await numberOf(business)).toBe(999_999_999);
    expect((await business.issue()).body).toMatchObject({ error: { code: 'SEQUENCE_EXHAUSTED' } });
    expect((await business.call<{ items: unknown[] }>('GET', sequences(business))).body.items[0]).toEqual({ document_type: '01', next_number: null, remaining: 0 });
    const beyond = await raise(business, 999_999_999);
    expect([beyond.status, beyond.body]).toMatchObject([409, { error: { code: 'SEQUENCE_EXHAUSTED', detail: { field: 'next_number' } } }]);
  });

  it('that carry no authorized document are listed with the reason of each', async () => {
    const business = await Business.open(stack);
    const first = await business.accepted();
    const refused = await business.accepted({ additional_info: [{ name: 'Simulador', value: 'refuse:52' }] });
    const abandoned = await business.accepted({ additional_info: [{ name: 'Simulador', value: 'refuse:52' }] });
    for (const { document_id } of [first, refused, abandoned]) await business.settled(document_id);
    expect((await business.call('POST', `/documents/${abandoned.document_id}/abandon`, { reason: 'Pedido anulado' })).status).toBe(200);
    await raise(business, 10, '01', 'El SRI ya los tiene');
    expect(await gaps(business)).toMatchObject([
      { from_number: 2, to_number: 2, kind: 'not_authorized', reason: 'SRI_REJECTED', document_id: refused.document_id, status: 'REJECTED' },
      { from_number: 3, to_number: 3, kind: 'not_authorized', reason: 'Pedido anulado', document_id: abandoned.document_id, status: 'FAILED_PERMANENT' },
      { from_number: 4, to_number: 9, kind: 'raised', reason: 'El SRI ya los tiene', document_id: null, status: null },
    ]);
    expect(await gaps(business, '?page=2&page_size=2')).toHaveLength(1);
    // How many there are does not hang on the page.
    expect((await business.call('GET', `${sequences(business)}/01/gaps?page=3&page_size=2`)).body).toMatchObject({ items: [], total: 3, page: 3 });
    expect((await business.call('GET', `${sequences(business)}/03/gaps`)).body).toMatchObject({ items: [], total: 0 });
    // What nobody can explain is not hidden.
    await stack.database.query('update sequence_counters set last_value = 14 where emission_point_id = $1', [business.emissionPointId]);
    expect((await gaps(business)).at(-1)).toMatchObject({ from_number: 10, to_number: 14, kind: 'unexplained', reason: null });
  });

  it('are told where documents are missing: before, between and behind those that are there', async () => {
    const business = await Business.open(stack);
    const found = async (): Promise<string[]> => (await gaps(business)).map(({ from_number, to_number, kind }) => `${from_number}-${to_number} ${kind}`);
    await raise(business, 5);
    expect(await found()).toEqual(['1-4 raised']);
    const numbers = [];
    for (let count = 0; count < 5; count += 1) numbers.push(await numberOf(business));
    expect(numbers).toEqual([5, 6, 7, 8, 9]);
    expect(await found()).toEqual(['1-4 raised']);
    // As no document of this service can: its number never changes.
    const moved = [[9, 12], [8, 11], [7, 9], [5, 7]].map(([from, to]) => `update documents set sequential = ${to} where emission_point_id = '${business.emissionPointId}' and sequential = ${from}`);
    await stack.database.query(['begin', 'set local session_replication_role = replica', ...moved, 'commit'].join('; '));
    await stack.database.query('update sequence_counters set last_value = 14 where emission_point_id = $1', [business.emissionPointId]);
    expect(await found()).toEqual(['1-4 raised', '5-5 unexplained', '8-8 unexplained', '10-10 unexplained', '13-14 unexplained']);
    await raise(business, 20);
    expect((await found()).slice(-2)).toEqual(['13-14 unexplained', '15-19 raised']);
  });

  it('are not skipped while documents take them: no number is lost between', async () => {
    const business = await Business.open(stack);
    await Promise.all([...Array.from({ length: 20 }, () => business.accepted()), raise(business, 100), raise(business, 200)]);
    const listed = await gaps(business, '?page_size=100');
    expect(listed.filter(({ kind }) => kind === 'unexplained')).toEqual([]);
    expect(listed.some(({ kind }) => kind === 'raised')).toBe(true);
  });

  it.each([[1, '01', 'x'], [0, '01', 'x'], [1_000_000_000, '01', 'x'], ['10', '01', 'x'], [10.5, '01', 'x'], [10, '02', 'x'], [10, '1', 'x'], [10, '01', ''], [10, '01', 'x'.repeat(501)]])(
    'are not raised to %p of type %p because of %p',
    async (next, type, reason) => {
      const business = await Business.open(stack, { certificate: null });
      expect((await raise(business, next, type, reason)).status).toBe(422);
    },
  );

  it('of nobody are nobody’s', async () => {
    const business = await Business.open(stack, { certificate: null });
    for (const path of ['', '/01/gaps']) expect((await business.call('GET', `/emission-points/${randomUUID()}/sequences${path}`)).status).toBe(404);
  });
});
