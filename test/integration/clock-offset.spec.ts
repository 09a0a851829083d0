import { DataSource } from 'typeorm';
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

  const offset = (aheadMs: number): ClockOffset =>
    new ClockOffset(new TenantTransaction(service), { now: () => new Date(Date.now() + aheadMs) }, new Meters());

  it.each([
    ['an hour ahead', HOUR_MS, 3_600],
    ['an hour behind', -HOUR_MS, -3_600],
    ['right', 0, 0],
  ])('is told where it is %s', async (_, aheadMs, seconds) => {
    const told = (await offset(aheadMs).seconds()) ?? NaN;
    // What the question took is taken off, and no more.
    expect(Math.abs(told)).toBeLessThanOrEqual(Math.abs(seconds) + SAME_CLOCK_S);
    expect(Math.abs(told - seconds)).toBeLessThan(60);
  });

  it('is none where PostgreSQL is slow to answer', async () => {
    const held = service.query('select pg_sleep(1)');
    const told = await offset(0).seconds();
    await held;
    expect(Math.abs(told ?? NaN)).toBeLessThan(SAME_CLOCK_S);
  });

  it('is not told while PostgreSQL is away', async () => {
    await service.destroy();
    expect(await offset(0).seconds()).toBeNull();
  });
});
