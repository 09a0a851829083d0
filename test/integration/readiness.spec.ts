import { jest } from '@jest/globals';
import pg, { type Pool } from 'pg';
import { DataSource } from 'typeorm';
import { allMoves } from '../../src/modules/documents/domain/lifecycle.js';
import { CryptoChance } from '../../src/platform/adapters/crypto-chance.js';
import { TimerSleeper } from '../../src/platform/adapters/timer-sleeper.js';
import { serviceDataSourceOptions } from '../../src/platform/database/connection.js';
import { poolOf } from '../../src/platform/database/pool-of.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { HealthChecks, type Readiness } from '../../src/platform/observability/health-checks.js';
import type { Logger } from '../../src/platform/observability/logger.js';
import { Meters } from '../../src/platform/observability/meters.js';
import type { RedisProbe } from '../../src/platform/observability/redis-probe.js';
import type { SigningSelfTest } from '../../src/platform/observability/signing-self-test.js';
import { Envelope } from '../../src/platform/secrets/envelope.js';
import type { KeyWrapper } from '../../src/platform/secrets/key-wrapper.js';
import { LocalKeyring } from '../../src/platform/secrets/local-keyring.js';
import { MasterKeyCheck } from '../../src/platform/secrets/master-key-check.js';
import { VaultTransit } from '../../src/platform/secrets/vault-transit.js';
import { Shutdown } from '../../src/platform/shutdown/shutdown.js';
import { createTestDatabase, fromSetup, type TestDatabase } from '../support/database.js';
import { samplesOf, valueOf } from '../support/exposition.js';
import { inTransaction, lockAwaited } from '../support/held-transaction.js';
import { type SeededTenant, seedTenant } from '../support/seed.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { TRANSIT_TOKEN, TransitEngine } from '../support/transit-engine.js';

const chance = new CryptoChance();
const [OWN, OTHER] = [new LocalKeyring([Buffer.alloc(32, 1)], chance), new LocalKeyring([Buffer.alloc(32, 2)], chance)];
const redis: RedisProbe = { isReachable: () => Promise.resolve(true), recall: () => Promise.resolve(null), note: () => Promise.resolve() };

