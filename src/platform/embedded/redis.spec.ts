import { isNewEnough, parseServerVersion } from './redis.js';

describe('choice of a Redis', () => {
  it.each([
    ['Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=5281bc0a9ae5be9', '7.0.15'],
    ['Valkey server v=8.0.1 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=e9b0d5d5d3f3cda', '8.0.1'],
    ['command not found', null],
  ])('reads the version of %s', (printed, version) => {
    expect(parseServerVersion(printed)).toBe(version);
  });

  it.each([
    ['6.0.16', false],
    ['6.2.0', true],
    ['5.9.9', false],
    ['7.0.15', true],
    ['10.0.0', true],
  ])('takes 6.2 and later: %s', (version, taken) => {
    expect(isNewEnough(version)).toBe(taken);
  });
});
