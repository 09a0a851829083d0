import type { Taxpayer } from '../domain/taxpayer.js';
import { RegistryBreaker } from './registry-breaker.js';
import { RegistryUnavailable } from './taxpayer-registry.js';

const SOMEBODY: Taxpayer = { legalName: 'X', tradeName: null, status: null, type: null, address: null };

describe('a registry that is down', () => {
  let now: number;
  let asked: number;
  let answer: () => Promise<Taxpayer | null>;
  let breaker: RegistryBreaker;
  beforeEach(() => {
    [now, asked] = [0, 0];
    answer = () => Promise.reject(new RegistryUnavailable('down'));
    const registry = { find: () => ((asked += 1), answer()) };
    breaker = new RegistryBreaker(registry, { now: () => new Date(now) }, 12_000);
  });

  const askAbout = (ruc: string): Promise<unknown> => breaker.find(ruc).catch((error: unknown) => error);
  let taxpayers = 0;
  /** About somebody else each time. */
  const ask = (): Promise<unknown> => askAbout(`179${String((taxpayers += 1)).padStart(7, '0')}001`);
  const times = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) await ask();
  };

  it('is not asked after five failures in a row, then once per break, breaks doubling up to a bound', async () => {
    await times(20);
    expect(asked).toBe(5);
    const breaks: number[] = [];
    for (let start = now; breaks.length < 4; now += 500) {
      const before = asked;
      await times(3);
      if (asked === before) continue;
      expect(asked).toBe(before + 1);
      breaks.push(now - start);
      start = now;
    }
    expect(breaks).toEqual([5_000, 10_000, 12_000, 12_000]);
  });

  it('is asked at once, also about one asked about in vain, where the clock is put back further than a break lasts', async () => {
    now = 3_600_000;
    const first = '1790012345001';
    await askAbout(first);
    await times(4);
    now += 5_000;
    // Of both kinds of questions one has failed again.
    await askAbout(first);
    await times(1);
    expect(asked).toBe(7);
    now = 0;
    await askAbout(first);
    await times(1);
    expect(asked).toBe(9);
    await askAbout(first);
    await times(1);
    expect(asked).toBe(9);
  });

  it('is not told by one taxpayer of whom it says nothing, however often it is asked about', async () => {
    for (let index = 0; index < 20; index += 1) await askAbout('1790012345001');
    expect([asked, breaker.state]).toEqual([20, 0]);
    await times(3);
    expect(breaker.state).toBe(0);
    await times(1);
    expect([asked, breaker.state]).toEqual([24, 2]);
  });

  it('is asked by one at a time once the break is over, and by all once it answers', async () => {
    await times(5);
    now = 5_000;
    let release: (taxpayer: Taxpayer) => void = () => undefined;
    answer = () => new Promise((resolve) => (release = resolve));
    const probe = ask();
    expect(await ask()).toBeInstanceOf(RegistryUnavailable);
    expect(asked).toBe(6);
    release(SOMEBODY);
    expect(await probe).toEqual(SOMEBODY);
    answer = () => Promise.resolve(null);
    await Promise.all([ask(), ask()]);
    expect(asked).toBe(8);
  });

  it('is not kept from the others by one taxpayer of whom it says nothing, once it is back', async () => {
    for (const ruc of ['a', 'b', 'c', 'd', 'e']) await askAbout(ruc);
    now = 5_000;
    await askAbout('a');
    expect([asked, breaker.state]).toEqual([6, 2]);
    answer = () => Promise.resolve(SOMEBODY);
    expect(await ask()).toEqual(SOMEBODY);
    expect(breaker.state).toBe(0);
  });

  it('is spared by who asks about one such taxpayer without pause, and the others do not wait for that', async () => {
    for (const ruc of ['a', 'b', 'c', 'd', 'e']) await askAbout(ruc);
    for (now = 5_000; now < 20_000; now += 100) await askAbout('a');
    expect(asked).toBe(5 + 3);
    answer = () => new Promise(() => undefined);
    void askAbout('a');
    answer = () => Promise.resolve(SOMEBODY);
    expect(await ask()).toEqual(SOMEBODY);
    expect([asked, breaker.state]).toEqual([10, 0]);
  });

  it('is found to be back by those alone who were asked about in vain', async () => {
    for (const ruc of ['a', 'b', 'c', 'd', 'e']) await askAbout(ruc);
    now = 5_000;
    await askAbout('a');
    answer = () => Promise.resolve(SOMEBODY);
    expect(await askAbout('b')).toBeInstanceOf(RegistryUnavailable);
    now = 10_000;
    expect(await askAbout('b')).toEqual(SOMEBODY);
    expect(breaker.state).toBe(0);
  });

  it('is told from one that says no: nobody has the RUC is an answer', async () => {
    await times(4);
    answer = () => Promise.resolve(null);
    expect(await ask()).toBeNull();
    answer = () => Promise.reject(new RegistryUnavailable('down'));
    await times(4);
    expect(asked).toBe(9);
    await times(2);
    expect(asked).toBe(10);
  });

  it('does not count our own faults', async () => {
    answer = () => Promise.reject(new TypeError('ours'));
    await times(10);
    expect(asked).toBe(10);
  });
});
