import 'reflect-metadata';
import { failureOf } from '../../../test/support/refused-fields.js';
import { fieldMessage } from './field-messages.js';
import { Base64, Day, Digits, Email, Flag, Instant, Integer, Nested, NestedList, OneOf, OneOfList, Secret, Text, Uuid } from './fields.js';
import { ValidationFailure } from './validation-failure.js';
import { validateAs } from './validation.pipe.js';

class Inner {
  @Flag() on: boolean;
}

const TOGETHER = { optional: true, requiredWith: ['from', 'until'] } as const;

class Outer {
  @Day(TOGETHER) from?: string;
  @Day(TOGETHER) until?: string;
  @Nested(() => Inner, { nullable: true }) inner?: Inner | null;
  @NestedList(() => Inner, { max: 2, optional: true }) list?: Inner[];
  @Secret({ max: 8, optional: true }) password?: string;
  @Secret({ min: 3, max: 8, optional: true }) chosen?: string;
  @Base64({ maxBytes: 6, optional: true }) file?: string;
  @OneOf(['a', 'b'], { default: 'a' }) letter: string = 'a';
  @Digits(3, { not: '000', optional: true }) code?: string;
  @Integer({ min: 0, max: 9, nullable: true }) digit?: number | null;
  @Uuid({ optional: true }) id?: string;
  @Text({ max: 3, optional: true, pattern: /^[a-z]+$/ }) word?: string;
  @Email({ max: 20, optional: true }) mail?: string;
}

describe('the fields', () => {
  it('keep defaults, absent and null apart', () => {
    expect(validateAs(Outer, {}, 'body')).toMatchObject({ letter: 'a' });
    expect(validateAs(Outer, { inner: null, digit: null }, 'body')).toMatchObject({ inner: null, digit: null });
    expect(failureOf(Outer, { list: null, password: null, letter: null, id: null }).findings.map(({ type }) => type)).toEqual([
      'list_type',
      'string_type',
      'enum',
      'uuid_parsing',
    ]);
  });

  it('may be left out together, and not one of them', () => {
    expect(() => validateAs(Outer, { from: '2026-09-01', until: '2026-09-30' }, 'body')).not.toThrow();
    const { code, findings } = failureOf(Outer, { from: '2026-09-01', letter: 'z' });
    expect([code, findings.map(({ loc, type }) => `${loc.at(-1)} ${type}`).sort()]).toEqual(['INVALID_PAYLOAD', ['letter enum', 'until missing']]);
  });

  it.each([
    ['https://user:word@example.com/', 'https:…@example.com/'], ['user:word@example.com', 'user:…@example.com'], ['//user:word@example.com', '//…@example.com'],
    ['ana@example.com', 'ana@example.com'], ['https://example.com/', 'https://example.com/'],
  ])('echo of %s: %s', (sent, told) => {
    expect(failureOf(Outer, { digit: sent }).findings[0]?.input).toBe(told);
  });

  it('judge nested objects', () => {
    expect(validateAs(Outer, { inner: { on: true } }, 'body').inner).toBeInstanceOf(Inner);
    expect(failureOf(Outer, { inner: [] }).findings[0]).toMatchObject({ loc: ['body', 'inner'], type: 'object_type', input: 'array' });
    expect(failureOf(Outer, { inner: { on: 'yes' } }).findings[0]).toMatchObject({ loc: ['body', 'inner', 'on'], type: 'bool_type', input: 'yes' });
  });

  it('never echo secrets', () => {
    const { findings } = failureOf(Outer, { password: 'far too long', file: '!!secret' });
    expect(findings.map(({ input }) => input)).toEqual([null, null]);
  });

  it.each(['', 'A', 'AB==C', 'AAA=', 'AA-_', 'AAAAAAAAAAAA'])('refuse %p as base64 of 6 bytes unless it is', (text) => {
    const check = (): unknown => validateAs(Outer, { file: text }, 'body');
    if (text === 'AAA=') expect(check).not.toThrow();
    else expect(check).toThrow(ValidationFailure);
  });

  it.each(['000', '01', '0001', 'abc'])('refuse the code %p', (code) => {
    expect(failureOf(Outer, { code }).findings[0]?.type).toBe('string_pattern_mismatch');
  });

  it('name a format that says what is refused', () => {
    const pattern = String(failureOf(Outer, { code: '000' }).findings[0]?.ctx['pattern']);
    expect(['000', '001', '100', '01'].map((code) => new RegExp(pattern).test(code))).toEqual([false, true, true, false]);
  });

  it('count the characters of a secret that is chosen, not its code units', () => {
    expect(failureOf(Outer, { chosen: '🔑🔑' }).findings).toEqual([{ loc: ['body', 'chosen'], type: 'string_too_short', input: null, ctx: { min_length: 3 } }]);
    expect(validateAs(Outer, { chosen: '🔑🔑🔑' }, 'body').chosen).toBe('🔑🔑🔑');
    expect(validateAs(Outer, { password: '' }, 'body').password).toBe('');
  });

  it.each([null, 'text', 7, true, [], [{}]])('refuse %p at the top', (body) => {
    const failure = failureOf(Outer, body);
    expect(failure.code).toBe('VALIDATION_FAILED');
    expect(failure.findings).toMatchObject([{ loc: ['body'], type: 'object_type' }]);
  });
});

