import { type BadInput, refuses, type Refusal, withinTime } from '../../support/bad-input.js';
import { Business, type Invoice } from '../../support/business.js';
import type { RunningStack } from '../../support/stack.js';

const INVALID = [422, 'VALIDATION_FAILED'] as const;

const line = (change: Invoice): Invoice => ({
  lines: [{ line_number: 1, description: 'Servicio', quantity: '1', unit_price: '100.00', subtotal: '100.00', tax_rate_code: '4', ...change }],
});
/** Where text is given: its pointer, and how it is set. */
const FIELDS: readonly [at: string, set: (text: unknown) => Invoice][] = [
  ['/buyer_name', (buyer_name) => ({ buyer_name })],
  ['/buyer_address', (buyer_address) => ({ buyer_address })],
  ['/reason', (reason) => ({ reason })],
  ['/idempotency_key', (idempotency_key) => ({ idempotency_key })],
  ['/lines/0/description', (description) => line({ description })],
  ['/lines/0/main_code', (main_code) => line({ main_code })],
  ['/lines/0/additional_details/0/value', (value) => line({ additional_details: [{ name: 'Lote', value }] })],
  ['/additional_info/0/name', (name) => ({ additional_info: [{ name, value: 'x' }] })],
  ['/additional_info/0/value', (value) => ({ additional_info: [{ name: 'Nota', value }] })],
];
/** Each in every field. */
const FORBIDDEN: readonly [name: string, text: string, because: string][] = [
  ['B81 NUL', 'a\u0000b', 'string_control_character'],
  ['B81 U+0001', 'a\u0001b', 'string_control_character'],
  ['B81 escape', 'a\u001b[31mb', 'string_control_character'],
  ['B81 U+FFFE', 'a\ufffeb', 'string_noncharacter'],
  ['B81 U+FFFF', 'a\uffffb', 'string_noncharacter'],
  ['B82 TAB', 'a\tb', 'string_control_character'],
  ['B82 LF', 'a\nb', 'string_line_break'],
  ['B82 CR LF', 'a\r\nb', 'string_line_break'],
  ['B82 LF at the end', 'ab\n', 'string_line_break'],
  ['B82 NEL', 'a\u0085b', 'string_line_break'],
  ['B82 U+2028', 'a\u2028b', 'string_line_break'],
  ['B85 a right-to-left override', 'a\u202eb', 'string_invisible_character'],
  ['B85 zero width', 'a\u200bb', 'string_invisible_character'],
  ['B85 a soft hyphen', 'a\u00adb', 'string_invisible_character'],
  ['B85 a byte order mark inside', 'a\ufeffb', 'string_invisible_character'],
  ['B85 tag characters', 'a\u{e0041}b', 'string_invisible_character'],
  ['B7 a lone surrogate', 'a\ud800b', 'string_lone_surrogate'],
  ['B98 a header behind a line break', 'x\r\nBcc: other@example.com', 'string_line_break'],
];
const LIMITS: readonly [at: string, set: (text: unknown) => Invoice, most: number][] = [
  ['/buyer_name', (buyer_name) => ({ buyer_name }), 300],
  ['/buyer_id', (buyer_id) => ({ buyer_id, buyer_id_type: '08' }), 20],
  ['/lines/0/description', (description) => line({ description }), 1_000],
  ['/lines/0/main_code', (main_code) => line({ main_code }), 25],
  ['/idempotency_key', (idempotency_key) => ({ idempotency_key }), 255],
];
const email = (name: string, buyer_email: unknown, because = 'email'): BadInput => ({ name, change: { buyer_email }, refused: INVALID, at: '/buyer_email', because });
const invite = (name: string, body: unknown, at: string, because: string): BadInput => ({ name, call: () => ({ path: '/tenant/members/invite', body }), refused: INVALID, at, because });

