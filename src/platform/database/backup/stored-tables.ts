import type { Client } from 'pg';

/** A table whose rows a backup keeps. */
export interface StoredTable {
  readonly name: string;
  /** All but computed ones. */
  readonly columns: readonly string[];
}

/** Written anew by `npm run migrate`. */
const NOT_KEPT = ['migrations', 'document_moves'];

const TABLES = `
  select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns,
    array(select distinct r.relname::text from pg_constraint f join pg_class r on r.oid = f.confrelid
          where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as needs
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where c.relnamespace = 'sello'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> all ($1)
  group by c.oid, c.relname order by c.relname`;

interface Row extends StoredTable {
  readonly needs: readonly string[];
}

/** The tables of the schema, each after those that its rows refer to. Partitions come with their table. */
export async function storedTables(client: Client): Promise<StoredTable[]> {
  const { rows } = await client.query<Row>(TABLES, [NOT_KEPT]);
  const ordered: StoredTable[] = [];
  let waiting = rows;
  while (waiting.length > 0) {
    const ready = waiting.filter(({ needs }) => needs.every((other) => !waiting.some(({ name }) => name === other)));
    if (ready.length === 0) throw new Error(`tables refer to each other in a circle: ${waiting.map(({ name }) => name).join(', ')}`);
    ordered.push(...ready.map(({ name, columns }) => ({ name, columns })));
    waiting = waiting.filter((table) => !ready.includes(table));
  }
  return ordered;
}

/** `"a", "b"` */
export const columnList = (client: Client, columns: readonly string[]): string => columns.map((column) => client.escapeIdentifier(column)).join(', ');
