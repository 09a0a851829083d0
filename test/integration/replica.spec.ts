import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ConfigModule } from '../../src/config/config.module.js';
import { readSettings } from '../../src/config/settings.js';
import { AuditLogRepository } from '../../src/modules/audit/persistence/audit-log.repository.js';
import type { DocumentFilter } from '../../src/modules/documents/domain/document-filter.js';
import { BEGINNING, DocumentExportsRepository } from '../../src/modules/documents/persistence/document-exports.repository.js';
import { DocumentListsRepository } from '../../src/modules/documents/persistence/document-lists.repository.js';
import { AdaptersModule } from '../../src/platform/adapters/adapters.module.js';
import { DatabaseModule } from '../../src/platform/database/database.module.js';
import { ListReads } from '../../src/platform/database/list-reads.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { Meters } from '../../src/platform/observability/meters.js';
import { ObservabilityModule } from '../../src/platform/observability/observability.module.js';
import { DataSource, type EntityManager } from 'typeorm';
import { samplesOf, valueOf } from '../support/exposition.js';
import { issueBySql, type SeededTenant, seedTenant } from '../support/seed.js';
import { StreamingReplica } from '../support/streaming-replica.js';
import { TcpProxy } from '../support/tcp-proxy.js';

const EVERYTHING: DocumentFilter = { status: null, documentType: null, issuerId: null, buyerId: null, issuedFrom: null, issuedTo: null, accessKey: null, modifiedDocumentId: null, text: null };

class Program {
  static readonly module = { module: Program };
}

