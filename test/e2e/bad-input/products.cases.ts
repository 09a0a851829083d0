import { type BadInput, refuses } from '../../support/bad-input.js';
import { Business } from '../../support/business.js';
import type { RunningStack } from '../../support/stack.js';

const INVALID = [422, 'VALIDATION_FAILED'] as const;
const CAFE = { main_code: 'CAFE', name: 'Café', unit_price: '1.00', iva_rate_code: '4' };

const made = new WeakMap<Business, Promise<string>>();
/** A product of the business, made once. */
const productOf = (business: Business): Promise<string> => {
  const known = made.get(business) ?? business.call('POST', '/products', CAFE).then(({ body }) => body['id'] as string);
  made.set(business, known);
  return known;
};

const patched = (name: string, body: unknown, at: string, because: string, refused: BadInput['refused'] = INVALID): BadInput => ({
  name, call: async (business) => ({ method: 'PATCH', path: `/products/${await productOf(business)}`, body }), refused, at, because,
});
const added = (name: string, change: object, at: string, because: string, refused: BadInput['refused'] = INVALID): BadInput => ({
  name, call: () => ({ path: '/products', body: { ...CAFE, main_code: 'OTHER', ...change } }), refused, at, because,
});
const imported = (name: string, body: string, at: string, because: string, refused: BadInput['refused'] = INVALID): BadInput => ({
  name, call: () => ({ path: '/products/import', body, headers: { 'content-type': 'text/csv' } }), refused, at, because,
});
const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });
const HEADER = 'main_code,name,unit_price,iva_rate_code\n';