class Chosen {
  @OneOfList(['a', 'b'], { atLeast: 1, optional: true }) kinds?: string[];
  @OneOf(['a', 'b'], { optional: true }) kind?: string;
  @Secret({ max: 8, optional: true }) password?: string;
}

describe('a parameter that is given more than once', () => {
  it('is refused as such, all of them at once, unless it is a list', () => {
    expect(() => validateAs(Chosen, { kinds: ['a', 'b'], kind: ['a', 'b'], password: ['x', 'y'] }, 'query')).toThrow(expect.objectContaining({
      findings: [
        { loc: ['query', 'kind'], type: 'repeated', input: 'array', ctx: {} },
        { loc: ['query', 'password'], type: 'repeated', input: null, ctx: {} },
      ],
    }) as Error);
    expect(() => validateAs(Chosen, { kinds: ['c', 'd'] }, 'query')).toThrow(expect.objectContaining({ findings: [expect.objectContaining({ type: 'enum_list' })] }) as Error);
    expect(fieldMessage('repeated', {}, 'es')).toBe('El parámetro se dio más de una vez');
  });

  it('is a matter of the query alone', () => {
    expect(failureOf(Chosen, { kind: ['a', 'b'] }).findings).toMatchObject([{ loc: ['body', 'kind'], type: 'enum' }]);
  });
});

class Stay {
  @Day({ optional: true, endOf: { from: 'first', inclusive: true } }) last?: string;
  @Day({ optional: true }) first?: string;
  @Instant({ nullable: true }) since?: string | null;
  @Instant({ nullable: true, endOf: { from: 'since', inclusive: false } }) until?: string | null;
}

describe('the end of a range', () => {
  it.each<[body: Stay, ctx: object | null]>([
    [{ first: '2026-08-02', last: '2026-08-01' }, { ge: 'first' }],
    [{ first: '2026-08-01', last: '2026-08-01' }, null],
    [{ last: '2026-08-01' }, null],
    [{ since: '2026-08-01T10:00:00-05:00', until: '2026-08-01T15:00:00Z' }, { gt: 'since' }],
    [{ since: '2026-08-01T10:00:00-05:00', until: '2026-08-01T15:00:01Z' }, null],
    [{ since: null, until: '2026-08-01T15:00:00Z' }, null],
    [{ since: '2026-08-01T15:00:00Z', until: null }, null],
  ])('is not before its beginning, of whichever zone: %j', (body, ctx) => {
    if (ctx === null) expect(validateAs(Stay, body, 'query')).toBeInstanceOf(Stay);
    else expect(failureOf(Stay, body).findings).toMatchObject([{ loc: ['body', 'ge' in ctx ? 'last' : 'until'], type: 'range_order', ctx }]);
  });

  it('is told beside all else, and not where the beginning is none', () => {
    const types = (body: object): string[] => failureOf(Stay, body).findings.map(({ loc, type }) => `${loc.at(-1)} ${type}`).sort();
    expect(types({ first: '2026-08-02', last: '2026-08-01', since: 'x' })).toEqual(['last range_order', 'since instant']);
    expect(types({ first: 'z', last: '2026-08-01' })).toEqual(['first date_type']);
    expect([fieldMessage('range_order', { ge: 'first' }, 'en'), fieldMessage('range_order', { gt: 'since' }, 'es')]).toEqual(['Must not be before first', 'Debe ser posterior a since']);
  });
});
