import type { Client } from 'pg';

/** The oldest major version of PostgreSQL that the service is tested on. */
export const OLDEST = 15;

/**
 * Whether a server is new enough.
 *
 * @param version its `server_version_num`, such as 150018
 * @returns what is wrong and what to do; null when nothing is
 */
export function serverVersionProblem(version: number): string | null {
  const major = Math.floor(version / 10_000);
  return major >= OLDEST ? null : `DATABASE_OWNER_URL: the server is PostgreSQL ${major}; upgrade it to ${OLDEST} or later, which the service needs`;
}

/** What makes the database unfit for the service, by its version and encoding; null when nothing does. */
export async function unfitness(client: Client): Promise<string | null> {
  const { rows } = await client.query<{ version: number; encoding: string }>(`select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`);
  return serverVersionProblem(rows[0]?.version ?? 0) ?? encodingProblem(rows[0]?.encoding ?? 'unknown');
}

/**
 * Whether a database keeps texts as the service needs it: names are compared by Unicode's forms, which PostgreSQL knows in one
 * encoding only. In another, such as that of a cluster that was made without a locale, no document could be stored.
 *
 * @param encoding its `server_encoding`
 * @returns what is wrong and what to do; null when nothing is
 */
export function encodingProblem(encoding: string): string | null {
  return encoding === 'UTF8' ? null : `DATABASE_OWNER_URL: the database's encoding is ${encoding}; make one with encoding 'UTF8' (create database ... encoding 'UTF8' template template0)`;
}
