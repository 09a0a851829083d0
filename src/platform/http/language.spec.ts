import { languageOf } from './language.js';

describe('languageOf', () => {
  it.each<[string | undefined, string]>([
    [undefined, 'es'],
    ['', 'es'],
    ['en', 'en'],
    ['en-US,en;q=0.9', 'en'],
    ['es-EC,en;q=0.9', 'es'],
    ['fr,en;q=0.4,es;q=0.8', 'es'],
    ['fr', 'es'],
    ['en;q=0', 'es'],
    ['*', 'es'],
    ['en;q=x', 'es'],
    ['x'.repeat(10_000), 'es'],
  ])('%p is %s', (header, language) => {
    expect(languageOf(header)).toBe(language);
  });
});
