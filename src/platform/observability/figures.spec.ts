import { pino } from 'pino';
import { TimerSleeper } from '../adapters/timer-sleeper.js';
import type { TenantTransaction } from '../database/tenant-transaction.js';
import { StepGates } from '../outbox/step-gates.js';
import { Figures } from './figures.js';
import { Meters } from './meters.js';

const NOW = Date.parse('2026-11-22T15:00:00Z');
const before = (seconds: number): Date => new Date(NOW - seconds * 1_000);

describe('for how long work is told to have been due', () => {
  /** Every step has been due for an hour, and unannounced for half of it. */
  const told = async (openSince: (step: string) => Date | null | undefined): Promise<Record<string, number>> => {
    const meters = new Meters();
    const gates = new StepGates();
    gates.register({ stepCapacity: () => new Map(), openSince });
    const rows = ['prepare', 'submit', 'authorize'].map((kind) => ({ kind, oldest: before(3_600), oldest_unannounced: kind === 'prepare' ? null : before(1_800) }));
    const transaction = { withoutTenant: (sql: string) => Promise.resolve(sql.includes('work_ages') ? rows : []) } as unknown as TenantTransaction;
    new Figures(transaction, meters, gates, { now: () => new Date(NOW) }, new TimerSleeper(), pino({ level: 'silent' }));
    const [ages, lag] = await Promise.all(['sello_due_work_age_seconds', 'sello_outbox_lag_seconds'].map((name) => meters.registry.getSingleMetric(name)!.get()));
    return { ...Object.fromEntries(ages!.values.map(({ labels, value }) => [String(labels['kind']), value])), lag: lag!.values[0]!.value };
  };

  it('since it is due, where nothing holds it up', async () => {
    expect(await told(() => undefined)).toEqual({ prepare: 3_600, submit: 3_600, authorize: 3_600, lag: 1_800 });
  });

  it('also where the clock was put back since it could be begun', async () => {
    expect(await told(() => before(-3_600))).toEqual({ prepare: 3_600, submit: 3_600, authorize: 3_600, lag: 1_800 });
  });

  it('is asked for anew once it is old, or of a time before which the clock was put back', async () => {
    const meters = new Meters();
    let [now, asked] = [NOW, 0];
    const withoutTenant = (sql: string): Promise<never[]> => {
      if (sql.includes('work_ages')) asked += 1;
      return Promise.resolve([]);
    };
    new Figures({ withoutTenant } as unknown as TenantTransaction, meters, new StepGates(), { now: () => new Date(now) }, new TimerSleeper(), pino({ level: 'silent' }));
    const askedAt = async (seconds: number): Promise<number> => {
      now = NOW + seconds * 1_000;
      await meters.registry.metrics();
      return asked;
    };
    const times: number[] = [];
    for (const seconds of [0, 9, 10, -3_600, -3_591, -3_590]) times.push(await askedAt(seconds));
    expect(times).toEqual([1, 1, 2, 3, 3, 4]);
  });

  it('no longer than it could have been done, and not at all while it cannot', async () => {
    const since = (step: string): Date | null | undefined => (step === 'submit' ? before(20) : step === 'authorize' ? null : undefined);
    expect(await told(since)).toEqual({ prepare: 3_600, submit: 20, authorize: 0, lag: 20 });
    expect(await told((step) => (step === 'prepare' ? undefined : before(7_200)))).toEqual({ prepare: 3_600, submit: 3_600, authorize: 3_600, lag: 1_800 });
  });
});
