import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Classes of the bad-input catalogue: B1 to B132. */
const CLASSES = Array.from({ length: 132 }, (_, index) => `B${index + 1}`);

/** Classes whose proof stands in another spec, with words of its title. */
const ELSEWHERE: Readonly<Record<string, readonly [file: string, words: string]>> = {
  B24: ['test/contract/access-matrix.spec.ts', "cannot tell another tenant's id from a random one"],
  B92: ['test/e2e/products.spec.ts', 'B92'],
  B106: ['test/e2e/credentials.spec.ts', 'B106'],
  B107: ['test/e2e/credentials.spec.ts', 'B107'],
  B108: ['test/e2e/credentials.spec.ts', 'B108'],
  B109: ['test/e2e/credentials.spec.ts', 'B109'],
  B110: ['test/e2e/credentials.spec.ts', 'B110'],
  B111: ['test/e2e/auth-rate-limits.spec.ts', 'B111'],
  B112: ['test/e2e/sign-in-google.spec.ts', 'a state, and a code, that were used'],
  B113: ['test/e2e/credentials.spec.ts', 'B113'],
  B114: ['test/contract/access-matrix.spec.ts', 'gets exactly what is due, on every route'],
  B103: ['src/platform/egress/guarded-post.spec.ts', 'B103'],
  B104: ['src/platform/egress/guarded-post.spec.ts', 'B104'],
  B127: ['test/e2e/lifecycle-acts.spec.ts', 'each act is allowed exactly in the states'],
};

const cases = (): Set<string> => {
  const specs = readdirSync(import.meta.dirname).filter((file) => file !== 'coverage.spec.ts');
  const text = specs.map((file) => readFileSync(join(import.meta.dirname, file), 'utf8')).join('\n');
  return new Set([...text.matchAll(/['"`](B[0-9]{1,3})[ '"`]/g)].map(([, name = '']) => name));
};
const source = (file: string): string => readFileSync(join(import.meta.dirname, '../../..', file), 'utf8');

describe('the bad-input catalogue', () => {
  const covered = cases();

  it.each(CLASSES)('has a case for %s, or says where', (name) => {
    const places = [covered.has(name) ? 'here' : [], name in ELSEWHERE ? 'elsewhere' : []].flat();
    expect(places).toHaveLength(1);
  });

  it.each(Object.entries(ELSEWHERE))('%s stands where it is said to', (_name, [file, words]) => {
    expect(source(file)).toContain(words);
  });

  it('names no class that it does not have', () => {
    expect([...covered].filter((name) => !CLASSES.includes(name))).toEqual([]);
  });
});