describe('a replica that follows the database', () => {
  let servers: StreamingReplica;
  let proxy: TcpProxy;
  let app: INestApplicationContext;
  let reads: ListReads;
  let primary: TenantTransaction;
  let mine: SeededTenant;
  let theirs: SeededTenant;

  const issue = async (tenant: SeededTenant): Promise<unknown> => issueBySql(app.get(DataSource), tenant);
  const isReplica = async (): Promise<boolean> => {
    const [row] = await reads.readOneMoment(mine.tenantId, (manager) => manager.query<{ standby: boolean }[]>('select pg_is_in_recovery() as standby'));
    return row?.standby ?? false;
  };
  const until = async (condition: () => Promise<boolean>): Promise<void> => {
    const end = Date.now() + 90_000;
    while (!(await condition())) {
      if (Date.now() > end) throw new Error('it did not come to pass within 90 s');
      await sleep(100);
    }
  };
  const counted = async (): Promise<number> => (await new DocumentListsRepository(reads).page(mine.tenantId, EVERYTHING, 100, 0)).total;

  beforeAll(async () => {
    servers = await StreamingReplica.start();
    const standby = new URL(servers.standbyUrl);
    proxy = await TcpProxy.start({ host: standby.hostname, port: Number(standby.port) });
    const settings = readSettings({
      APP_ENV: 'sandbox', DATABASE_URL: servers.primaryUrl, DATABASE_REPLICA_URL: proxy.inFrontOf(servers.standbyUrl), DATABASE_REPLICA_MAX_LAG_SECONDS: '5',
      REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'silent',
    });
    app = await NestFactory.createApplicationContext({ ...Program.module, imports: [ConfigModule.with(settings), AdaptersModule, ObservabilityModule, DatabaseModule.of('api')] }, { logger: ['error'], abortOnError: false });
    reads = app.get(ListReads);
    primary = app.get(TenantTransaction);
    const database = { query: <Row extends Record<string, unknown>>(sql: string, parameters?: unknown[]) => servers.query<Row>('primary', sql, parameters) };
    mine = await seedTenant(database as Parameters<typeof seedTenant>[0]);
    theirs = await seedTenant(database as Parameters<typeof seedTenant>[0], { ruc: '0992345678001' });
    for (const tenant of [mine, mine, theirs]) await issue(tenant);
    await until(isReplica);
    await until(async () => (await counted()) === 2);
  });
  afterAll(async () => {
    await app.close();
    await proxy.stop();
    await servers.stop();
  });

  it('has connections of its own, which are told apart', async () => {
    const used = async (): Promise<(number | null)[]> => {
      const samples = samplesOf(await app.get(Meters).registry.metrics());
      return ['primary', 'replica'].map((database) => valueOf(samples, 'sello_database_connections', { database, state: 'busy' }));
    };
    // The look at the replica, every two seconds, may be under way.
    await until(async () => JSON.stringify(await used()) === '[0,0]');
    await reads.readOneMoment(mine.tenantId, async () => {
      await until(async () => (await used())[0] === 0);
      expect((await used())[1]).toBeGreaterThanOrEqual(1);
    });
    const samples = samplesOf(await app.get(Meters).registry.metrics());
    expect(['primary', 'replica'].map((database) => valueOf(samples, 'sello_database_pool_size', { database }))).toEqual([20, 20]);
  });

  it('is where lists, searches, exports and the audit log are read, each tenant its own', async () => {
    await until(isReplica);
    for (const filter of [EVERYTHING, { ...EVERYTHING, text: '001-002-000000001' }, { ...EVERYTHING, status: 'NUMBER_RESERVED' as const }]) {
      const here = await new DocumentListsRepository(reads).page(mine.tenantId, filter, 100, 0);
      expect(here).toEqual(await new DocumentListsRepository(primary).page(mine.tenantId, filter, 100, 0));
      expect(here.items.every(({ issuer_id }) => issuer_id === mine.issuerId)).toBe(true);
    }
    const exported = async (from: ListReads): Promise<unknown[]> => {
      const rows = [];
      for await (const batch of new DocumentExportsRepository(from).batches(theirs.tenantId, EVERYTHING, BEGINNING)) rows.push(...batch);
      return rows;
    };
    expect(await exported(reads)).toEqual(await exported(primary));
    expect(await exported(reads)).toHaveLength(1);
    expect(await new AuditLogRepository(reads).list(mine.tenantId, { action: null, actorId: null, from: null, until: null }, 10, 0)).toEqual({ rows: [], total: 0 });
    const seen = await reads.readOneMoment(mine.tenantId, (manager) => manager.query<{ tenant_id: string }[]>('select distinct tenant_id from documents'));
    expect(seen).toEqual([{ tenant_id: mine.tenantId }]);
  });

  it('gives whole exports, also of what a clock ahead says was created later', async () => {
    await servers.query('primary', `update sello.documents set created_at = now() + interval '1 hour' where tenant_id = '${theirs.tenantId}'`);
    const isSeen = async (): Promise<boolean> => (await servers.query<{ seen: boolean }>('standby', `select created_at > now() as seen from sello.documents where tenant_id = '${theirs.tenantId}'`))[0]!.seen;
    await until(isSeen);
    for (const from of [reads, primary]) {
      const rows = [];
      for await (const batch of new DocumentExportsRepository(from).batches(theirs.tenantId, EVERYTHING, BEGINNING)) rows.push(...batch);
      expect(rows).toHaveLength(1);
    }
  });

  it('gives way to the primary while it cannot be reached, and takes over again', async () => {
    await proxy.down();
    expect(await isReplica()).toBe(false);
    expect(await counted()).toBe(2);
    await expect(reads.readOneMoment(mine.tenantId, (manager) => manager.query('delete from documents'))).rejects.toThrow(/read-only transaction/);
    await proxy.up();
    await until(isReplica);
    await expect(reads.readOneMoment(mine.tenantId, (manager) => manager.query('delete from documents'))).rejects.toThrow(/read-only transaction/);
    expect(await isReplica()).toBe(true);
  });

  it('gives way to the primary while it is too far behind', async () => {
    let issued = 2;
    /** Counts while the replica is behind by one document; again where it was too far behind before it was asked. */
    const behind = async (): Promise<boolean> => {
      await servers.query('standby', 'select pg_wal_replay_resume()');
      await until(async () => (await isReplica()) && (await counted()) === issued);
      await servers.query('standby', 'select pg_wal_replay_pause()');
      await issue(mine);
      issued += 1;
      const seen = await counted();
      if (!(await isReplica())) return false;
      expect(seen).toBe(issued - 1);
      return true;
    };
    await until(behind);
    await until(async () => !(await isReplica()));
    expect(await counted()).toBe(issued);
    await servers.query('standby', 'select pg_wal_replay_resume()');
    await until(isReplica);
    expect(await counted()).toBe(issued);
  });

  it.each(['the replica', 'the primary'])('is read as of one moment: %s', async (where) => {
    const count = async (manager: EntityManager): Promise<unknown> => manager.query('select count(*) from documents');
    const anew = async (): Promise<unknown> => reads.readOneMoment(mine.tenantId, count);
    if (where === 'the primary') await proxy.down();
    await until(async () => (await isReplica()) === (where === 'the replica'));
    await reads.readOneMoment(mine.tenantId, async (manager) => {
      const before = await count(manager);
      await issue(mine);
      await until(async () => JSON.stringify(await anew()) !== JSON.stringify(before));
      expect(await count(manager)).toEqual(before);
    });
    await proxy.up();
    await until(isReplica);
  });

  it('is given signs of life again after the clock of the primary was put back', async () => {
    const [put] = await servers.query<{ at: Date }>('primary', `update sello.replica_beat set at = clock_timestamp() + interval '1 hour' returning at`);
    await until(async () => (await servers.query<{ at: Date }>('primary', 'select at from sello.replica_beat'))[0]!.at < put!.at);
    await until(isReplica);
  });

  it('gives way to the primary while its own clock is so far behind that its lag does not show', async () => {
    const isAhead = async (): Promise<boolean> => (await servers.query<{ ahead: boolean }>('standby', `select at > clock_timestamp() + interval '30 minutes' as ahead from sello.replica_beat`))[0]!.ahead;
    // The next sign of life may come in between.
    const caught = async (): Promise<boolean> => {
      await servers.query('standby', 'select pg_wal_replay_resume()');
      await servers.query('primary', `update sello.replica_beat set at = clock_timestamp() + interval '1 hour'`);
      for (let look = 0; look < 20 && !(await isAhead()); look += 1) await sleep(10);
      await servers.query('standby', 'select pg_wal_replay_pause()');
      return isAhead();
    };
    await until(caught);
    await until(async () => !(await isReplica()));
    await servers.query('standby', 'select pg_wal_replay_resume()');
    await until(isReplica);
  });
});
