import pg from 'pg';
import { pino } from 'pino';
import { DataSource } from 'typeorm';
import { SystemClock } from '../../src/platform/adapters/system-clock.js';
import { TimerSleeper } from '../../src/platform/adapters/timer-sleeper.js';
import { serviceDataSourceOptions } from '../../src/platform/database/connection.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { Figures } from '../../src/platform/observability/figures.js';
import { Meters } from '../../src/platform/observability/meters.js';
import { StepGates } from '../../src/platform/outbox/step-gates.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { samplesOf, valueOf } from '../support/exposition.js';

describe('what a worker tells of due work', () => {
  let database: TestDatabase;
  let owner: pg.Client;
  let service: DataSource;

  beforeAll(async () => {
    database = await createTestDatabase();
    owner = new pg.Client({ connectionString: database.ownerUrl, options: '-c search_path=sello,public' });
    await owner.connect();
    service = await new DataSource(serviceDataSourceOptions(database.url, 'worker', 2)).initialize();
  });
  afterAll(async () => {
    await service.destroy();
    await owner.end();
    await database.drop();
  });

  class Noted extends TenantTransaction {
    readonly asked: string[] = [];
    override withoutTenant<Row>(...call: Parameters<TenantTransaction['withoutTenant']>): Promise<Row[]> {
      this.asked.push(call[0] as string);
      return super.withoutTenant<Row>(...call);
    }
  }

  it('is left out while PostgreSQL is slow, and keeps nobody from the other metrics', async () => {
    const transaction = new Noted(service);
    const lines: string[] = [];
    const clock = new SystemClock();
    const started = clock.now();
    const meters = new Meters();
    meters.gauge('documentsInHand', () => [{ labels: {}, value: 3 }]);
    let now = started;
    new Figures(transaction, meters, new StepGates(), { now: () => now }, new TimerSleeper(), pino({}, { write: (line) => void lines.push(line) }));
    const told = async (): Promise<ReturnType<typeof samplesOf>> => samplesOf(await meters.registry.metrics());

    await owner.query('begin');
    // Nobody can count due work meanwhile; the statement itself would give up after five seconds.
    await owner.query('lock table outbox in access exclusive mode');
    const slow = await told();
    await owner.query('rollback');
    expect(['sello_outbox_lag_seconds', 'sello_documents_moving', 'sello_queue_dead_rows', 'sello_due_work_age_seconds'].map((name) => valueOf(slow, name))).toEqual([null, null, null, null]);
    expect(valueOf(slow, 'sello_worker_documents_in_hand')).toBe(3);
    expect(valueOf(await told(), 'sello_figures_failed_total')).toBe(1);
    expect(lines).toEqual([expect.stringContaining('no answer within 2000 ms')]);
    // The statement that came too late is answered now, and none comes after it.
    await service.query('select pg_sleep(0.2)');
    expect(transaction.asked).toEqual([expect.stringContaining('work_ages')]);

    now = new Date(started.getTime() + 10_000);
    expect(valueOf(await told(), 'sello_outbox_lag_seconds')).toBe(0);
    expect(transaction.asked).toHaveLength(4);
  });
});
