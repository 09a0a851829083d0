import { connectAsOwner } from './owner-client.js';

/** The column that says whose a row is: what tables are distributed by. */
const TENANT = 'tenant_id';

/**
 * Tables that every node keeps whole although rows are tenants': they are asked before the tenant of a call is known, or
 * hold what must be unique over all tenants. Few rows, seldom written.
 */
const KEPT_WHOLE = ['tenants', 'api_keys', 'members', 'verified_rucs'];

/** The first to be distributed; all others lie beside it, so that a tenant is whole on one node. */
const ANCHOR = 'issuers';

export interface TableOfCatalogue {
  readonly name: string;
  readonly hasTenant: boolean;
  readonly hasTriggers: boolean;
  readonly uniqueIndexes: readonly { readonly name: string; readonly columns: readonly string[] }[];
  readonly foreignKeys: readonly { readonly name: string; readonly to: string; readonly columns: readonly string[]; readonly toColumns: readonly string[] }[];
}

/** Why a schema cannot be distributed, one line for each constraint in the way. */
export class NotDistributable extends Error {
  constructor(readonly reasons: readonly string[]) {
    super(`the schema cannot be distributed by ${TENANT}:\n${reasons.map((reason) => `  ${reason}`).join('\n')}`);
  }
}

/** The tables of the schema with what Citus asks of them, as the catalogue has them. */
export async function readTables(ownerUrl: string): Promise<TableOfCatalogue[]> {
  const client = await connectAsOwner(ownerUrl, 'citus');
  try {
    const { rows } = await client.query<{ tables: TableOfCatalogue[] }>(CATALOGUE, [TENANT]);
    return rows[0]?.tables ?? [];
  } finally {
    await client.end();
  }
}

/**
 * The calls that turn a migrated database into a Citus cluster's, in an order in which each finds what it refers to.
 * @throws NotDistributable naming every constraint that Citus would refuse
 */
export function distributingSql(tables: readonly TableOfCatalogue[]): string[] {
  const isWhole = (table: TableOfCatalogue): boolean => !table.hasTenant || KEPT_WHOLE.includes(table.name);
  const whole = new Set(tables.filter(isWhole).map(({ name }) => name));
  const obstacles = tables.flatMap((table) => obstaclesOf(table, whole));
  if (obstacles.length > 0) throw new NotDistributable(obstacles);
  const ordered = inOrderOfReferences(tables);
  const distributed = ordered.filter(({ name }) => !whole.has(name));
  const others = distributed.filter(({ name }) => name !== ANCHOR);
  return [
    ...(distributed.some(({ hasTriggers }) => hasTriggers) ? ['set citus.enable_unsafe_triggers to on;'] : []),
    ...ordered.filter(({ name }) => whole.has(name)).map(({ name }) => `select create_reference_table('sello.${name}');`),
    `select create_distributed_table('sello.${ANCHOR}', '${TENANT}', colocate_with => 'none');`,
    ...others.map(({ name }) => `select create_distributed_table('sello.${name}', '${TENANT}', colocate_with => 'sello.${ANCHOR}');`),
  ];
}

function obstaclesOf(table: TableOfCatalogue, whole: ReadonlySet<string>): string[] {
  if (whole.has(table.name)) {
    return table.foreignKeys.filter(({ to }) => !whole.has(to)).map(({ name, to }) => `${table.name}.${name}: a table that is kept whole refers to ${to}, which is distributed`);
  }
  return [
    ...table.uniqueIndexes.filter(({ columns }) => !columns.includes(TENANT)).map(({ name }) => `${table.name}.${name}: unique without ${TENANT}`),
    ...table.foreignKeys
      .filter(({ to, columns, toColumns }) => !whole.has(to) && !columns.some((column, place) => column === TENANT && toColumns[place] === TENANT))
      .map(({ name, to }) => `${table.name}.${name}: refers to ${to} without ${TENANT} on both sides`),
  ];
}

function inOrderOfReferences(tables: readonly TableOfCatalogue[]): TableOfCatalogue[] {
  const ordered = new Map<string, TableOfCatalogue>();
  const byName = new Map(tables.map((table) => [table.name, table]));
  const add = (table: TableOfCatalogue, under: readonly string[]): void => {
    if (ordered.has(table.name)) return;
    for (const { to } of table.foreignKeys) {
      const target = byName.get(to);
      if (target !== undefined && to !== table.name && !under.includes(to)) add(target, [...under, table.name]);
    }
    ordered.set(table.name, table);
  };
  for (const table of tables) add(table, []);
  return [...ordered.values()];
}

const CATALOGUE = `
  with named as (
    select c.oid, c.relname from pg_class c where c.relnamespace = 'sello'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  )
  select coalesce(jsonb_agg(jsonb_build_object(
    'name', t.relname,
    'hasTenant', exists (select from pg_attribute a where a.attrelid = t.oid and a.attname = $1 and not a.attisdropped),
    'hasTriggers', exists (select from pg_trigger g where g.tgrelid = t.oid and not g.tgisinternal),
    'uniqueIndexes', (
      select coalesce(jsonb_agg(jsonb_build_object('name', i.relname, 'columns', (
        select jsonb_agg(a.attname) from unnest(x.indkey::int2[]) k join pg_attribute a on a.attrelid = t.oid and a.attnum = k)) order by i.relname), '[]')
      from pg_index x join pg_class i on i.oid = x.indexrelid where x.indrelid = t.oid and x.indisunique),
    'foreignKeys', (
      select coalesce(jsonb_agg(jsonb_build_object('name', k.conname, 'to', r.relname,
        'columns', (select jsonb_agg(a.attname order by p.place) from unnest(k.conkey) with ordinality p (attnum, place) join pg_attribute a on a.attrelid = t.oid and a.attnum = p.attnum),
        'toColumns', (select jsonb_agg(a.attname order by p.place) from unnest(k.confkey) with ordinality p (attnum, place) join pg_attribute a on a.attrelid = k.confrelid and a.attnum = p.attnum))
        order by k.conname), '[]')
      from pg_constraint k join pg_class r on r.oid = k.confrelid where k.conrelid = t.oid and k.contype = 'f'))
    order by t.relname), '[]') as tables
  from named t`;
