import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface TestDatabase {
  readonly name: string;
  /** Address with the service's login: acts under row security. */
  readonly url: string;
  /** Address with the schema owner's login: sees everything. */
  readonly ownerUrl: string;
  /** Runs statements as the owner, on a connection that serves others afterwards: settings are made by `set local`. */
  query<Row extends pg.QueryResultRow>(sql: string, parameters?: unknown[]): Promise<Row[]>;
  /** Has PostgreSQL count at once in its statistics what `query` has done: it may do so seconds later, as if somebody else had done it then. */
  counted(): Promise<void>;
  /** Ends the connections of `query`, which begins new ones when it is used again. */
  close(): Promise<void>;
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
  return testDatabase(name);
}

/** A database that exists. */
export function testDatabase(name: string): TestDatabase {
  const ownerUrl = withDatabase(fromSetup('TEST_POSTGRES_URL'), name);
  let pool: pg.Pool | null = null;
  const close = async (): Promise<void> => {
    const ended = pool;
    pool = null;
    await ended?.end();
  };
  return {
    name,
    url: withDatabase(fromSetup('TEST_POSTGRES_SERVICE_URL'), name),
    ownerUrl,
    async query<Row extends pg.QueryResultRow>(sql: string, parameters: unknown[] = []) {
      pool ??= ownerPool(ownerUrl);
      return (await pool.query<Row>(sql, parameters)).rows;
    },
    async counted() {
      const used = pool;
      // At the same time, so that each has a connection of its own.
      if (used !== null) await Promise.all(Array.from({ length: CONNECTIONS }, () => used.query('select pg_stat_force_next_flush()')));
    },
    close,
    async drop() {
      await close();
      await maintain(`drop database if exists ${name} with (force)`);
    },
  };
}

const CONNECTIONS = 4;

/** Thousands of connections that serve one statement each would take a noticeable part of all processor time. */
function ownerPool(ownerUrl: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: ownerUrl, options: '-c search_path=sello,public', max: CONNECTIONS, idleTimeoutMillis: 5_000, allowExitOnIdle: true });
  // Of a connection that nobody uses: a test ended it, or its server. The next statement gets a new one.
  pool.on('error', () => undefined);
  return pool;
}

async function maintain(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: fromSetup('TEST_POSTGRES_URL') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function withDatabase(address: string, name: string): string {
  const url = new URL(address);
  url.pathname = `/${name}`;
  return url.href;
}
