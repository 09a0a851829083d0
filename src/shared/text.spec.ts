import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { codePoints, normaliseText, textProblem } from './text.js';

const problem = (text: string, max = 300, min = 1) => textProblem(normaliseText(text), { min, max });

describe('text', () => {
  it('composes and trims spaces, and keeps inner runs', () => {
    expect(normaliseText('  Pin\u0303a  colada \u00A0')).toBe('Pi\u00F1a  colada');
    expect(normaliseText('a  b   c')).toBe('a  b   c');
  });

  it.each(['ñ á €', '😀', '&<>"\'', ']]>', '<!--', '<?xml', '&amp;', '&#x0;', '$&', '{{7*7}}', 'a\u00A0b', '日本語', '❤\uFE0F 1\uFE0F\u20E3 #\uFE0F\u20E3', '☎\uFE0E 022', '‼\uFE0F ★\uFE0E ©\uFE0F €\uFE0E', '⠁⠃'])(
    'takes %p',
    (text) => {
      expect(problem(text)).toBeNull();
    },
  );

  it.each([
    ['\n', 'string_line_break', 'U+000A'],
    ['\r', 'string_line_break', 'U+000D'],
    ['\u0085', 'string_line_break', 'U+0085'],
    ['\u2028', 'string_line_break', 'U+2028'],
    ['\u2029', 'string_line_break', 'U+2029'],
    ['\t', 'string_control_character', 'U+0009'],
    ['\u0000', 'string_control_character', 'U+0000'],
    ['\u001F', 'string_control_character', 'U+001F'],
    ['\u007F', 'string_control_character', 'U+007F'],
    ['\uD800', 'string_lone_surrogate', 'U+D800'],
    ['\uDC00', 'string_lone_surrogate', 'U+DC00'],
    ['\u202E', 'string_invisible_character', 'U+202E'],
    ['\u200B', 'string_invisible_character', 'U+200B'],
    ['\u200D', 'string_invisible_character', 'U+200D'],
    ['\u00AD', 'string_invisible_character', 'U+00AD'],
    ['\uFEFF', 'string_invisible_character', 'U+FEFF'],
    ['\u034F', 'string_invisible_character', 'U+034F'],
    ['\u115F', 'string_invisible_character', 'U+115F'],
    ['\u17B4', 'string_invisible_character', 'U+17B4'],
    ['\u180B', 'string_invisible_character', 'U+180B'],
    ['\u2800', 'string_invisible_character', 'U+2800'],
    ['\u3164', 'string_invisible_character', 'U+3164'],
    ['\uFE00', 'string_invisible_character', 'U+FE00'],
    ['\uFFA0', 'string_invisible_character', 'U+FFA0'],
    ['\u{E0100}', 'string_invisible_character', 'U+E0100'],
    ['\u{E0041}', 'string_invisible_character', 'U+E0041'],
    ['\uFFFE', 'string_noncharacter', 'U+FFFE'],
    ['\uFFFF', 'string_noncharacter', 'U+FFFF'],
  ])('refuses %p as %s wherever it stands', (character, type, codePoint) => {
    expect(problem(`😀${character}b`)).toEqual({ type, ctx: { code_point: codePoint, position: 1 } });
    expect(problem(`${character}b`)).toEqual({ type, ctx: { code_point: codePoint, position: 0 } });
    expect(problem(`b${character}`)).toEqual({ type, ctx: { code_point: codePoint, position: 1 } });
  });

  it.each(['\uFE0E', '\uFE0F'])('refuses the selector %p where it follows no sign', (selector) => {
    for (const text of [selector, ...['b', '7', '#', '*', '-', '.', '/', '+', '$', '–', '¿', '❤\uFE0F', '7\uFE0F\u20E3'].map((before) => `${before}${selector}`)]) {
      expect(problem(text)).toMatchObject({ type: 'string_invisible_character', ctx: { position: Array.from(text).length - 1 } });
    }
  });

  it('counts in code points at the bounds', () => {
    expect(problem('😀'.repeat(300))).toBeNull();
    expect(problem('😀'.repeat(301))).toEqual({ type: 'string_too_long', ctx: { max_length: 300 } });
    expect(problem('n\u0303'.repeat(300))).toBeNull();
    expect(problem('a'.repeat(301))).toEqual({ type: 'string_too_long', ctx: { max_length: 300 } });
    expect(problem('😀', 25, 2)).toEqual({ type: 'string_too_short', ctx: { min_length: 2 } });
    expect(problem('   ')).toEqual({ type: 'string_too_short', ctx: { min_length: 1 } });
    expect(textProblem('', { max: 10 })).toBeNull();
    expect(codePoints('a😀b')).toBe(3);
  });

  it('is idempotent and never lets a forbidden character through', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const once = normaliseText(text);
        expect(normaliseText(once)).toBe(once);
        if (textProblem(once, { max: 1000 }) === null) {
          expect(once).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u2028\u2029\uFEFF]/);
          expect(once).not.toMatch(/\p{Cs}/u);
        }
      }),
    );
  });

  it('judges hostile text in linear time: anything else would not end within the time of a test', async () => {
    expect(problem(' '.repeat(1_000_000) + 'a' + ' '.repeat(1_000_000) + 'b')).not.toBeNull();
    // Jest looks at the time no sooner than here.
    await sleep(1);
  });
});