export const productCases = (running: () => RunningStack): void => describe('products', () => {
  let stack: RunningStack;
  beforeAll(() => {
    stack = running();
  });

  refuses('of the catalogue', () => stack, [
    ...['deleted_at', 'tenant_id', 'id', 'created_at', '__proto__', 'constructor'].map((field) => patched(`B131 ${field}`, `{"${field}":"x"}`, `/${field}`, 'extra_forbidden')),
    patched('B131 a flag that is none', { is_active: 'yes' }, '/is_active', 'bool_type'),
    patched('B131 a JSON patch', [{ op: 'replace', path: '/name', value: 'x' }], '/', 'object_type'),
    ...['name', 'main_code', 'tax_code', 'iva_rate_code'].map((field) => patched(`B131 null for ${field}`, { [field]: null }, `/${field}`, 'string_type')),
    patched('B131 null for unit_price', { unit_price: null }, '/unit_price', 'decimal_type'),
    patched('B131 null for additional_fields', { additional_fields: null }, '/additional_fields', 'object_type'),
    { name: 'B131 no product', call: () => ({ method: 'PATCH', path: '/products/export.csv', body: {} }), refused: INVALID, at: '/product_id', because: 'uuid_parsing' },
    added('B87 26 characters', { main_code: 'x'.repeat(26) }, '/main_code', 'string_too_long'),
    added('B86 no characters', { main_code: ' ' }, '/main_code', 'string_too_short'),
    added('B87 301 characters', { name: 'ñ'.repeat(301) }, '/name', 'string_too_long'),
    added('B45 less than nothing', { unit_price: -1 }, '/unit_price', 'greater_than_equal'),
    added('B45 seven fractional digits', { unit_price: '0.1234567' }, '/unit_price', 'decimal_max_places'),
    added('B62 a tax that is in no table', { tax_code: '9' }, '/tax_code', 'code_unknown'),
    added('B62 a tax that has no IVA rate', { tax_code: '3' }, '/tax_code', 'iva_only'),
    added('B62 a rate that is in no table', { iva_rate_code: '15' }, '/iva_rate_code', 'code_unknown'),
    added('B62 an excise that is in no table', { ice_code: '1' }, '/ice_code', 'code_unknown'),
    added('B62 no excise where it applies', { applies_ice: true }, '/ice_code', 'missing', [400, 'INVALID_PAYLOAD']),
    added('B62 a reduced rate above none', { applies_tourism_iva: true, iva_rate_code: '0' }, '/applies_tourism_iva', 'tourism_rate'),
    ...([['added', added], ['patched', patched]] as const).flatMap(([how, send]) => [
      send(`B62 ${how} with a rate in no table, beside a price that is none`, { unit_price: -1, iva_rate_code: '99' }, '/iva_rate_code', 'code_unknown'),
      send(`B62 ${how} with a reduced rate above none, beside a name that is none`, { name: '', iva_rate_code: '0', applies_tourism_iva: true }, '/applies_tourism_iva', 'tourism_rate'),
      send(`B62 ${how} without the excise that applies, beside a price that is none`, { unit_price: -1, applies_ice: true, ice_code: null }, '/ice_code', 'missing', [400, 'INVALID_PAYLOAD']),
    ]),
    added('B62 no excise where it applies, beside a price that is none', { unit_price: -1, applies_ice: true }, '/ice_code', 'missing', [400, 'INVALID_PAYLOAD']),
    added('B96 a list for an object', { additional_fields: [] }, '/additional_fields', 'object_type'),
    added('B96 a text for an object', { additional_fields: '{}' }, '/additional_fields', 'object_type'),
    added('B96 a thousand keys', { additional_fields: Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${i}`, 1])) }, '/additional_fields', 'object_too_large'),
    added('B96 9 KB', { additional_fields: { a: 'x'.repeat(9_000) } }, '/additional_fields', 'object_too_large'),
    added('B96 six levels', { additional_fields: nested(6) }, '/additional_fields', 'object_too_deep'),
    added('B96 a NUL', { additional_fields: { a: ['\u0000'] } }, '/additional_fields', 'object_text'),
    added('B96 a NUL in a name', { additional_fields: { 'a\u0000': 1 } }, '/additional_fields', 'object_text'),
    ...['1e999', '12345678901234567890'].map((number): BadInput => ({
      name: `B96 ${number}`, call: () => ({ path: '/products', body: JSON.stringify({ ...CAFE, additional_fields: { a: 7.5 } }).replace('7.5', number) }),
      refused: INVALID, at: '/additional_fields', because: 'object_number',
    })),
    { name: 'B96 fifty levels', call: () => ({ path: '/products', body: { ...CAFE, additional_fields: nested(50) } }), refused: [400, 'MALFORMED_REQUEST'] },
    { name: 'B8 5 MB', call: () => ({ path: '/products', body: { ...CAFE, additional_fields: { a: 'x'.repeat(5_000_000) } } }), refused: [413, 'PAYLOAD_TOO_LARGE'] },
    { name: 'B4 an import of JSON', call: () => ({ path: '/products/import', body: {} }), refused: [415, 'UNSUPPORTED_MEDIA_TYPE'] },
    { name: 'B4 an import in another character set', call: () => ({ path: '/products/import', body: 'x', headers: { 'content-type': 'text/csv; charset=utf-16' } }), refused: [415, 'UNSUPPORTED_MEDIA_TYPE'] },
    { name: 'B9 an import that is compressed', call: () => ({ path: '/products/import', body: 'x', headers: { 'content-type': 'text/csv', 'content-encoding': 'gzip' } }), refused: [415, 'UNSUPPORTED_MEDIA_TYPE'] },
    { name: 'B1 an import of nothing', call: () => ({ path: '/products/import' }), refused: [400, 'MALFORMED_REQUEST'] },
    { name: 'B8 an import of 6 MB', call: () => ({ path: '/products/import', body: 'x'.repeat(6_000_000), headers: { 'content-type': 'text/csv' } }), refused: [413, 'PAYLOAD_TOO_LARGE'] },
    { name: 'B2 an import with an open quote', call: () => ({ path: '/products/import', body: `${HEADER}A,"x`, headers: { 'content-type': 'text/csv' } }), refused: [400, 'MALFORMED_REQUEST'] },
    { name: 'B10 an import of 20,001 rows', call: () => ({ path: '/products/import', body: `main_code\n${'x\n'.repeat(20_001)}`, headers: { 'content-type': 'text/csv' } }), refused: [413, 'PAYLOAD_TOO_LARGE'] },
    imported('B14 an import of the tenant', 'main_code,tenant_id\nA,x\n', '/1/tenant_id', 'extra_forbidden'),
    imported('B12 an import of __proto__', 'main_code,__proto__\nA,x\n', '/1/__proto__', 'extra_forbidden'),
    imported('B2 an import without a code', 'name\nA\n', '/1/main_code', 'missing', [400, 'INVALID_PAYLOAD']),
    imported('B14 an import of a column twice', 'main_code,name,name\nA,x,y\n', '/1/name', 'csv_repeated'),
    imported('B2 an import of a cell too many', `${HEADER}A,x,1,4,5\n`, '/2', 'csv_cells'),
    imported('B45 an import of a price that is none', `${HEADER}A,x,"1,50",4\n`, '/2/unit_price', 'decimal_parsing'),
    imported('B82 an import of a line break', `${HEADER}A,"x\ny",1,4\n`, '/2/name', 'string_line_break'),
    imported('B62 an import of a rate in no table', `${HEADER}A,x,1,99\n`, '/2/iva_rate_code', 'code_unknown'),
    imported('B62 an import of a rate in no table, beside a price that is none', `${HEADER}A,x,-1,99\n`, '/2/iva_rate_code', 'code_unknown'),
    imported('B11 an import of a code twice', `${HEADER}A,x,1,4\nA,y,1,4\n`, '/3/main_code', 'csv_repeated'),
  ]);
});
