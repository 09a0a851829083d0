import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkField, type DtoClass, type FieldSpec, fieldsOf } from '../../src/platform/http/field-spec.js';
import { Text } from '../../src/platform/http/fields.js';
import { soundInstance } from '../../src/platform/http/sound-instance.js';
import { ValidationFailure } from '../../src/platform/http/validation-failure.js';
import { judge, walkShape } from '../../src/platform/http/validation.pipe.js';
import { SeededRandom } from '../support/seeded-random.js';

/**
 * A request in which nothing is wrong becomes its DTO without class-transformer and class-validator. Here both ways are held
 * against each other for every class that declares fields, with bodies that are nearly right: `BODIES=20000` tries more.
 */
const BODIES = Number(process.env['BODIES'] ?? 400);

/** A sibling that is blank, and so null, does not stand for the field that it could stand for. */
class LeansOnABlank {
  @Text({ max: 10, requiredUnless: ['sibling'] }) leaning: string;
  @Text({ max: 10, nullable: true }) sibling: string | null;
}

const source = join(import.meta.dirname, '..', '..', 'src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.dto.ts'));
const exported: unknown[] = [];
// One after another: Jest links one module at a time.
for (const path of files) exported.push(...Object.values((await import(join(source, path))) as object));
const isDto = (value: unknown): value is DtoClass => typeof value === 'function' && value.prototype !== undefined && fieldsOf(value as DtoClass).size > 0;
const types = [...new Set([...exported.filter(isDto), LeansOnABlank])];

/** What some field or other takes, and what hardly any does. */
const VALUES: readonly unknown[] = [
  '3f0e8a56-2c1b-4d7e-9a01-6b5c4d3e2f10', '1790012345001', '1710034065', '001', '12345678', '01', '4', '2', 'A1B2', 'PBX1234', 'es', 'Café de altura', '2025', '  ends trimmed ', 'two\nlines\n',
  'maria@example.com', 'https://example.com/hook', '2026-08-25', '2026-08-26', '2026-08-25T10:00:00-05:00', '2026-08-25T14:00:00Z', '2026-08-26T10:00:00-05:00', '2000-01-01T00:00:00+14:00', '2099-12-31T23:59:59-05:00', '2099-12-31T24:00:00Z', '0.15', '115.00', '100', 15, 1, 0, 2, 0.5, true, false, 'true', 'false', '12', 'QUJD', 'correct horse battery',
  '', ' ', null, [], {}, [1], ['01'], -1, 1e21, '-5', 'x'.repeat(400), '\u0000', 'constructor', '__proto__', { constructor: 'x' }, [[]], [null], [{}],
];

describe.each(types.map((type) => [type.name, type] as const))('%s', (_name, type) => {
  it('takes the normal form of what its fields take, and leaves it as it is', () => {
    for (const [name, spec] of fieldsOf(type)) {
      if (spec.nested !== null) continue;
      for (const value of [...VALUES, ...expectedBy(spec)]) {
        const checked = spec.check(value);
        if (checked.ok && checked.value !== null) expect([name, value, spec.check(checked.value)]).toEqual([name, value, checked]);
      }
    }
  });

  it('is made of the same bodies, and in the same form, as class-transformer and class-validator make it', () => {
    const random = new SeededRandom(20_261_127);
    const below = (count: number): number => Math.floor(random.between(0, count));
    let isMeantToBeSound = true;
    let isComplete = true;
    const acceptable = new Map<FieldSpec, readonly unknown[]>();

    const valueOf = (spec: FieldSpec, owner: object): unknown => {
      if (!isMeantToBeSound && below(20) === 0) return random.pick(VALUES);
      if (spec.nullable && below(5) === 0) return null;
      if (spec.nested !== null) {
        const { list, type: inner } = spec.nested;
        if (list === null) return bodyOf(inner());
        return Array.from({ length: Math.min(list.max, list.min + below(3)) }, () => bodyOf(inner()));
      }
      if (!acceptable.has(spec)) acceptable.set(spec, [...VALUES, ...expectedBy(spec)].filter((value) => spec.check(value).ok));
      const taken = acceptable.get(spec)!;
      const fitting = isMeantToBeSound && spec.endOf !== null ? taken.filter((value) => checkField(spec, value, owner).ok) : taken;
      return fitting.length === 0 ? undefined : random.pick(fitting);
    };
    const bodyOf = (of: DtoClass): Record<string, unknown> => {
      const body: Record<string, unknown> = {};
      for (const [name, spec] of fieldsOf(of)) {
        const leaned = spec.requiredWith.length > 0 || spec.requiredUnless.length > 0;
        const isLeftOut = spec.required ? !isMeantToBeSound && below(60) === 0 : leaned && isMeantToBeSound ? !isComplete : below(2) === 0;
        const value = isLeftOut ? undefined : valueOf(spec, Object.assign(new of(), body));
        if (value !== undefined) body[name] = value;
      }
      return body;
    };

    let sound = 0;
    for (let tried = 0; tried < BODIES; tried += 1) {
      isMeantToBeSound = tried % 2 === 0;
      isComplete = tried % 4 === 0;
      const body = bodyOf(type);
      const shape: Parameters<typeof judge>[3][number][] = [];
      const pruned = walkShape(type, body, ['body'], shape);
      if (shape.length > 0) continue;
      const made = soundInstance(type, pruned);
      let expected: object | null = null;
      try {
        expected = judge(type, pruned, 'body', []);
      } catch (error) {
        if (!(error instanceof ValidationFailure)) throw error;
      }
      if (made !== null) sound += 1;
      expect([body, made]).toStrictEqual([body, expected]);
      expect(JSON.stringify(made)).toBe(JSON.stringify(expected));
    }
    expect(sound).toBeGreaterThan(BODIES / 4);
  });
});

/** The values that a field which takes a few tells when it refuses. */
function expectedBy({ check }: FieldSpec): readonly unknown[] {
  const refused = check('no such value');
  const listed = check(['no such value']);
  return [refused, listed].flatMap((one, index) => {
    const expected = one.ok ? undefined : one.ctx['expected'];
    return Array.isArray(expected) ? (index === 0 ? (expected as unknown[]) : [[expected[0]], [expected[0], expected[0]], expected]) : [];
  });
}
