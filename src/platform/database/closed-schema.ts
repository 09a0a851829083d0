import type { Client } from 'pg';

/**
 * A restored database is closed until its new life has begun: the role of the service may not use the schema. PostgreSQL
 * itself then keeps every process off, also one of an older version, however the restore was broken off. A column could not say
 * so, for a backup may be older than it.
 */
export const CLOSE = 'revoke usage on schema sello from sello_app';

export const OPEN = 'grant usage on schema sello to sello_app';

/** Whether it is closed, as `is_closed`; any login may ask. No row: the database holds nothing of the service, or an empty schema. */
export const IS_CLOSED = `
  select not has_schema_privilege('sello_app', n.oid, 'usage') as is_closed from pg_namespace n
  where n.nspname = 'sello' and exists (select from pg_class c where c.relnamespace = n.oid)`;

/** The same, asked by an owner. */
export async function isClosed(client: Client): Promise<boolean> {
  const { rows: [schema] } = await client.query<{ is_closed: boolean }>(IS_CLOSED);
  return schema?.is_closed === true;
}
