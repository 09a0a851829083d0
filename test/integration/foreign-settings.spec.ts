import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { migrate } from '../../src/operations/migrate.js';
import { loadBackup } from '../../src/platform/database/backup/load-backup.js';
import { writeBackup } from '../../src/platform/database/backup/write-backup.js';
import { ownerDataSourceOptions } from '../../src/platform/database/connection.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { issueBySql, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';

/** What an operator or a hosting may have set for all who come; the third of August is the eighth of March to such a session. */
const SETTINGS = {
  DateStyle: `'SQL, DMY'`, IntervalStyle: 'sql_standard', TimeZone: `'Pacific/Auckland'`, standard_conforming_strings: 'off',
  default_transaction_isolation: `'serializable'`,
};

describe('a database with settings of its own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sello-settings-'));
  let database: TestDatabase;
  let elsewhere: TestDatabase;

  const set = (name: string, value: string): Promise<unknown> => database.query(`alter database ${new URL(database.ownerUrl).pathname.slice(1)} set ${name} = ${value}`);

  beforeAll(async () => {
    database = await createTestDatabase({ migrated: false });
    elsewhere = await createTestDatabase({ migrated: false });
    for (const [name, value] of Object.entries(SETTINGS)) await set(name, value);
  });
  afterAll(async () => {
    await Promise.all([database.drop(), elsewhere.drop()]);
    rmSync(folder, { recursive: true, force: true });
  });

  it('is migrated as any other', async () => {
    await migrate(database.ownerUrl, () => undefined);
  });

  it('reads and writes days, times and texts as any other, each statement seeing what was committed before it', async () => {
    const service = await serviceConnections(database.url, 'api', 1);
    try {
      await issueBySql(service, await seedTenant(database));
      const [shown] = await service.query<Record<string, unknown>[]>(
        `select timestamptz '2026-08-03 04:05:06+00' as at, date '2026-08-03' as day, '08/03/2026'::date::text as text, '\\d' as pattern, make_interval(days => -1, hours => 2)::text as span,
           current_setting('transaction_isolation') as isolation`);
      expect(shown).toEqual({ at: new Date('2026-08-03T04:05:06Z'), day: new Date(2026, 7, 3), text: '2026-08-03', pattern: '\\d', span: '-1 days +02:00:00', isolation: 'read committed' });
      await service.query('select from documents_meant($1, null, null, null, null, null, null, null, null)', ['a\\b%_']);
    } finally {
      await service.destroy();
    }
  });

  it('is kept in a backup that says the same everywhere', async () => {
    await writeBackup(database.ownerUrl, join(folder, 'backup'), new Date(), () => undefined);
    await loadBackup(elsewhere.ownerUrl, join(folder, 'backup'), null, () => undefined);
    const days = `select to_char(issue_date, 'YYYY-MM-DD') as day, extract(epoch from created_at)::text as at from documents`;
    expect(await elsewhere.query(days)).toEqual(await database.query(days));
  });

  it('is restored into no database of another encoding', async () => {
    const ascii = new URL(database.ownerUrl);
    ascii.pathname += '_ascii';
    const name = ascii.pathname.slice(1);
    await database.query(`create database ${name} encoding 'SQL_ASCII' template template0 locale 'C'`);
    try {
      await expect(loadBackup(ascii.href, join(folder, 'backup'), null, () => undefined)).rejects.toThrow('encoding is SQL_ASCII; make one');
    } finally {
      await database.query(`drop database ${name}`);
    }
  });

  it('takes from nobody who migrates the time that an index needs', async () => {
    await set('statement_timeout', '1');
    const owner = await new DataSource(ownerDataSourceOptions(database.ownerUrl, 'migrate')).initialize();
    await owner.query('select pg_sleep(0.05)').finally(() => owner.destroy());
  });
});
