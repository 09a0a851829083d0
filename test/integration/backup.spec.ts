import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadBackup } from '../../src/platform/database/backup/load-backup.js';
import { writeBackup } from '../../src/platform/database/backup/write-backup.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const silent = (): void => undefined;

describe('backups', () => {
  let folder: string;
  let source: TestDatabase;
  let target: TestDatabase;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sello-backup-'));
    source = await createTestDatabase();
    await source.query(`insert into tenants (id, name, created_at) values (gen_random_uuid(), 'Business', now())`);
    await writeBackup(source.ownerUrl, join(folder, 'backup'), new Date(), silent);
  });
  afterAll(async () => {
    await source.drop();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    target = await createTestDatabase({ migrated: false });
  });
  afterEach(() => target.drop());

  const restore = (url = target.ownerUrl, report: (line: string) => void = silent) => loadBackup(url, join(folder, 'backup'), null, report);
  const schemas = () => target.query<{ nspname: string }>(`select nspname from pg_namespace where nspname = 'sello'`);
  const tenants = () => target.query('select name from tenants');
  /** Has PostgreSQL do something else than a command of DDL that a program sends. */
  const instead = (command: string, program: string, done: string) => target.query(`
    create function public.instead() returns event_trigger language plpgsql as $$
    begin
      if current_setting('application_name') = '${program}' then ${done}; end if;
    end $$;
    create event trigger instead on ddl_command_start when tag in ('${command}') execute function public.instead()`);
  const asEver = () => target.query('drop event trigger instead; drop function public.instead()');

  it('that fail to be restored in the first migration leave the database as it was', async () => {
    await instead('CREATE FUNCTION', 'sello-restore', `raise 'the disk is full'`);
    await expect(restore()).rejects.toThrow('the disk is full');
    await asEver();
    expect(await schemas()).toEqual([]);
    await restore();
    expect(await tenants()).toEqual([{ name: 'Business' }]);
  });

  it('that fail to be restored leave alone a schema that was there before, and say so', async () => {
    await target.query('create schema sello; create table sello.of_another()');
    await instead('CREATE FUNCTION', 'sello-restore', `raise 'the disk is full'`);
    const said: string[] = [];
    await expect(restore(target.ownerUrl, (line) => said.push(line))).rejects.toThrow('the disk is full');
    expect(said).toEqual(['the schema sello stays as it is now (it was there before): drop it before the next restore']);
    expect(await target.query(`select to_regclass('sello.of_another') is not null as stays`)).toEqual([{ stays: true }]);
  });

  it('are restored once where two begin at the same time', async () => {
    const outcomes = await Promise.allSettled([restore(), restore()]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []))).toEqual([expect.stringContaining('holds a service already')]);
    expect(await tenants()).toEqual([{ name: 'Business' }]);
  });
});
