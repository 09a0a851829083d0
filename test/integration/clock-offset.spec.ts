import { DataSource } from 'typeorm';
import { ServiceClock } from '../../src/platform/adapters/service-clock.js';
import { TimerSleeper } from '../../src/platform/adapters/timer-sleeper.js';
import { serviceDataSourceOptions } from '../../src/platform/database/connection.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
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
    service = await new DataSource(serviceDataSourceOptions(database.url, 1)).initialize();
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

  it('holds the clock of the process back while it is ahead, says so once, and lets one that is behind be', async () => {
    logged.length = 0;
    const clock = new ShiftedClock(HOUR_MS);
    const offset = offsetOf(clock);
    const silences = (): number => logged.filter((line) => JSON.stringify(line).includes('did not tell')).length;
    /** Again where a busy machine kept PostgreSQL from answering in time. @returns how far the process is ahead, in milliseconds */
    const look = async (): Promise<number> => {
      for (let before = silences(); ; before = silences()) {
        await offset.work();
        if (silences() === before) return clock.now().getTime() - Date.now();
      }
    };
    expect(Math.abs(await look())).toBeLessThan(1_000);
    await look();
    clock.aheadMs = -HOUR_MS;
    await look();
    clock.aheadMs = 0;
    expect(Math.abs(await look())).toBeLessThan(1_000);
    clock.aheadMs = -HOUR_MS;
    expect(Math.abs((await look()) + HOUR_MS)).toBeLessThan(1_000);
    const told = logged.filter((line) => !JSON.stringify(line).includes('did not tell')).map((line) => JSON.stringify(line));
    expect(told).toEqual([expect.stringContaining('ahead_seconds'), expect.stringContaining('agrees'), expect.stringContaining('behind_seconds')]);
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
