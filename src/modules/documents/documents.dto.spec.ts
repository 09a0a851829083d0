import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { failureOf } from '../../../test/support/refused-fields.js';
import { hasFieldMessage } from '../../platform/http/field-messages.js';
import { validateAs } from '../../platform/http/validation.pipe.js';
import { DocumentCreateDto } from './documents.dto.js';

const ID = '3f0e8a56-2c1b-4d7e-9a01-6b5c4d3e2f10';

function invoice(): Record<string, unknown> {
  return {
    issuer_id: ID,
    establishment_id: ID,
    emission_point_id: ID,
    document_type: '01',
    issue_date: '2026-08-25',
    subtotal: '100.00',
    total_tax: 15,
    total: '115',
    numeric_code: '12345678',
    lines: [{ line_number: 1, description: 'Servicio', quantity: 1, unit_price: '100', subtotal: '100', tax_rate_code: '4' }],
    taxes: [{ tax_code: '2', tax_rate_code: '4', taxable_base: '100', rate: 0.15, tax_amount: '15' }],
  };
}

/** Sets a value at a path such as `lines.0.quantity`; undefined removes it. */
function withValue(path: string, value: unknown): Record<string, unknown> {
  const body = invoice();
  const names = path.split('.');
  const last = names.pop()!;
  const owner = names.reduce<Record<string, unknown>>((inner, name) => inner[name] as Record<string, unknown>, body);
  if (value === undefined) Reflect.deleteProperty(owner, last);
  else Object.defineProperty(owner, last, { value, enumerable: true, configurable: true, writable: true });
  return body;
}

const issuing = (body: unknown): DocumentCreateDto => validateAs(DocumentCreateDto, body, 'body');

