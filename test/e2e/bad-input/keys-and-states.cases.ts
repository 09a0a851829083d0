import { type BadInput, expectRefused, refuses, type Refusal } from '../../support/bad-input.js';
import { type Accepted, Business, type Invoice } from '../../support/business.js';
import type { Answer } from '../../support/http.js';
import type { RunningStack } from '../../support/stack.js';

const INVALID = [422, 'VALIDATION_FAILED'] as const;

const post = (name: string, header: string, refused: BadInput['refused'] = INVALID, because?: string): BadInput => ({
  name, call: (business) => ({ body: business.invoice(), headers: { 'idempotency-key': header } }), refused, at: '/idempotency-key', ...(because === undefined ? {} : { because }),
});
const digits = (name: string, numeric_code: unknown, because = 'string_pattern_mismatch'): BadInput => ({ name, change: { numeric_code }, refused: INVALID, at: '/numeric_code', because });
const codeOf = ({ status, body }: Answer<unknown>): unknown[] => [status, (body as Partial<Refusal>).error?.code];

export const keyCases = (running: () => RunningStack): void => describe('keys, states and filters', () => {
  let stack: RunningStack;
  let business: Business;
  beforeAll(async () => {
    stack = running();
    business = await Business.open(stack);
  });

  refuses('that are none', () => stack, [
    ...([['', 'string_too_short'], ['   ', 'string_too_short'], ['x'.repeat(256), 'string_too_long'], ['a\u0000b', 'string_control_character'], [7, 'string_type'], [true, 'string_type'], [['k'], 'string_type'], [{ k: 1 }, 'string_type']] as const).map(
      ([idempotency_key, because]): BadInput => ({
        name: `B125 the key ${JSON.stringify(idempotency_key).slice(0, 20)}`, change: { idempotency_key }, refused: INVALID, at: '/idempotency_key', because,
      }),
    ),
    post('B125 an empty header', '', INVALID, 'string_too_short'),
    post('B125 a header of 256 characters', 'x'.repeat(256), INVALID, 'string_too_long'),
    {
      name: 'B125 a header that differs from the field', refused: INVALID, at: '/idempotency-key', because: 'header_conflict',
      call: (business) => ({ body: business.invoice({ idempotency_key: 'a' }), headers: { 'idempotency-key': 'b' } }),
    },
    ...['1234567', '123456789', '1234567a', '٠١٢٣٤٥٦٧', '12345678\n', ' 12345678', '-1234567', '1234.567', ''].map((text) => digits(`B129 the numeric code ${JSON.stringify(text)}`, text)),
    digits('B129 a number for a numeric code', 12_345_678, 'string_type'),
    digits('B129 null for a numeric code', null, 'string_type'),
    { name: 'B129 no numeric code', change: { numeric_code: undefined }, refused: [400, 'INVALID_PAYLOAD'], at: '/numeric_code', because: 'missing' },
  ]);

  refuses('of lists', () => stack, ['authorized', 'NONE', 'AUTHORIZED,REJECTED', "x'%20or%201=1--", '', '%00', 'constructor', '__proto__'].map((status): BadInput => ({
    name: `B130 the status ${status}`, call: () => ({ method: 'GET', path: `/documents?status=${status}` }), refused: INVALID, at: '/status', because: 'enum',
  })).concat([
    { name: 'B130 two states', call: () => ({ method: 'GET', path: '/documents?status=AUTHORIZED&status=REJECTED' }), refused: INVALID, at: '/status', because: 'repeated' },
    { name: 'B130 an operator', call: () => ({ method: 'GET', path: '/documents?status[$ne]=x' }), refused: INVALID, at: '/status[$ne]', because: 'extra_forbidden' },
    { name: 'B130 an unknown action of the audit log', call: () => ({ method: 'GET', path: '/tenant/audit-log?action=x' }), refused: INVALID, at: '/action', because: 'enum' },
    { name: 'B130 an unknown kind of XML', call: () => ({ method: 'GET', path: '/documents/3f2504e0-4f89-41d3-9a0c-0305e82c3301/xml?kind=SIGNED' }), refused: INVALID, at: '/kind', because: 'enum' },
  ]));

  refuses('that narrow a list', () => stack, ['/documents', '/documents/export.csv', '/documents/export.xlsx'].flatMap((path) =>
    ([
      ['document_type=1', '/document_type', 'enum'], ['document_type=02', '/document_type', 'enum'], ['document_type=01,04', '/document_type', 'enum'],
      ['issuer_id=1', '/issuer_id', 'uuid_parsing'], ['issuer_id=00000000-0000-0000-0000-000000000000', '/issuer_id', 'uuid_parsing'], ["issuer_id='%20or%20''='", '/issuer_id', 'uuid_parsing'],
      ['buyer_id=', '/buyer_id', 'string_too_short'], [`buyer_id=${'1'.repeat(21)}`, '/buyer_id', 'string_too_long'], ['buyer_id=a%00b', '/buyer_id', 'string_control_character'],
      ['issue_date_from=2026-02-30', '/issue_date_from', 'date_type'], ['issue_date_from=01/02/2026', '/issue_date_from', 'date_type'], ['issue_date_to=2026-02-01T00:00:00Z', '/issue_date_to', 'date_type'],
      ['issue_date_to=', '/issue_date_to', 'date_type'], ['access_key=1', '/access_key', 'string_pattern_mismatch'], [`access_key=${'9'.repeat(48)}x`, '/access_key', 'string_pattern_mismatch'],
      ['q=', '/q', 'string_too_short'], ['q=%20%20', '/q', 'string_too_short'], [`q=${'x'.repeat(301)}`, '/q', 'string_too_long'], ['q=a%00b', '/q', 'string_control_character'],
      ['q=a&q=b', '/q', 'repeated'], ['q[$like]=x', '/q[$like]', 'extra_forbidden'], ['order=total', '/order', 'extra_forbidden'],
    ] as const).map(([query, at, because]): BadInput => ({ name: `B130 GET ${path}?${query.slice(0, 40)}`, call: () => ({ method: 'GET', path: `${path}?${query}` }), refused: INVALID, at, because })),
  ));

  it.each(['%25', '_', '%5C', "'%3B drop table documents%3B --", '%7B%7B7*7%7D%7D', 'constructor'])('B89 the words %s are searched for as they stand', async (words) => {
    await business.accepted();
    const answer = await business.call('GET', `/documents?q=${words}`);
    expect([answer.status, answer.body]).toEqual([200, { items: [], total: 0, page: 1, page_size: 20 }]);
  });

  describe('reasons', () => {
    let accepted: Accepted;
    beforeAll(async () => {
      accepted = await business.accepted();
    });

    it.each(['cancel', 'abandon'].flatMap((act) =>
      ([
        ['B128 none', {}, [400, 'INVALID_PAYLOAD'], 'missing'], ['B128 an empty one', { reason: '' }, INVALID, 'string_too_short'], ['B128 spaces', { reason: '   ' }, INVALID, 'string_too_short'],
        ['B128 null', { reason: null }, INVALID, 'string_type'], ['B128 501 characters', { reason: 'ñ'.repeat(501) }, INVALID, 'string_too_long'],
        ['B128 a control character', { reason: 'a\u0007b' }, INVALID, 'string_control_character'], ['B128 two lines', { reason: 'a\nb' }, INVALID, 'string_line_break'],
        ['B98 a header', { reason: 'a\r\nBcc: x@example.com' }, INVALID, 'string_line_break'],
      ] as const).map(([name, body, refused, because]) => [`${name} to ${act}`, act, { name, refused, at: '/reason', because }, body] as const),
    ))('%s', async (_name, act, input, body) => {
      const { document_id } = accepted;
      await expectRefused(stack, business, { ...input, call: () => ({ path: `/documents/${document_id}/${act}`, body }) });
      expect((await business.document(document_id)).status).toBe('NUMBER_RESERVED');
    });

    it('B128 500 characters are no reason to refuse: it is the state that does', async () => {
      const answer = await business.call<Refusal>('POST', `/documents/${accepted.document_id}/cancel`, { reason: 'ñ'.repeat(500) });
      expect(codeOf(answer)).toEqual([409, 'INVALID_STATE']);
    });
  });

  describe('the same request again', () => {
    let own: Business;
    let first: Answer<Accepted>;
    beforeAll(async () => {
      own = await Business.open(stack);
      first = await own.issue({ idempotency_key: 'same' });
      expect(first.status).toBe(202);
    });

    const forms: [name: string, body: () => string][] = [
      ['B123 with its keys the other way round', () => JSON.stringify(Object.fromEntries(Object.entries(own.invoice({ idempotency_key: 'same' })).reverse()))],
      ['B123 with other spaces between', () => JSON.stringify(own.invoice({ idempotency_key: 'same' }), null, 7)],
      ['B123 with numbers for texts', () => JSON.stringify(own.invoice({ idempotency_key: 'same', total: 115, subtotal: 100.0, total_discount: 0 }))],
      ['B123 with other decimals', () => JSON.stringify(own.invoice({ idempotency_key: 'same', total: '115', subtotal: '100.0', total_discount: undefined }))],
      ['B123 with decomposed letters', () => JSON.stringify(own.invoice({ idempotency_key: 'same' })).normalize('NFD')],
      ['B123 with escaped letters', () => JSON.stringify(own.invoice({ idempotency_key: 'same' })).replace('María', 'Mar\\u00eda')],
      ['B123 with the name of a code', () => JSON.stringify(own.invoice({ idempotency_key: 'same', buyer_id_type: 'CEDULA' }))],
      ['B123 with null for what is left out', () => JSON.stringify(own.invoice({ idempotency_key: 'same', reason: null, buyer_address: '' }))],
    ];
    it.each(forms)('%s is replayed', async (_name, body) => {
      const again = await own.call<Accepted>('POST', '/documents', body());
      expect([again.status, again.headers.get('idempotent-replayed'), again.body]).toEqual([202, 'true', first.body]);
      expect(await own.lastNumber()).toBe(1);
    });

    it('B124 a cent apart is another', async () => {
      const other = await own.issue({
        idempotency_key: 'same', subtotal: '100.01', total: '115.01', lines: [{ ...(own.invoice()['lines'] as Invoice[])[0], unit_price: '100.01', subtotal: '100.01' }],
        taxes: [{ ...(own.invoice()['taxes'] as Invoice[])[0], taxable_base: '100.01' }], payments: [{ line_number: 1, payment_method_code: '20', total: '115.01' }],
      });
      expect([...codeOf(other), await own.lastNumber()]).toEqual([409, 'DUPLICATE_IDEMPOTENCY_KEY', 1]);
    });

    it('B124 as a draft is another', async () => {
      const answer = await own.call<{ error: { detail: unknown } }>('POST', '/documents/drafts', own.invoice({ idempotency_key: 'same' }));
      expect(codeOf(answer)).toEqual([409, 'DUPLICATE_IDEMPOTENCY_KEY']);
      expect(answer.body.error.detail).toEqual({ reason: 'already_issued', document_id: first.body.document_id });
    });

    it('B124 of another issuer is the first there', async () => {
      const answer = await business.issue({ idempotency_key: 'same' });
      expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([202, null]);
    });

    it('B125 keys tell capitals apart, take 255 characters of any kind; null is no key', async () => {
      const before = await own.lastNumber();
      for (const key of ['SAME', '😀'.repeat(255), 'a key with spaces', null, null]) {
        const answer = await own.issue({ idempotency_key: key });
        expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([202, null]);
      }
      expect(await own.lastNumber()).toBe(before + 5);
    });

    it('B126 a key whose first request was refused takes the corrected one', async () => {
      const before = await own.lastNumber();
      for (const change of [{ total: 'x' }, { total: undefined }, { total: '1.00' }, { issuer_id: own.emissionPointId }]) {
        expect((await own.issue({ ...change, idempotency_key: 'mended' })).status).toBeGreaterThanOrEqual(400);
      }
      const answer = await own.issue({ idempotency_key: 'mended' });
      expect([answer.status, answer.headers.get('idempotent-replayed'), await own.lastNumber()]).toEqual([202, null, before + 1]);
    });
  });
});
