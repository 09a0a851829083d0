import fc from 'fast-check';
import { Positions } from './positions.js';

it.each([
  ['/lines/1', '/lines/1', true],
  ['/lines/1', '/lines/1/taxes/0', true],
  ['/lines/1/taxes/0', '/lines', true],
  ['/lines/1', '/lines/10', false],
  ['/lines/1', '/lines/2', false],
  ['/taxes', '/lines/1/taxes', false],
  ['', '', true],
  ['', '/lines', false],
  ['/lines', '', false],
])('%j and %j overlap: %s', (one, other, expected) => {
  expect(new Positions([one]).overlap(other)).toBe(expected);
});

it('asks of many what it asks of each', () => {
  const pointer = fc.array(fc.constantFrom('lines', 'line', '0', '1', '10'), { maxLength: 4 }).map((steps) => steps.map((step) => `/${step}`).join(''));
  fc.assert(fc.property(fc.array(pointer, { maxLength: 5 }), pointer, (many, one) => {
    const lies = (inner: string, outer: string): boolean => outer !== '' && `${inner}/`.startsWith(`${outer}/`);
    expect(new Positions(many).overlap(one)).toBe(many.some((each) => each === one || lies(each, one) || lies(one, each)));
  }));
});
