import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface TestDatabase {
  /** Address with the service's login: acts under row security. */
  readonly url: string;
  /** Address with the schema owner's login: sees everything. */
  readonly ownerUrl: string;
  /** Runs one statement as the owner, on a connection of its own. */
  query<Row extends pg.QueryResultRow>(sql: string, parameters?: unknown[]): Promise<Row[]>;
  /** Ends all connections to the database and removes it. */
  drop(): Promise<void>;
}

/** What the test command's set-up left in the environment; fails with a hint when it did not run. */
export function fromSetup(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: run this file in Jest's project "system"`);
  return value;
}

/** A migrated, empty database of its own, cloned from the template within milliseconds; or one that holds nothing at all. */
export async function createTestDatabase({ migrated = true } = {}): Promise<TestDatabase> {
  const name = `test_${process.env['JEST_WORKER_ID'] ?? '0'}_${randomBytes(6).toString('hex')}`;
  await maintain(migrated ? `create database ${name} template ${fromSetup('TEST_TEMPLATE_DB')}` : `create database ${name}`);
  const ownerUrl = withDatabase(fromSetup('TEST_POSTGRES_URL'), name);
  return {
    url: withDatabase(fromSetup('TEST_POSTGRES_SERVICE_URL'), name),
    ownerUrl,
    query: (sql, parameters) => query(ownerUrl, sql, parameters),
    drop: () => maintain(`drop database if exists ${name} with (force)`),
  };
}

async function maintain(statement: string): Promise<void> {
  await query(fromSetup('TEST_POSTGRES_URL'), statement);
}

async function query<Row extends pg.QueryResultRow>(url: string, sql: string, parameters: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=sello,public' });
  await client.connect();
  try {
    return (await client.query<Row>(sql, parameters)).rows;
  } finally {
    await client.end();
  }
}

function withDatabase(address: string, name: string): string {
  const url = new URL(address);
  url.pathname = `/${name}`;
  return url.href;
}
