import { createHash } from 'node:crypto';
import { CryptoChance } from '../adapters/crypto-chance.js';
import { generateApiKey, parseApiKey } from './api-key.js';

const chance = new CryptoChance();

describe('API keys', () => {
  it.each([
    ['TEST', 'svc_test_'],
    ['PRODUCTION', 'svc_live_'],
  ] as const)('of %s begin with %s and read back', (environment, prefix) => {
    const key = generateApiKey(chance, environment);
    expect(key.clear).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{38}$`));
    expect(key.prefix).toBe(key.clear.slice(0, 13));
    expect(key.hash).toEqual(createHash('sha256').update(key.clear).digest());
    expect(parseApiKey(key.clear)).toEqual({ environment, hash: key.hash });
  });

  it('have a fixed checksum, so that stored keys stay readable', () => {
    const fixed = generateApiKey({ bytes: (length) => new Uint8Array(length).fill(10) }, 'TEST');
    expect(fixed.clear).toBe(`svc_test_${'A'.repeat(32)}${fixed.clear.slice(-6)}`);
    expect(fixed.clear.slice(-6)).toBe('1uGZbk');
  });

  it('draw every character evenly: bytes of the incomplete run are drawn again', () => {
    const answers = [new Uint8Array(32).fill(255), new Uint8Array(32).fill(61)];
    const drawn: number[] = [];
    const key = generateApiKey({ bytes: (length) => (drawn.push(length), answers.shift() ?? new Uint8Array(length)) }, 'TEST');
    expect(drawn).toEqual([32, 32]);
    expect(key.clear.slice(9, 41)).toBe('z'.repeat(32));
  });

  it('refuse every single mistyped character', () => {
    const { clear } = generateApiKey(chance, 'TEST');
    for (let index = 0; index < clear.length; index += 1) {
      const other = clear[index] === 'a' ? 'b' : 'a';
      expect(parseApiKey(clear.slice(0, index) + other + clear.slice(index + 1))).toBeNull();
    }
  });

  it('refuse whatever else is no key', () => {
    const { clear } = generateApiKey(chance, 'TEST');
    const others = ['', ' ', clear.slice(0, -1), `${clear}0`, ` ${clear}`, `${clear} `, `${clear}\n`, `${clear}, ${clear}`, clear.replace('test', 'live'), clear.toUpperCase(), 'x'.repeat(10_000), 'svc_test_ñ'];
    for (const text of others) expect(parseApiKey(text)).toBeNull();
  });
});
