import { idempotencyKey } from './idempotency-key.js';
import { ValidationFailure } from './validation-failure.js';

const asHeader = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

describe('idempotencyKey', () => {
  it.each<[string | undefined, string | null | undefined, string | null]>([
    [undefined, undefined, null],
    [undefined, null, null],
    [undefined, 'a', 'a'],
    ['a', undefined, 'a'],
    ['a', null, 'a'],
    [' a ', 'a', 'a'],
    [asHeader('pedido ñ 😀'), 'pedido ñ 😀', 'pedido ñ 😀'],
  ])('of header %j and field %j is %j', (header, field, key) => {
    expect(idempotencyKey(header === undefined ? undefined : [header], field)).toBe(key);
  });

  it.each<[string, string | null, string]>([
    ['a', 'b', 'header_conflict'],
    ['', null, 'string_too_short'],
    ['k'.repeat(256), null, 'string_too_long'],
    ['a\tb', null, 'string_control_character'],
    // As a client writes it that takes header text for Latin-1: two such keys must not become one.
    ['caja-ñ-1', null, 'header_not_utf8'],
    ['caja-é-1', null, 'header_not_utf8'],
  ])('refuses header %j beside field %j: %s', (header, field, type) => {
    expect(() => idempotencyKey([header], field)).toThrow(ValidationFailure);
    expect(() => idempotencyKey([header], field)).toThrow(expect.objectContaining({ findings: [expect.objectContaining({ type })] }) as Error);
  });

  it('refuses several headers', () => {
    expect(() => idempotencyKey(['a', 'a'], null)).toThrow(expect.objectContaining({ findings: [expect.objectContaining({ type: 'header_repeated' })] }) as Error);
  });
});
