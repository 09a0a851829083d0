import { endOfJson } from './text-position.js';

describe('the position where a text stops being JSON', () => {
  it.each<[string, number, number]>([
    ['', 1, 1],
    ['{', 1, 2],
    ['{"total": 57,50}', 1, 14],
    ['{\n  "a": 1,\n}', 3, 1],
    ['{"a":1}x', 1, 8],
    ["{'a':1}", 1, 2],
    ['{"a":1 /* x */}', 1, 8],
    ['{"a":NaN}', 1, 6],
    ['{"a":01}', 1, 6],
    ['{"ñ😀":+1}', 1, 7],
    ['"\\x"', 1, 1],
    ['{"a":"\n"}', 1, 6],
    ['[1 2]', 1, 4],
    ['[1,]', 1, 4],
    ['{"a" 1}', 1, 6],
    ['[}', 1, 2],
    ['[[1]', 1, 5],
    ['}', 1, 1],
    ['truefalse', 1, 1],
  ])('%j is line %d, column %d', (text, line, column) => {
    expect(() => JSON.parse(text) as unknown).toThrow();
    expect(endOfJson(text)).toEqual({ line, column });
  });

  it.each(['{"a":[1,2.5,-3e2,"x\\"y{[",null,true,{}],"b":{"a":1}}', '[]', '"text"', '7', 'null', ' \n\t{ "a" : 1 } ', '[[],{},[{"a":[]}]]'])('is nowhere in %j', (text) => {
    expect(JSON.parse(text)).toBeDefined();
    expect(endOfJson(text)).toBeNull();
  });
});
