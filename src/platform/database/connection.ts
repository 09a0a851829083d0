import type { DataSourceOptions } from 'typeorm';
import { loadMigrations } from './migrations.js';
import { WatchfulClient } from './watchful-client.js';

/** The role the service acts under: row security applies to it and it owns nothing. */
const SERVICE_ROLE = 'sello_app';

/** What opened a session, as `pg_stat_activity` shows it to operators. */
export type Program = 'api' | 'worker' | 'migrate' | 'backup' | 'restore' | 'after-restore' | 'retention' | 'rotate-master-key' | 'provision' | 'mail-bounce' | 'citus';

export const applicationName = (program: Program): string => `sello-${program}`;

/**
 * What every session goes by, whatever the server, the database or the login has set: how dates and strings are written and
 * read, that a statement sees what was committed before it, which the SQL functions rely on, and that the server notices within
 * two minutes that whoever opened it is gone: else it would keep what the session holds, such as the turn to migrate, for hours.
 */
export const SESSION = [
  '-c timezone=UTC -c datestyle=ISO,MDY -c intervalstyle=postgres -c standard_conforming_strings=on -c default_transaction_isolation=read\\ committed',
  '-c tcp_keepalives_idle=60 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3',
].join(' ');

/** A server that vanished without a word is noticed by the kernel, and a router does not forget a connection that is silent for long. */
export const KEPT_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const;

/**
 * Connection of the service: acts as `sello_app` from the first statement on,
 * fails fast when the pool is exhausted, and waits for ever neither on a lock nor
 * on a connection that fell silent.
 */
export function serviceDataSourceOptions(url: string, program: Program, poolSize: number, waitSeconds = 2): DataSourceOptions {
  return {
    type: 'postgres',
    url,
    entities: [],
    synchronize: false,
    extra: {
      Client: WatchfulClient,
      application_name: applicationName(program),
      max: poolSize,
      connectionTimeoutMillis: waitSeconds * 1_000,
      // Shorter than the wait for a silent server: connections that died unnoticed are gone before each is tried in turn.
      idleTimeoutMillis: 10_000,
      ...KEPT_ALIVE,
      options: [
        `-c role=${SERVICE_ROLE}`,
        '-c search_path=sello',
        SESSION,
        // Statements here last milliseconds. Before version 18, a way of reading that a function turns off counts as so expensive
        // that the statement would be compiled each time (docs/adr/018-queues-are-read-by-key.md).
        '-c jit=off',
        '-c statement_timeout=10000',
        '-c lock_timeout=5000',
        '-c idle_in_transaction_session_timeout=15000',
      ].join(' '),
    },
  };
}

/**
 * Connection of the schema's owner: migrations and operator's acts only. Whoever waits for a lock on a table holds up all
 * who come after, so it waits shorter than they do. An index takes as long as its table is big: a bound that the server has
 * set would keep it from ever being built.
 */
export function ownerDataSourceOptions(url: string, program: Program): DataSourceOptions {
  return {
    type: 'postgres',
    url,
    entities: [],
    migrations: loadMigrations(),
    migrationsTableName: 'migrations',
    migrationsTransactionMode: 'each',
    synchronize: false,
    extra: { ...KEPT_ALIVE, application_name: applicationName(program), max: 2, options: `-c search_path=sello ${SESSION} -c statement_timeout=0 -c lock_timeout=3000` },
  };
}
