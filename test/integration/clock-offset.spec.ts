import { DataSource } from 'typeorm';
import { ServiceClock } from '../../src/platform/adapters/service-clock.js';
import { TimerSleeper } from '../../src/platform/adapters/timer-sleeper.js';
import { serviceDataSourceOptions } from '../../src/platform/database/connection.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { ClockAgreement } from '../../src/platform/observability/clock-agreement.js';
import { ClockOffset } from '../../src/platform/observability/clock-offset.js';
import { Meters } from '../../src/platform/observability/meters.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const HOUR_MS = 3_600_000;
/** The database is on this machine: both read the same clock, and round it differently. */
const SAME_CLOCK_S = 0.1;

describe("the offset of a process's clock", () => {
  let database: TestDatabase;
  let service: DataSource;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await new DataSource(serviceDataSourceOptions(database.url, 'api', 1)).initialize();
  });
  afterAll(async () => {
    if (service.isInitialized) await service.destroy();
    await database.drop();
  });

  class ShiftedClock extends ServiceClock {
    constructor(public aheadMs: number) {
      super();
    }
    override host(): number {
      return Date.now() + this.aheadMs;
    }
  }
  const logged: unknown[] = [];
  const keep = (...line: unknown[]): number => logged.push(line);
  const logger = { warn: keep, error: keep, info: keep } as never;
  const offsetOf = (clock: ServiceClock): ClockOffset => new ClockOffset(new TenantTransaction(service), clock, new TimerSleeper(), logger, new Meters());
  const offset = (aheadMs: number): ClockOffset => offsetOf(new ShiftedClock(aheadMs));

  /** Asked while the one connection is taken for as long: told is the time at the end of that. */
  async function behindAnother(aheadMs: number, waitS: number): Promise<{ told: number; tookS: number }> {
    for (;;) {
      const held = service.query(`select pg_sleep(${waitS})`);
      const from = performance.now();
      const told = await offset(aheadMs).seconds();
      const tookS = (performance.now() - from) / 1_000;
      await held;
      // A machine that is busy with other tests may take longer than it is waited.
      if (told !== null) return { told, tookS };
    }
  }

  it('is told where the clock is ahead, without what the question took', async () => {
    const { told, tookS } = await behindAnother(HOUR_MS, 0.4);
    expect(told).toBeGreaterThan(3_600 - tookS - SAME_CLOCK_S);
    expect(told).toBeLessThan(3_600 - 0.4 + SAME_CLOCK_S);
  });

  it('is told where it is behind, without what the question took', async () => {
    const { told, tookS } = await behindAnother(-HOUR_MS, 0.4);
    expect(told).toBeGreaterThan(-3_600 - SAME_CLOCK_S);
    expect(told).toBeLessThan(-3_600 + tookS - 0.4 + SAME_CLOCK_S);
  });

  it('is none where the clock is right, however slow the answer', async () => {
    expect(Math.abs((await behindAnother(0, 0.4)).told)).toBeLessThan(SAME_CLOCK_S);
  });

  describe('of a worker', () => {
    class Watched extends ClockAgreement {
      ends = 0;
      protected override end(): void {
        this.ends += 1;
      }
    }
    const agreementOf = (clock: ShiftedClock): Watched => new Watched(offsetOf(clock), clock, new TimerSleeper(), logger);
    const aheadOf = (clock: ShiftedClock): number => clock.now().getTime() - Date.now();
    /** Looks until PostgreSQL has told its time, which a busy machine may keep it from. */
    const look = async (agreement: Watched, until: () => boolean): Promise<void> => {
      for (let looks = 0; looks < 50 && !until(); looks += 1) await agreement.work();
    };

    it('is held back where it is ahead at the start, and the worker ends once it is put right', async () => {
      logged.length = 0;
      const clock = new ShiftedClock(HOUR_MS);
      const agreement = agreementOf(clock);
      await agreement.begin();
      expect(Math.abs(aheadOf(clock))).toBeLessThan(1_000);
      await agreement.work();
      expect(agreement.ends).toBe(0);
      clock.aheadMs = 0;
      await look(agreement, () => agreement.ends > 0);
      await agreement.work();
      expect(agreement.ends).toBe(1);
      expect(logged.map((line) => JSON.stringify(line)).filter((line) => line.includes('ahead_seconds'))).toEqual([expect.stringContaining('by whose time this worker goes'), expect.stringContaining('leapt')]);
    });

    it('is its own where it is right or behind; it ends once its host leaps ahead', async () => {
      logged.length = 0;
      const clock = new ShiftedClock(-HOUR_MS);
      const agreement = agreementOf(clock);
      await agreement.begin();
      const isTold = (): boolean => logged.some((line) => JSON.stringify(line).includes('behind_seconds'));
      await look(agreement, isTold);
      expect([isTold(), agreement.ends, Math.abs(aheadOf(clock) + HOUR_MS) < 1_000]).toEqual([true, 0, true]);
      clock.aheadMs = HOUR_MS;
      await look(agreement, () => agreement.ends > 0);
      expect(agreement.ends).toBe(1);
    });

    it('was right: the worker ends once its host is put back, and not while it stays behind', async () => {
      const clock = new ShiftedClock(0);
      const agreement = agreementOf(clock);
      await agreement.begin();
      await agreement.work();
      expect(agreement.ends).toBe(0);
      clock.aheadMs = -HOUR_MS;
      await look(agreement, () => agreement.ends > 0);
      expect(agreement.ends).toBe(1);
      const next = agreementOf(clock);
      await next.begin();
      for (const _time of [1, 2, 3]) await next.work();
      expect(next.ends).toBe(0);
    });
  });

  it('is not told while PostgreSQL is silent or away, and the log says why', async () => {
    const held = service.query('select pg_sleep(2)');
    expect(await offset(0).seconds()).toBeNull();
    await held;
    await service.destroy();
    expect(await offset(0).seconds()).toBeNull();
    // While it was busy elsewhere it may have been silent more often.
    expect(logged.slice(-2)).toEqual(Array(2).fill([{ err: expect.any(Error) as unknown }, 'PostgreSQL did not tell its time']));
  });
});
