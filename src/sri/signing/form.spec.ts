import { blank, Form } from './form.js';

describe('a form', () => {
  const form = new Form(`<ñ a="${blank(2)}">${blank(3)}</ñ>€`);

  it('is written with its values where they belong, and leaves alone what is around it', () => {
    const target = Buffer.alloc(form.length + 2, '-');
    expect(form.write(target, 1, ['12', 'abc'])).toBe(form.length + 1);
    expect(target.toString()).toBe('-<ñ a="12">abc</ñ>€-');
  });

  it('is the same for every use but for the values', () => {
    const first = form.filled(['12', 'abc']);
    expect(form.filled(['34', 'def']).toString()).toBe('<ñ a="34">def</ñ>€');
    expect(first.toString()).toBe('<ñ a="12">abc</ñ>€');
  });

  it('refuses values that do not fill its blanks', () => {
    expect(() => form.filled(['12'])).toThrow(RangeError);
    expect(() => form.filled(['12', 'abc', 'd'])).toThrow(RangeError);
    expect(() => form.filled(['1', 'abc'])).toThrow('value 1 has 1 characters instead of 2');
    expect(() => form.filled(['12', 'abcd'])).toThrow(RangeError);
  });

  it('may have no blank at all', () => {
    expect(new Form('<a></a>').filled([]).toString()).toBe('<a></a>');
  });
});
