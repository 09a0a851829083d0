import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MigrationInterface, QueryRunner } from 'typeorm';
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
 */
export function loadMigrations(folder = migrationsFolder()): MigrationClass[] {
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
        /** What builds an index beside those who write cannot run within one; it is its file's only statement. */
        readonly transaction = !up.startsWith('-- without transaction\n');
        async up(runner: QueryRunner): Promise<void> {
          await runner.query(LEND_ROLES);
          await runner.query(up);
          await runner.query(TAKE_BACK);
        }
        async down(runner: QueryRunner): Promise<void> {
          await runner.query(LEND_ROLES);
          await runner.query(down);
          await runner.query(TAKE_BACK);
        }
      };
    });
}