describe('the document payload', () => {
  it('takes a plain invoice and gives every decimal its normal form', () => {
    const dto = issuing(invoice());
    expect(dto).toBeInstanceOf(DocumentCreateDto);
    expect(dto.total_tax).toBe('15.00');
    expect(dto.total_discount).toBe('0.00');
    expect(dto.lines[0]).toMatchObject({ quantity: '1.000000', unit_price: '100.000000', discount: '0.00', tax_code: '2' });
    expect(dto.taxes[0]?.rate).toBe('0.1500');
  });

  it('reads its own normal form as the same content', () => {
    const first = JSON.parse(JSON.stringify(issuing(invoice()))) as unknown;
    expect(JSON.parse(JSON.stringify(issuing(first)))).toEqual(first);
  });

  const refused: [name: string, path: string, value: unknown, type: string][] = [
    // B23, B27, B30: identifiers
    ['not a UUID', 'issuer_id', 'abc', 'uuid_parsing'],
    ['UUID in braces', 'issuer_id', `{${ID}}`, 'uuid_parsing'],
    ['UUID with one digit more', 'issuer_id', `${ID}0`, 'uuid_parsing'],
    ['nil UUID', 'issuer_id', '00000000-0000-0000-0000-000000000000', 'uuid_parsing'],
    ['integer as UUID', 'issuer_id', 7, 'uuid_parsing'],
    ['array as UUID', 'issuer_id', [ID], 'uuid_parsing'],
    ['operator object as UUID', 'issuer_id', { $ne: null }, 'uuid_parsing'],
    ['null UUID', 'emission_point_id', null, 'uuid_parsing'],
    ['empty UUID', 'emission_point_id', '', 'uuid_parsing'],
    ['the word undefined', 'emission_point_id', 'undefined', 'uuid_parsing'],
    ['UUID with a line break', 'issuer_id', `${ID}\n`, 'uuid_parsing'],
    // B31 to B45: decimals
    ['exponent in text', 'total', '1e3', 'decimal_parsing'],
    ['exponent in number', 'total', 1e21, 'decimal_parsing'],
    ['minus zero', 'total', -0, 'greater_than_equal'],
    ['minus zero in text', 'total', '-0.00', 'greater_than_equal'],
    ['negative', 'total', '-1', 'greater_than_equal'],
    ['NaN in text', 'total', 'NaN', 'decimal_parsing'],
    ['Infinity in text', 'total', 'Infinity', 'decimal_parsing'],
    ['three decimals', 'total', '1.005', 'decimal_max_places'],
    ['three decimals as number', 'total', 1.005, 'decimal_max_places'],
    ['binary rubbish', 'total', 0.1 + 0.2, 'decimal_max_digits'],
    ['decimal comma', 'total', '1,00', 'decimal_parsing'],
    ['thousands', 'total', '1.234,56', 'decimal_parsing'],
    ['space inside', 'total', '1 000', 'decimal_parsing'],
    ['underscore', 'total', '1_000', 'decimal_parsing'],
    ['Arabic digit', 'total', '٣', 'decimal_parsing'],
    ['full-width digit', 'total', '１', 'decimal_parsing'],
    ['empty decimal', 'total', '', 'decimal_parsing'],
    ['spaces round a decimal', 'total', ' 1.00 ', 'decimal_parsing'],
    ['no whole part', 'total', '.5', 'decimal_parsing'],
    ['no fraction', 'total', '5.', 'decimal_parsing'],
    ['leading zeros', 'total', '00012.50', 'decimal_parsing'],
    ['hexadecimal', 'total', '0x10', 'decimal_parsing'],
    ['decimal with line break', 'total', '1.00\n', 'decimal_parsing'],
    ['a thousand digits', 'total', '9'.repeat(1000), 'decimal_parsing'],
    ['beyond a double', 'total', 9007199254740993, 'decimal_max_digits'],
    ['13 whole digits', 'total', '1000000000000', 'decimal_whole_digits'],
    ['boolean as decimal', 'total', true, 'decimal_type'],
    ['null as decimal', 'total_discount', null, 'decimal_type'],
    ['array as decimal', 'total', ['1'], 'decimal_type'],
    ['object as decimal', 'total', {}, 'decimal_type'],
    ['zero quantity', 'lines.0.quantity', 0, 'greater_than'],
    ['zero quantity in text', 'lines.0.quantity', '0.000000', 'greater_than'],
    ['seven decimals', 'lines.0.unit_price', '0.1234567', 'decimal_max_places'],
    ['rate in percent', 'taxes.0.rate', 12, 'less_than_equal'],
    ['rate with sign', 'taxes.0.rate', '12%', 'decimal_parsing'],
    ['rate above 1', 'taxes.0.rate', '1.0001', 'less_than_equal'],
    ['negative rate', 'taxes.0.rate', '-0.1', 'greater_than_equal'],
    ['rate with 5 decimals', 'taxes.0.rate', '0.15001', 'decimal_max_places'],
    // B46, B47: integers
    ['line number 0', 'lines.0.line_number', 0, 'greater_than_equal'],
    ['negative line number', 'lines.0.line_number', -1, 'greater_than_equal'],
    ['fractional line number', 'lines.0.line_number', 1.5, 'int_type'],
    ['line number in text', 'lines.0.line_number', '1', 'int_type'],
    ['line number of 2^31', 'lines.0.line_number', 2 ** 31, 'less_than_equal'],
    ['negative term', 'payments', [{ line_number: 1, payment_method_code: '20', total: '1', term: -1 }], 'greater_than_equal'],
    ['huge term', 'payments', [{ line_number: 1, payment_method_code: '20', total: '1', term: 1e9 }], 'less_than_equal'],
    // B68, B70: kinds and lists
    ['unknown type', 'document_type', '02', 'enum'],
    ['type without zero', 'document_type', '1', 'enum'],
    ['type as number', 'document_type', 1, 'enum'],
    ['type with space', 'document_type', ' 01', 'enum'],
    ['type with letter O', 'document_type', 'O1', 'enum'],
    ['type as list', 'document_type', ['01'], 'enum'],
    ['lines no list', 'lines', {}, 'list_type'],
    ['lines null', 'lines', null, 'list_type'],
    ['no line', 'lines', [], 'too_short'],
    ['no tax', 'taxes', [], 'too_short'],
    ['null line', 'lines.0', null, 'object_type'],
    ['line as list', 'lines.0', [], 'object_type'],
    ['2,001 lines', 'lines', Array.from({ length: 2001 }, () => ({})), 'too_long'],
    // B72 to B79: dates
    ['30 February', 'issue_date', '2026-02-30', 'date_type'],
    ['month 13', 'issue_date', '2026-13-01', 'date_type'],
    ['day 0', 'issue_date', '2026-00-10', 'date_type'],
    ['29 February of a common year', 'issue_date', '2025-02-29', 'date_type'],
    ['short date', 'issue_date', '2026-1-5', 'date_type'],
    ['date of the SRI', 'issue_date', '05/01/2026', 'date_type'],
    ['compact date', 'issue_date', '20260105', 'date_type'],
    ['instant', 'issue_date', '2026-01-05T00:00:00Z', 'date_type'],
    ['date with space', 'issue_date', '2026-01-05 ', 'date_type'],
    ['six-digit year', 'issue_date', '+002026-01-05', 'date_type'],
    ['year 0', 'issue_date', '0000-01-05', 'date_type'],
    ['year 9999', 'issue_date', '9999-01-05', 'date_type'],
    ['year 10000', 'issue_date', '10000-01-05', 'date_type'],
    ['epoch', 'issue_date', 1767571200, 'date_type'],
    ['today', 'issue_date', 'today', 'date_type'],
    ['Arabic digits in a date', 'issue_date', '٢٠٢٦-٠١-٠٥', 'date_type'],
    // B81 to B87: text
    ['NUL', 'lines.0.description', 'a\u0000b', 'string_control_character'],
    ['tab', 'lines.0.description', 'a\tb', 'string_control_character'],
    ['line feed', 'lines.0.description', 'a\nb', 'string_line_break'],
    ['line feed at the end', 'lines.0.description', 'a\n', 'string_line_break'],
    ['next line U+0085', 'buyer_name', 'a\u0085b', 'string_line_break'],
    ['line separator U+2028', 'buyer_name', 'a\u2028b', 'string_line_break'],
    ['U+FFFF', 'buyer_name', 'a\uffff', 'string_noncharacter'],
    ['lone surrogate', 'buyer_name', 'a\ud800', 'string_lone_surrogate'],
    ['right-to-left override', 'buyer_name', 'a\u202eb', 'string_invisible_character'],
    ['zero width', 'buyer_name', 'a\u200bb', 'string_invisible_character'],
    ['soft hyphen', 'buyer_name', 'a\u00adb', 'string_invisible_character'],
    ['byte order mark inside', 'buyer_name', 'a\ufeffb', 'string_invisible_character'],
    ['only spaces', 'lines.0.description', '   ', 'string_too_short'],
    ['empty description', 'lines.0.description', '', 'string_too_short'],
    ['301 characters', 'buyer_name', 'x'.repeat(301), 'string_too_long'],
    ['1,001 characters', 'lines.0.description', 'x'.repeat(1001), 'string_too_long'],
    ['26 characters of code', 'lines.0.main_code', 'x'.repeat(26), 'string_too_long'],
    ['empty main code', 'lines.0.main_code', '', 'string_too_short'],
    ['number as text', 'buyer_name', 7, 'string_type'],
    // B97, B98: e-mail
    ['e-mail without dot', 'buyer_email', 'a@b', 'email'],
    ['e-mail with space', 'buyer_email', 'a b@c.com', 'email'],
    ['e-mail with two dots', 'buyer_email', 'a@b..c', 'email'],
    ['quoted e-mail', 'buyer_email', '"x@evil.com x"@ok.com', 'email'],
    ['list of e-mails', 'buyer_email', 'a@b.com,c@d.com', 'email'],
    ['e-mail with line break', 'buyer_email', 'a@b.com\r\nBcc: c@d.com', 'string_line_break'],
    ['256 characters of e-mail', 'buyer_email', `${'x'.repeat(250)}@b.com`, 'string_too_long'],
    // B125, B129
    ['empty idempotency key', 'idempotency_key', '', 'string_too_short'],
    ['256 characters of key', 'idempotency_key', 'k'.repeat(256), 'string_too_long'],
    ['7 digits', 'numeric_code', '1234567', 'string_pattern_mismatch'],
    ['9 digits', 'numeric_code', '123456789', 'string_pattern_mismatch'],
    ['Arabic digits', 'numeric_code', '٠١٢٣٤٥٦٧', 'string_pattern_mismatch'],
    ['numeric code as number', 'numeric_code', 12345678, 'string_type'],
    ['digits and a line break', 'numeric_code', '12345678\n', 'string_pattern_mismatch'],
    // B14: mass assignment
    ...['status', 'sequential', 'access_key', 'tenant_id', 'authorization_number', 'total_discout'].map(
      (name): [string, string, unknown, string] => [`unknown field ${name}`, name, 'x', 'extra_forbidden'],
    ),
    ['unknown field in a line', 'lines.0.discont', '1', 'extra_forbidden'],
    // B12: pollution
    ['__proto__', '__proto__', { polluted: true }, 'extra_forbidden'],
    ['constructor', 'constructor', { prototype: { polluted: true } }, 'extra_forbidden'],
    ['prototype in a line', 'lines.0.prototype', {}, 'extra_forbidden'],
    ['__proto__ in a tax', 'taxes.0.__proto__', { polluted: true }, 'extra_forbidden'],
  ];

  it.each(refused)('refuses %s', (_name, path, value, type) => {
    const failure = failureOf(DocumentCreateDto, withValue(path, value));
    expect(failure.code).toBe('VALIDATION_FAILED');
    expect(failure.findings).toHaveLength(1);
    const [finding] = failure.findings;
    expect(finding?.type).toBe(type);
    expect(hasFieldMessage(type)).toBe(true);
    expect(finding?.loc.slice(0, path.split('.').length + 1).join('.')).toBe(`body.${path}`);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  const accepted: [name: string, path: string, value: unknown, normal: unknown][] = [
    ['upper-case UUID', 'issuer_id', ID.toUpperCase(), ID],
    ['explicit sign', 'total', '+1.00', '1.00'],
    ['leap day', 'issue_date', '2028-02-29', '2028-02-29'],
    ['decomposed ñ', 'buyer_name', 'n\u0303', 'ñ'],
    ['outer spaces', 'buyer_name', '  A  B ', 'A  B'],
    ['empty optional text', 'buyer_name', '', null],
    ['null optional text', 'buyer_name', null, null],
    ['mark-up', 'buyer_name', `<a href="x">&amp;'</a> ]]> <!-- {{7*7}} \${7*7} '; drop table`, `<a href="x">&amp;'</a> ]]> <!-- {{7*7}} \${7*7} '; drop table`],
    ['300 code points beyond the BMP', 'buyer_name', '😀'.repeat(300), '😀'.repeat(300)],
    ['alias of the buyer type', 'buyer_id_type', 'CONSUMIDOR_FINAL', '07'],
    ['code of the buyer type', 'buyer_id_type', '05', '05'],
    ['purchase settlement', 'document_type', '03', '03'],
    ['unicode mailbox', 'buyer_email', 'josé@ñandú.ec', 'josé@ñandú.ec'],
  ];

  it.each(accepted)('takes %s', (_name, path, value, normal) => {
    expect(Reflect.get(issuing(withValue(path, value)), path)).toEqual(normal);
  });

  it('answers a missing required field, wherever, as an invalid payload', () => {
    for (const path of ['issuer_id', 'lines', 'taxes', 'numeric_code', 'lines.0.quantity', 'lines.0.tax_rate_code', 'taxes.0.rate']) {
      const failure = failureOf(DocumentCreateDto, withValue(path, undefined));
      expect(failure.code).toBe('INVALID_PAYLOAD');
      expect(failure.findings).toEqual([{ loc: ['body', ...path.split('.')], type: 'missing', input: null, ctx: {} }]);
    }
  });

  it('asks for no tax_rate_code on a line that itemises its taxes', () => {
    const body = withValue('lines.0.tax_rate_code', undefined);
    Object.assign((body['lines'] as object[])[0]!, { taxes: body['taxes'] });
    expect(issuing(body).lines[0]?.taxes).toHaveLength(1);
  });

  it('reports everything at once, with positions in nested lists', () => {
    const body = { ...invoice(), total: '-1', extra: 1, issue_date: undefined, taxes: [{ tax_code: '' }, 7] };
    const failure = failureOf(DocumentCreateDto, JSON.parse(JSON.stringify(body)));
    expect(failure.code).toBe('INVALID_PAYLOAD');
    expect(failure.findings.map(({ loc, type }) => `${loc.join('.')} ${type}`).sort()).toEqual([
      'body.extra extra_forbidden',
      'body.issue_date missing',
      'body.taxes.0.rate missing',
      'body.taxes.0.tax_amount missing',
      'body.taxes.0.tax_code string_too_short',
      'body.taxes.0.tax_rate_code missing',
      'body.taxes.0.taxable_base missing',
      'body.taxes.1 object_type',
      'body.total greater_than_equal',
    ]);
  });

  it('cuts what it echoes at 64 characters', () => {
    const [finding] = failureOf(DocumentCreateDto, withValue('buyer_name', '😀'.repeat(400))).findings;
    expect(finding?.input).toBe('😀'.repeat(64));
    const [unknown] = failureOf(DocumentCreateDto, withValue('x'.repeat(1000), 'y'.repeat(1000))).findings;
    expect(unknown?.loc[1]).toHaveLength(64);
    expect(unknown?.input).toHaveLength(64);
  });

  it('looks into no more objects than a document can hold, however its lists multiply', () => {
    const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);
    const supporting = times(50, { reimbursements: times(270, { taxes: times(20, {}) }) });
    const { findings } = failureOf(DocumentCreateDto, { ...invoice(), withholding: { supporting_documents: supporting } });
    expect(findings).toEqual([{ loc: ['body'], type: 'too_many_objects', input: null, ctx: { max: 25_000 } }]);
    const [line] = invoice()['lines'] as object[];
    const [tax] = invoice()['taxes'] as object[];
    const full = { ...line, taxes: times(3, tax), additional_details: times(3, { name: 'a', value: 'b' }) };
    expect(issuing({ ...invoice(), lines: times(2_000, full) }).lines).toHaveLength(2_000);
  });

  it('refuses ten thousand unknown keys in a bounded answer', () => {
    const body = { ...invoice(), ...Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, index])) };
    const failure = failureOf(DocumentCreateDto, body);
    expect(failure.findings.length).toBeLessThanOrEqual(501);
    expect(failure.findings.at(-1)?.type).toBe('too_many_findings');
  });

  it('refuses a list over its bound before it looks at the elements', () => {
    let looks = 0;
    const element = Object.defineProperty({}, 'a', { enumerable: true, get: () => (looks += 1) });
    const failure = failureOf(DocumentCreateDto, withValue('lines', Array.from({ length: 300_000 }, () => element)));
    expect(looks).toBe(0);
    expect(failure.findings.map(({ type }) => type)).toEqual(['too_long']);
  });

  it.each([
    ['too long', `${'a.'.repeat(500_000)}!`],
    ['blank', ' '.repeat(1_000_000)],
    ['with many dots before the @', `${'a.'.repeat(31)}a(@b.ec`],
    ['with many letters before the @', `${'a'.repeat(63)}(@b.ec`],
    ['with many hyphens after the @', `a@${'a-'.repeat(31)}.ec`],
  ])('judges hostile text, %s, in linear time: anything else would not end within the time of a test', async (_name, text) => {
    expect(failureOf(DocumentCreateDto, withValue('buyer_email', text)).findings).toHaveLength(1);
    expect(failureOf(DocumentCreateDto, withValue('numeric_code', text)).findings).toHaveLength(1);
    // Jest looks at the time no sooner than here.
    await sleep(1);
  });
});
