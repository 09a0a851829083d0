import { fill, PLACEHOLDERS, type Placeholder, templateFailure } from './template.js';

const values = Object.fromEntries(PLACEHOLDERS.map((name) => [name, `<${name}>`])) as Record<Placeholder, string>;

describe('a text with places', () => {
  it.each(PLACEHOLDERS)('may name %s', (name) => {
    expect(templateFailure(`a {{${name}}} b {{ ${name} }}`)).toBeNull();
    expect(fill(`a {{${name}}} b {{ ${name} }}`, values)).toBe(`a <${name}> b <${name}>`);
  });

  it.each(['', 'plain', 'one { brace or two { { } }', '{}', '{2 por 1}', '{7}', '{a, b}', '$& $1 ${7*7}'])('may be %p', (text) => {
    expect([templateFailure(text), fill(text, values)]).toEqual([null, text]);
  });

  it.each(['{{price}}', '{{constructor}}', '{{toString}}', '{{BUYER_NAME}}', '{{__proto__}}'])('names nothing else: %p', (text) => {
    expect(templateFailure(text)).toEqual({ type: 'template_placeholder', ctx: { placeholder: text.slice(2, -2), expected: PLACEHOLDERS } });
  });

  it.each(['{{', '}}', '{{buyer_name}', '{buyer_name}}', '{{buyer name}}', '{{7*7}}', '{{}}', '{{{{buyer_name}}}}', `{{${'a'.repeat(50)}}}`, '{{buyer_name|upper}}'])('closes what it opens: %p', (text) => {
    expect(templateFailure(text)).toEqual({ type: 'template_braces', ctx: {} });
  });

  it.each([['{buyer_name}', 'buyer_name'], ['Hola, { buyer_name }', 'buyer_name'], ['{{document_type}} {numero}', 'numero'], ['{número}', 'número'], ['${total}', 'total']])(
    'has no single braces around a word, which are printed where they are stored: %p', (text, placeholder) => {
      expect(templateFailure(text)).toEqual({ type: 'template_single_braces', ctx: { placeholder, expected: PLACEHOLDERS } });
      expect(fill(text, values)).toContain(`{${text.includes('{ ') ? ' ' : ''}${placeholder}`);
    });

  it('fills in text as it is, whatever it looks like', () => {
    const tricky = '{{access_key}} $& $1 <b>';
    expect(fill('{{buyer_name}}!', { ...values, buyer_name: tricky })).toBe(`${tricky}!`);
  });

  it('is judged in linear time', () => {
    for (const text of ['{{'.repeat(8_000), `${'{a'.repeat(8_000)}{a}`, `${`{${' '.repeat(9)}`.repeat(2_000)}{a}`, `{{${' '.repeat(16_000)}`, `${'{{a'.repeat(5_000)}}}`]) expect(templateFailure(text)).not.toBeNull();
  });
});
