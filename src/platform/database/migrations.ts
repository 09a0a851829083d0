import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { CLOSE } from './closed-schema.js';
import { LEND_ROLES, TAKE_BACK } from './schema-roles.js';

type MigrationClass = new () => MigrationInterface;

/** `migrations/` at the project's root, wherever this file runs from (sources or build). */
export function migrationsFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'migrations')) || !existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('the folder migrations/ was not found above the program');
    folder = parent;
  }
  return join(folder, 'migrations');
}

/**
 * One TypeORM migration per `<timestamp>-<name>.sql` file; its undoing stands in
 * `<timestamp>-<name>.down.sql`. SQL is the source: what runs is what is read.
 *
 * @param closing whether each leaves the schema closed to the service, as a restore wants it however early it is broken off
 */
export function loadMigrations({ closing = false } = {}): MigrationClass[] {
  const folder = migrationsFolder();
  const after = closing ? `${TAKE_BACK}; ${CLOSE}` : TAKE_BACK;
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql') && !file.endsWith('.down.sql'))
    .sort()
    .map((file) => {
      const [timestamp = '', ...words] = file.replace(/\.sql$/, '').split('-');
      const up = readFileSync(join(folder, file), 'utf8');
      const down = readFileSync(join(folder, file.replace(/\.sql$/, '.down.sql')), 'utf8');
      return class implements MigrationInterface {
        // TypeORM orders migrations by the number that ends the name.
        readonly name = `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}${timestamp}`;
        /** An index that is built or dropped concurrently cannot be in a transaction; it is its file's only statement. */
        readonly transaction = !up.startsWith('-- without transaction\n');
        up(runner: QueryRunner): Promise<void> {
          return this.transaction ? whole(runner, up, after) : beside(runner, up);
        }
        down(runner: QueryRunner): Promise<void> {
          return whole(runner, down, after);
        }
      };
    });
}

async function whole(runner: QueryRunner, statements: string, after: string): Promise<void> {
  await runner.query(LEND_ROLES);
  await runner.query(statements);
  await runner.query(after);
}

/** The server would build on after a command that was ended, and the next one would meet it. One on Windows cannot see who left. */
const END_WITH_US = 'do $$ begin set client_connection_check_interval = 5000; exception when invalid_parameter_value then null; end $$';

/**
 * Builds or drops one index. Nobody has to wait for it, so it waits for transactions under way as long as they take. An index of
 * that name is of a run that did not come to its end: one that was finished is kept, for it may have taken hours, and one that was
 * not is built anew.
 */
async function beside(runner: QueryRunner, statement: string): Promise<void> {
  const built = /^create (?:unique )?index concurrently (\w+)/m.exec(statement)?.[1];
  await runner.query('set lock_timeout = 0');
  await runner.query(END_WITH_US);
  try {
    if (built !== undefined) {
      if (await isUsable(runner, built)) return;
      await runner.query(`drop index concurrently if exists ${built}`);
    }
    await runner.query(statement);
  } finally {
    await runner.query('reset lock_timeout');
    await runner.query('reset client_connection_check_interval');
  }
}

async function isUsable(runner: QueryRunner, index: string): Promise<boolean> {
  const rows = (await runner.query('select from pg_index where indexrelid = to_regclass($1) and indisvalid', [index])) as unknown[];
  return rows.length > 0;
}
