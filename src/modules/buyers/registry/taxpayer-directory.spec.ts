import 'reflect-metadata';
import type { Taxpayer } from '../domain/taxpayer.js';
import type { RecalledTaxpayer, TaxpayersRepository } from '../persistence/taxpayers.repository.js';
import { RegistryBreaker } from './registry-breaker.js';
import { TaxpayerDirectory } from './taxpayer-directory.js';
import { RegistryUnavailable } from './taxpayer-registry.js';

const SOMEBODY: Taxpayer = { legalName: 'X', tradeName: null, status: null, type: null, address: null };
const CLOCK = { now: () => new Date(0) };
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('questions to the registry', () => {
  let asked: string[];
  let answers: (() => void)[];
  let breaker: RegistryBreaker;
  let directory: TaxpayerDirectory;
  let outcomes: Record<string, unknown>;
  let remembered: RecalledTaxpayer | null;
  beforeEach(() => {
    [asked, answers, outcomes, remembered] = [[], [], {}, null];
    const registry = { find: (ruc: string) => (asked.push(ruc), new Promise<Taxpayer>((resolve) => answers.push(() => resolve(SOMEBODY)))) };
    const taxpayers = { recall: () => Promise.resolve(remembered), remember: (_ruc: string, taxpayer: Taxpayer) => Promise.resolve({ taxpayer, verifiedAt: CLOCK.now() }) } as unknown as TaxpayersRepository;
    breaker = new RegistryBreaker(registry, CLOCK, 12_000);
    directory = new TaxpayerDirectory(taxpayers, breaker, { SRI_REGISTRY_MAX_AGE_HOURS: 1, SRI_REGISTRY_NOT_FOUND_MAX_AGE_HOURS: 1 });
  });

  const ask = (tenant: string, ruc: string): void => void directory.find(tenant, ruc, false).then(({ source }) => (outcomes[ruc] = source), (error: unknown) => (outcomes[ruc] = error));
  const askMany = async (tenant: string, count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) ask(tenant, `${tenant}${index}`);
    await settle();
  };

  it('are two at once of a tenant, four in all, and the others wait for their turn', async () => {
    await askMany('a', 10);
    expect(asked).toEqual(['a0', 'a1']);
    await askMany('b', 1);
    await askMany('c', 2);
    expect(asked).toEqual(['a0', 'a1', 'b0', 'c0']);
    answers.shift()?.();
    await settle();
    expect(asked.slice(4)).toEqual(['c1']);
    while (answers.length > 0) {
      answers.shift()?.();
      await settle();
    }
    expect([asked.length, outcomes['a9']]).toEqual([13, 'sri_live']);
  });

  it.each([[-1, ['a0']], [0, []], [3_599_999, []], [3_600_000, ['a0']]])('are asked again where the answer is %i ms old: %j', async (ageMs, again) => {
    // By the clock of this process each is new: it may be wrong.
    remembered = { taxpayer: SOMEBODY, verifiedAt: CLOCK.now(), ageMs };
    await askMany('a', 1);
    expect(asked).toEqual(again);
  });

  it('that find no room to wait are not asked, and do not show that the registry is down', async () => {
    await askMany('a', 30);
    expect(Object.values(outcomes).filter((outcome) => outcome instanceof RegistryUnavailable)).toHaveLength(30 - 2 - 10);
    expect(breaker.state).toBe(0);
    await askMany('b', 1);
    expect(asked).toEqual(['a0', 'a1', 'b0']);
  });
});
