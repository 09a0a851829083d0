import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadMigrations } from '../../src/platform/database/migrations.js';
import { migrationProblems } from '../support/migration-rules.js';

/** Migrations up to this one were written before the service ran anywhere. */
const BEFORE_THE_FIRST = '1795000000026';

describe('migrations', () => {
  const later = readdirSync('migrations').filter((file) => file.endsWith('.sql') && !file.endsWith('.down.sql') && file.slice(0, 13) > BEFORE_THE_FIRST);

  it.each(later)('%s lets the version before it go on serving', (file) => {
    expect(migrationProblems(readFileSync(join('migrations', file), 'utf8'))).toEqual([]);
  });

  it.each([
    ['drop table documents;', /takes away/],
    ['drop function issue_document(uuid);', /takes away/],
    ['alter table documents rename column reason to why;', /renames/],
    ['alter table documents\n  drop column reason;', /takes away a column/],
    ['alter table documents alter column reason type varchar(10);', /changes the type/],
    ['alter table documents add column colour text not null;', /give it a default/],
    ['alter table documents alter column reason set not null;', /reads the whole table/],
    [`alter table documents add constraint c check (total > 0);`, /not valid/],
    ['alter table documents add foreign key (a) references b (c);', /not valid/],
    ['alter table documents add constraint u unique (reason);', /using index/],
    ['create index i on documents (reason);', /concurrently/],
    ['create index concurrently i on documents (reason);', /migration of its own/],
    ['drop index i;', /concurrently/],
    ['drop index concurrently i;', /migration of its own/],
    ['revoke select on documents from sello_app;', /takes a right/],
    ['truncate events;', /lock/],
    ['grant usage on schema sello to sello_worker, sello_app;', /restore was not finished/],
  ])('that say %s do not', (sql, problem) => {
    expect(migrationProblems(sql).join()).toMatch(problem);
  });

  it.each([
    'create table colours (id uuid primary key, name text not null); create index i on colours (name); alter table colours add check (true);',
    "alter table documents add column colour text not null default '';",
    'alter table documents add constraint c check (total > 0) not valid;',
    '-- contract: since 1.3 nothing reads it\nalter table documents drop column reason;',
    '-- without transaction\ncreate index concurrently i on documents (reason);',
    '-- without transaction\ndrop index concurrently if exists i;',
    'create function f() returns void language plpgsql as $$ begin drop table documents; truncate events; end $$;',
    'create or replace function f() returns integer language sql as $$ select 1 $$; -- drop table documents;',
  ])('that say %s do', (sql) => {
    expect(migrationProblems(sql)).toEqual([]);
  });

  it('run outside a transaction where they say so, alone', () => {
    const outside = loadMigrations().map((migration) => new migration()).filter(({ transaction }) => transaction === false);
    const saying = readdirSync('migrations').filter((file) => readFileSync(join('migrations', file), 'utf8').startsWith('-- without transaction\n') && !file.endsWith('.down.sql'));
    expect(outside.length).toBe(saying.length);
  });

  it('name each index that they build beside others once: one of that name that is whole is kept', () => {
    const built = readdirSync('migrations').flatMap((file) =>
      file.endsWith('.down.sql') ? [] : [...readFileSync(join('migrations', file), 'utf8').matchAll(/^create (?:unique )?index concurrently (\w+)/gm)].map(([, name]) => name!));
    expect(built.length).toBeGreaterThan(10);
    expect(built).toEqual([...new Set(built)]);
    const others = readdirSync('migrations').flatMap((file) =>
      file.endsWith('.down.sql') ? [] : [...readFileSync(join('migrations', file), 'utf8').matchAll(/^create (?:unique )?index (\w+)/gm)].map(([, name]) => name!)).filter((name) => name !== 'concurrently');
    expect(others.filter((name) => built.includes(name))).toEqual([]);
  });
});