describe('whether a process is ready', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let service: DataSource;
  let transaction: TenantTransaction;
  let told: string[];
  let meters: Meters;
  let hostSigns: boolean;

  beforeAll(async () => {
    database = await createTestDatabase();
    const { hostname, port } = new URL(database.url);
    proxy = await TcpProxy.start({ host: hostname, port: Number(port) });
  });
  afterAll(async () => {
    await proxy.stop();
    await database.drop();
  });
  beforeEach(async () => {
    await proxy.up();
    service = await new DataSource(serviceDataSourceOptions(proxy.inFrontOf(database.url), 'api', 2, 60)).initialize();
    transaction = new TenantTransaction(service);
    told = [];
    meters = new Meters();
    hostSigns = true;
  });
  afterEach(() => service.destroy());

  const pool = (): Pool => poolOf(service);
  /** For connections that are opened from now on. */
  async function readsOnly(value: 'on' | 'off'): Promise<void> {
    const client = new pg.Client({ connectionString: fromSetup('TEST_POSTGRES_URL') });
    await client.connect();
    await client.query(`alter database ${new URL(database.url).pathname.slice(1)} set default_transaction_read_only = ${value}`);
    await client.end();
    proxy.resetAll();
    while (pool().totalCount > 0) await new Promise(setImmediate);
  }
  function checks(keeper: KeyWrapper = OWN): HealthChecks {
    const note = (_: unknown, text: string): void => void told.push(text);
    const signing = { get failure() { return hostSigns ? null : 'forbidden'; }, passes: () => Promise.resolve(hostSigns) } as unknown as SigningSelfTest;
    const logger = { warn: note, error: note } as unknown as Logger;
    return new HealthChecks(transaction, redis, signing, new MasterKeyCheck(transaction, new Envelope(keeper, chance), new TimerSleeper()), new Shutdown({ SHUTDOWN_SECONDS: 1 }), logger, allMoves(), new TimerSleeper(), meters);
  }
  const verdict = async (health: HealthChecks): Promise<Partial<Readiness['checks']> & { status: string }> => {
    const { status, checks: { postgresql, migrations, signing } } = await health.ready();
    return { status, postgresql, migrations, signing };
  };
  const FINE = { status: 'ok', postgresql: 'ok', migrations: 'ok', signing: 'ok' };

  /** Does it while calls have every connection and another waits for one. */
  async function whileBusy(work: () => Promise<void>): Promise<void> {
    await inTransaction(database, async (owner) => {
      await owner.query('lock table tenants');
      // None of them gives up before, on a machine that is busy with other tests.
      const waiting = [1, 2, 3].map(() => service.query('set lock_timeout = 0; select count(*) from tenants').catch(() => undefined));
      // Two of them have theirs.
      await lockAwaited(database, 2);
      while (pool().waitingCount !== 1) await new Promise(setImmediate);
      await work();
      await owner.query('rollback');
      await Promise.all(waiting);
    });
  }

  it('while calls wait for every connection it is, though not at its best: another would fare no better', async () => {
    const health = checks();
    expect(await verdict(health)).toEqual(FINE);
    await whileBusy(async () => {
      for (const _time of [1, 2]) {
        const asked = verdict(health);
        // It does not wait for its turn.
        expect(pool().waitingCount).toBe(1);
        expect(await asked).toEqual({ ...FINE, status: 'degraded', postgresql: 'degraded' });
      }
    });
    expect(await verdict(health)).toEqual(FINE);
    expect(told).toEqual(['readiness: every connection to PostgreSQL is in use, and calls wait for one']);
  });

  it('it is not where calls wait for connections of which none was answered for long', async () => {
    const health = checks();
    expect(await verdict(health)).toEqual(FINE);
    await whileBusy(async () => {
      pool().options.connectionTimeoutMillis = 100;
      const later = process.hrtime.bigint() + 12_500_000_000n;
      const time = jest.spyOn(process.hrtime, 'bigint').mockReturnValue(later);
      try {
        expect(await verdict(health)).toEqual({ ...FINE, status: 'failing', postgresql: 'failing', migrations: 'failing' });
      } finally {
        time.mockRestore();
      }
    });
  });

  it('while PostgreSQL only reads it says so', async () => {
    await readsOnly('on');
    expect(await verdict(checks())).toEqual({ ...FINE, status: 'degraded', postgresql: 'degraded' });
    await readsOnly('off');
    expect(told).toEqual(['readiness: PostgreSQL only reads, so nothing can be accepted']);
  });

  it('it is not while PostgreSQL is away', async () => {
    const health = checks();
    await health.ready();
    await proxy.down();
    expect(await verdict(health)).toEqual({ ...FINE, status: 'failing', postgresql: 'failing', migrations: 'failing' });
  });

  it('it is not until it has been handed every move that it makes; more do no harm, and those of a newer version are not its own', async () => {
    const health = checks();
    const UNREADY = { ...FINE, status: 'failing', migrations: 'failing' };
    const [move] = await database.query<{ from_status: string; trigger: string; to_status: string }>('delete from document_moves where (from_status, trigger) = (select from_status, trigger from document_moves limit 1) returning *');
    expect([await verdict(health), await health.obstacle()]).toEqual([UNREADY, 'migrations']);
    await database.query(`insert into migrations (timestamp, name) values (9999999999999, 'Newer9999999999999')`);
    expect([await verdict(health), await health.obstacle()]).toEqual([FINE, null]);
    await database.query(`delete from migrations where name = 'Newer9999999999999'`);
    await database.query('insert into document_moves values ($1, $2, $3)', [move!.from_status, move!.trigger, 'ELSEWHERE']);
    expect(await verdict(health)).toEqual(UNREADY);
    await database.query('update document_moves set to_status = $3 where from_status = $1 and trigger = $2', [move!.from_status, move!.trigger, move!.to_status]);
    await database.query(`insert into document_moves values ('DRAFT', 'of_tomorrow', 'VALIDATED')`);
    expect([await verdict(health), await health.obstacle()]).toEqual([FINE, null]);
    await database.query(`delete from document_moves where trigger = 'of_tomorrow'`);
  });

  it('it is not where its host cannot sign, the metrics say so, and a worker does not begin', async () => {
    const health = checks();
    const told = async (): Promise<(number | null)[]> => {
      const samples = samplesOf(await meters.registry.metrics());
      return ['process', 'postgresql', 'migrations', 'signing', 'redis'].map((check) => valueOf(samples, 'sello_ready', { check }));
    };
    expect([await health.obstacle(), await told()]).toEqual([null, [1, 1, 1, 1, 1]]);
    hostSigns = false;
    expect([await health.obstacle(), await told()]).toEqual(['signing', [1, 1, 1, 0, 1]]);
    expect(await verdict(health)).toEqual({ ...FINE, status: 'failing', signing: 'failing' });
  });

  async function seal(seed: SeededTenant, keeper: KeyWrapper): Promise<void> {
    const sealed = await new Envelope(keeper, chance).seal(Buffer.from('key'), seed);
    await database.query('update certificates set sealed_key = $2 where id = $1', [seed.certificateId, sealed]);
  }

  it('it is not where its master key opens none of the signing keys, and is where it opens one', async () => {
    const [mine, others] = [await seedTenant(database), await seedTenant(database, { ruc: '1790012346001' })];
    const fresh = checks();
    expect(await verdict(fresh)).toEqual(FINE);
    await seal(mine, OTHER);
    await seal(others, OTHER);
    expect(await verdict(fresh)).toEqual({ ...FINE, status: 'failing', signing: 'failing' });
    expect(told).toEqual([expect.stringMatching(/^the master key is not the one/)]);
    expect(await fresh.obstacle()).toBe('signing');
    told = [];
    await seal(mine, OWN);
    expect(await verdict(fresh)).toEqual(FINE);
    // Nor while nobody can be asked.
    await seal(mine, OTHER);
    const other = checks();
    expect(await verdict(other)).toEqual({ ...FINE, status: 'failing', signing: 'failing' });
    await whileBusy(async () => expect(await verdict(other)).toEqual({ status: 'failing', postgresql: 'degraded', migrations: 'ok', signing: 'failing' }));
    await seal(mine, OWN);
    // Known once it is not asked for again.
    await seal(mine, OTHER);
    expect(await verdict(fresh)).toEqual(FINE);
  });

  it('it is not where its Vault holds another key under the same name, and is while nobody can tell; one damaged key proves nothing', async () => {
    await database.query('update certificates set is_active = false');
    const [first, second] = [await seedTenant(database, { ruc: '1790012347001' }), await seedTenant(database, { ruc: '1790012348001' })];
    const engine = await TransitEngine.start();
    try {
      const vault = new VaultTransit(engine.url, () => TRANSIT_TOKEN);
      for (const seed of [first, second]) await seal(seed, vault);
      await database.query(`update certificates set sealed_key = 'damage' where id = $1`, [second.certificateId]);
      const UNREADY = { ...FINE, status: 'failing', signing: 'failing' };
      const right = checks(vault);
      expect(await verdict(right)).toEqual(FINE);

      const key = engine.versions[0]!;
      engine.versions[0] = Buffer.alloc(32, 3);
      const wrong = checks(vault);
      expect([await verdict(wrong), await wrong.obstacle()]).toEqual([UNREADY, 'signing']);
      expect(told).toContainEqual(expect.stringMatching(/^the master key is not the one/));
      engine.versions[0] = key;
      expect([await verdict(wrong), await wrong.obstacle()]).toEqual([FINE, null]);

      engine.isSealed = true;
      const unsure = checks(vault);
      expect(await verdict(unsure)).toEqual(FINE);
      engine.isSealed = false;
      engine.versions[0] = Buffer.alloc(32, 3);
      expect(await verdict(unsure)).toEqual(UNREADY);
      engine.isSilent = true;
      expect(await verdict(unsure)).toEqual(FINE);
    } finally {
      engine.stop();
    }
  });

  it('it is where the newest keys are damaged, for their master key is at hand', async () => {
    await database.query('update certificates set is_active = false');
    const [seed, other] = [await seedTenant(database, { ruc: '1790012350001' }), await seedTenant(database, { ruc: '1790012351001' })];
    await seal(other, OWN);
    await database.query('update certificates c set sealed_key = o.sealed_key from certificates o where c.id = $1 and o.id = $2', [seed.certificateId, other.certificateId]);
    await database.query('update certificates set is_active = false where id = $1', [other.certificateId]);
    expect(await verdict(checks(OWN))).toEqual(FINE);
  });

  it('what a process is told of the newest keys is no more than it must open', async () => {
    const seed = await seedTenant(database, { ruc: '1790012349001' });
    await seal(seed, OWN);
    const [row] = await database.query<{ head: Buffer; sealed_key: Buffer }>('select k.head, c.sealed_key from newest_wrapped_keys(1) k join certificates c on c.id = k.certificate_id where c.id = $1', [seed.certificateId]);
    const BOX = 'key'.length + 28;
    expect(row!.head).toEqual(row!.sealed_key.subarray(0, -BOX));
  });
});