export const textCases = (running: () => RunningStack): void => describe('texts', () => {
  let stack: RunningStack;
  beforeAll(() => {
    stack = running();
  });

  refuses('that XML or a reader cannot take', () => stack, FORBIDDEN.flatMap(([name, text, because]) =>
    FIELDS.map(([at, set]): BadInput => ({ name: `${name} in ${at}`, change: set(text), refused: INVALID, at, because })),
  ));

  refuses('by their length and kind', () => stack, [
    ...LIMITS.flatMap(([at, set, most]): BadInput[] => [
      { name: `B87 ${most + 1} characters in ${at}`, change: set('ñ'.repeat(most + 1)), refused: INVALID, at, because: 'string_too_long' },
      { name: `B87 ${most + 1} characters beyond the BMP in ${at}`, change: set('😀'.repeat(most + 1)), refused: INVALID, at, because: 'string_too_long' },
      { name: `B87 a megabyte in ${at}`, change: set('x'.repeat(900_000)), refused: INVALID, at, because: 'string_too_long' },
    ]),
    ...['/lines/0/description', '/additional_info/0/name', '/idempotency_key'].flatMap((at): BadInput[] => {
      const set = FIELDS.find(([field]) => field === at)![1];
      return ['', '   ', '\u00a0\u3000'].map((text) => ({ name: `B86 ${JSON.stringify(text)} in ${at}`, change: set(text), refused: INVALID, at, because: 'string_too_short' }));
    }),
    ...([null, 7, true, ['x'], { text: 'x' }] as const).map((description): BadInput => ({
      name: `B86 ${JSON.stringify(description)} for a text`, change: line({ description }), refused: INVALID, at: '/lines/0/description', because: 'string_type',
    })),
    { name: 'B96 16 entries of further data', change: { additional_info: Array.from({ length: 16 }, (_, i) => ({ name: `n${i}`, value: 'x' })) }, refused: INVALID, at: '/additional_info', because: 'too_long' },
    { name: 'B96 a thousand keys of further data', change: { additional_info: Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`n${i}`, 'x'])) }, refused: INVALID, at: '/additional_info', because: 'list_type' },
    { name: 'B96 further data that is nested', change: { additional_info: [{ name: 'x', value: { a: { b: { c: {} } } } }] }, refused: INVALID, at: '/additional_info/0/value', because: 'string_type' },
    { name: 'B96 a number beyond a double', rewrite: (json) => json.replace('{', '{"additional_info":[{"name":"x","value":1e999}],'), refused: INVALID, at: '/additional_info/0/value', because: 'string_type' },
  ]);

  refuses('that are no e-mail addresses', () => stack, [
    ...['a@b', 'a b@c.com', 'a@b..c', '.a@b.co', 'a.@b.co', 'a@-b.co', '"x@evil.com x"@ok.com', 'a@b.co,c@d.co', 'a@b.co;c@d.co', 'a@b.co c@d.co', 'Ana <a@b.co>', 'a@b@c.co', '@b.co', 'a@', 'a%0d%0aBcc:c@d.co@b.co, x'].map((text) =>
      email(`B97 ${text}`, text),
    ),
    email('B97 256 characters', `${'a'.repeat(60)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(64)}.co`, 'string_too_long'),
    email('B97 a list', ['a@b.co'], 'string_type'),
    email('B97 a local part of 65', `${'a'.repeat(65)}@b.co`),
    email('B98 a line break', 'a@b.co\nBcc: c@d.co', 'string_line_break'),
    email('B98 a carriage return', 'a@b.co\rc', 'string_line_break'),
    email('B99 an invisible mark in the domain', 'a@b\u200b.co', 'string_invisible_character'),
    email('B94 50,000 characters that tempt a pattern', `${'a.'.repeat(25_000)}@`, 'string_too_long'),
    { name: 'B94 50,000 characters in a RUC', call: () => ({ path: '/issuers', body: { ruc: '1'.repeat(50_000), razon_social: 'x', direccion_matriz: 'x', obligado_contabilidad: true } }), refused: INVALID, at: '/ruc', because: 'string_too_long' },
    { name: 'B94 50,000 hyphens in a number', change: { modified_document_number: '-'.repeat(50_000) }, refused: INVALID, at: '/modified_document_number', because: 'string_too_long' },
    { name: 'B94 50,000 commas in a preference', call: () => ({ path: '/documents', body: {}, headers: { prefer: `${','.repeat(10_000)}wait` } }), refused: [400, 'INVALID_PAYLOAD'] },
  ]);

  refuses('in invitations', () => stack, [
    invite('B98 a line break in an address', { email: 'a@b.co\r\nBcc: c@d.co', role: 'viewer' }, '/email', 'string_line_break'),
    invite('B97 two addresses', { email: 'a@b.co,c@d.co', role: 'viewer' }, '/email', 'email'),
    invite('B100 an unknown role', { email: 'a@b.co', role: 'root' }, '/role', 'enum'),
    invite('B100 a list of roles', { email: 'a@b.co', role: ['viewer'] }, '/role', 'enum'),
    invite('B100 the platform’s role', { email: 'a@b.co', role: 'platform_admin' }, '/role', 'enum'),
    invite('B100 a role in capitals', { email: 'a@b.co', role: 'VIEWER' }, '/role', 'enum'),
    invite('B100 a role named like a property of all objects', { email: 'a@b.co', role: 'constructor' }, '/role', 'enum'),
  ]);

  describe('are taken as they are', () => {
    let business: Business;
    beforeAll(async () => {
      business = await Business.open(stack);
    });
    const stored = async (change: Invoice): Promise<Record<string, unknown> & { lines?: unknown }> => {
      const answer = await withinTime(business.issue(change));
      expect([answer.status, (answer.body as unknown as Partial<Refusal>).error]).toEqual([202, undefined]);
      return business.document(answer.body.document_id);
    };

    it.each([
      ['B80 markup', `<a href="x">&amp; 'b' ]]> <!-- --> <?xml ?> &#x0;`],
      ['B83 emoji and what lies beyond the BMP', 'Café 😀 𝒳 👩‍👩'.replace('\u200d', '')],
      ['B88 look-alikes', 'Аpple Ехаmple'],
      ['B89 SQL', `'; drop table documents; -- % _ \\`],
      ['B90 templates and queries', `{{7*7}} \${7*7} <%= 7*7 %> *)(uid=*))(|(uid=* ' or 1=1 or 'a'='a`],
      ['B91 scripts', '<script>alert(1)</script><img src=x onerror=alert(1)>'],
      ['B95 names of properties', '__proto__ constructor toString __html'],
    ])('%s', async (_name, text) => {
      const document = await stored({ buyer_name: text, ...line({ description: text }), additional_info: [{ name: 'Nota', value: text }] });
      expect([document['buyer_name'], (document['lines'] as { description: string }[])[0]?.description]).toEqual([text, text]);
    });

    it.each(['__proto__', 'constructor', 'toString', '__html'])('B95 %s as the name of further data', async (name) => {
      await stored({ additional_info: [{ name, value: 'x' }] });
      expect((await business.call('GET', '/documents')).status).toBe(200);
    });

    it('B93 and printed, whatever their length, script and number', async () => {
      const change = {
        buyer_name: 'W'.repeat(300), buyer_address: 'https://example.com/a.png '.repeat(10).trim(), additional_info: [{ name: 'N'.repeat(300), value: '漢字 العربية 😀 ก '.repeat(15).trim() }],
        ...line({ description: 'x'.repeat(300), main_code: '漢'.repeat(25), additional_details: [{ name: 'L'.repeat(300), value: '<img src="file:///etc/passwd">' }] }),
      };
      const { document_id } = await business.accepted(change);
      const print = await withinTime(fetch(`${stack.apiUrl}/documents/${document_id}/ride`, { headers: { 'x-api-key': business.apiKey } }));
      expect([print.status, Buffer.from(await print.arrayBuffer()).subarray(0, 5).toString()]).toEqual([200, '%PDF-']);
    });

    it('B84 decomposed letters as composed ones, also under an idempotency key', async () => {
      const composed = 'Ñandú'.normalize('NFC');
      const document = await stored({ buyer_name: composed.normalize('NFD'), idempotency_key: 'nfc' });
      expect(document['buyer_name']).toBe(composed);
      const again = await business.issue({ buyer_name: composed, idempotency_key: 'nfc' });
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([202, 'true']);
    });

    it('B86 without the spaces around them', async () => {
      expect((await stored({ buyer_name: '  María\u00a0Pérez ' }))['buyer_name']).toBe('María\u00a0Pérez');
    });

    it('B87 up to their length, which Java counts in UTF-16 units', async () => {
      const [name, code] = ['😀'.repeat(150), 'ñ'.repeat(25)];
      const document = await stored({ buyer_name: name, ...line({ main_code: code }), idempotency_key: '😀'.repeat(255) });
      expect([document['buyer_name'], (document['lines'] as { main_code: string }[])[0]?.main_code]).toEqual([name, code]);
    });

    it('B87 longer than that, though not in code points, is a broken rule that names both lengths', async () => {
      const answer = await business.call<Refusal>('POST', '/documents', business.invoice({ buyer_name: '😀'.repeat(300) }));
      expect([answer.status, answer.body.error.detail]).toMatchObject([400, [{ pointer: '/buyer_name', rule: 'text.length_in_code_units', expected: '≤ 300', actual: '300 (UTF-16: 600)' }, { pointer: '/buyer_name', rule: 'text.beyond_bmp', severity: 'warning' }]]);
    });

    it('B87 longer than the SRI takes is a broken rule that names both bounds', async () => {
      const answer = await business.call<Refusal>('POST', '/documents', business.invoice(line({ description: 'ñ'.repeat(301) })));
      expect([answer.status, answer.body.error.detail]).toMatchObject([400, [{ pointer: '/lines/0/description', rule: 'text.length', expected: 'SRI ≤ 300, API ≤ 1000' }]]);
    });

    it.each(['a@xn--bcher-kva.example', 'usuario@bücher.example', 'maría+facturas@example.com', `o'brien@example.co`, 'a.b_c-d@sub.example.co'])('B99 %s', async (buyer_email) => {
      expect((await stored({ buyer_email }))['buyer_email']).toBe(buyer_email);
    });
  });
});
