import { JsonRefusal, parseStrictJson } from './strict-json.js';

const refusal = (text: string): string => {
  try {
    parseStrictJson(text, 20, 50);
  } catch (error) {
    if (error instanceof JsonRefusal) return error.reason;
    throw error;
  }
  return 'accepted';
};

describe('parseStrictJson', () => {
  it.each([
    '{"a":[1,2.5,-3e2,"x\\"y{[",null,true,{}],"b":{"a":1}}',
    '[]',
    '"text"',
    '7',
    'null',
    '{"a":"\\u0061","\\u0062":1}',
    ' \n\t{ "a" : 1 } ',
  ])('reads %s as JSON.parse does', (text) => {
    expect(parseStrictJson(text, 20, 50)).toEqual(JSON.parse(text));
  });

  it.each(['', '{', '{"a":1,}', '{"a":1}x', "{'a':1}", '{"a":1 /* x */}', '// x\n{}', '{"a":NaN}', '{"a":01}', '"\\x"', '{"\\x":1}', '{"a":"\n"}', '}', ']]]'])(
    'refuses %j as invalid',
    (text) => {
      expect(refusal(text)).toBe('invalid_json');
    },
  );

  it.each(['{"total":"1","total":"2"}', '{"a":{"b":1,"b":1}}', '[{"a":1},{"a":1,"c":[],"a":2}]', '{"a":1,"\\u0061":2}', '{"a" :1, "a"\n:2}'])(
    'refuses %s for the key given twice',
    (text) => {
      expect(refusal(text)).toBe('duplicate_key');
    },
  );

  it.each(['[{"a":1},{"a":1}]', '{"a":{"a":{"a":1}}}', '{"a":"a","b":"a"}', '["a","a"]', '{"a":"\\"a\\":1"}'])('takes %s, where no key repeats', (text) => {
    expect(refusal(text)).toBe('accepted');
  });

  it('takes twenty levels and refuses one more', () => {
    expect(refusal('['.repeat(20) + ']'.repeat(20))).toBe('accepted');
    expect(refusal('['.repeat(21) + ']'.repeat(21))).toBe('too_deep');
    expect(refusal('{"a":'.repeat(21) + '1' + '}'.repeat(21))).toBe('too_deep');
    expect(refusal(`"${'['.repeat(50)}"`)).toBe('accepted');
  });

  it('takes as many members as there may be, in whatever objects, and refuses one more', () => {
    const members = (count: number): string => Array.from({ length: count }, (_, index) => `"${index}":[1,2,{}]`).join(',');
    expect(refusal(`{${members(50)}}`)).toBe('accepted');
    expect(refusal(`{${members(51)}}`)).toBe('too_many_members');
    expect(refusal(`[{${members(25)}},{${members(25)}}]`)).toBe('accepted');
    expect(refusal(`[{${members(25)}},{${members(26)}}]`)).toBe('too_many_members');
    expect(refusal(`[${Array(60).fill('"a"').join(',')}]`)).toBe('accepted');
  });

  it('refuses a million levels', () => {
    expect(refusal('['.repeat(1_000_000))).toBe('too_deep');
  });

  it.each<[string, JsonRefusal['reason'], number, number, string | null]>([
    ['{\n "total": 57,50}', 'invalid_json', 2, 14, null],
    ['{"a":1,\n "b":{"ñ":1, "ñ":2}}', 'duplicate_key', 2, 14, 'ñ'],
    ['{"\\u00f1":1,"ñ":2}', 'duplicate_key', 1, 13, 'ñ'],
    ['{"a\nb":1,"a\nb":2}', 'duplicate_key', 2, 6, 'a\nb'],
    [`[${'['.repeat(20)}`, 'too_deep', 1, 21, null],
    ['\ufeff{}', 'byte_order_mark', 1, 1, null],
  ])('tells where %j goes wrong', (text, reason, line, column, key) => {
    expect(() => parseStrictJson(text, 20, 50)).toThrow(expect.objectContaining({ reason, position: { line, column }, key }));
  });

  it('looks for no position in a long text: anybody may send one', () => {
    const position = (text: string): unknown => {
      try {
        return parseStrictJson(text, 20, 50);
      } catch (error) {
        return (error as JsonRefusal).position;
      }
    };
    expect([position(`[${'1,'.repeat(200_000)}]`), position(`{"a":1,"a":"${'x'.repeat(300_000)}"}`), position('[1,]')]).toEqual([null, null, { line: 1, column: 4 }]);
  });

  it('leaves the prototypes of all objects alone', () => {
    const parsed = parseStrictJson('{"__proto__":{"polluted":true}}', 20) as object;
    expect(Object.keys(parsed)).toEqual(['__proto__']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
