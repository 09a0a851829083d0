import type { Client, QueryResultRow } from 'pg';
import { connectAsOwner } from '../../../platform/database/owner-client.js';
import { sqlState } from '../../../platform/database/sql-error.js';
import { SQL_STATE } from '../../../platform/database/sql-state.js';

/** Documents that a tenant issued in one month, all of them past their time. */
export interface PastMonth {
  readonly tenantId: string;
  /** First day of the month. */
  readonly month: string;
  readonly documents: number;
  /** Days of creation between which they lie. */
  readonly createdFrom: string;
  readonly createdTo: string;
}

/** A document as it is archived; its record is JSON that is never parsed, for numbers in it are exact. */
export interface PastDocument {
  readonly id: string;
  readonly createdAt: string;
  readonly version: number;
  readonly accessKey: string | null;
  readonly record: string;
}

/** A signed document or an answer of the SRI, gzip as stored. */
export interface Paper {
  readonly documentId: string;
  readonly name: string;
  readonly content: Buffer;
}

/** In the order in which they go: an event stays while a delivery of it does. */
export const KINDS = ['deliveries', 'events', 'mails', 'audit', 'sessions', 'links'] as const;
export type Kind = (typeof KINDS)[number];

const TABLES: Readonly<Record<Kind, string>> = {
  deliveries: 'webhook_deliveries', events: 'events', mails: 'mails', audit: 'audit_log', sessions: 'sessions', links: 'one_time_tokens',
};
const OF_PEOPLE: readonly Kind[] = ['sessions', 'links'];

/** Any constant: only one run removes at a time. */
const RUN_LOCK = 7_356_120;
const NOT_NOW: ReadonlySet<string | null> = new Set([SQL_STATE.lockNotAvailable, SQL_STATE.serializationFailure, SQL_STATE.deadlockDetected, SQL_STATE.foreignKeyViolation]);

/** Whether a removal failed because the service was quicker, or holds what is to go: there is another time. */
export const isNotNow = (error: unknown): boolean => NOT_NOW.has(sqlState(error));

/** What a run reads and removes, as the owner of the schema. Statements are short and give way: the service works meanwhile. */
export class RetentionStore {
  private constructor(private readonly client: Client) {}

  /** @throws Error when another run is at it */
  static async open(ownerUrl: string): Promise<RetentionStore> {
    const client = await connectAsOwner(ownerUrl, 'retention', '-c search_path=sello -c jit=off -c statement_timeout=60000 -c lock_timeout=10000');
    const store = new RetentionStore(client);
    try {
      // PostgreSQL may take a moment to notice that a run was killed.
      await store.query('select pg_advisory_lock($1)', [RUN_LOCK]);
      await store.query(`select set_config('lock_timeout', '2s', false)`, []);
      return store;
    } catch (error) {
      await client.end();
      throw sqlState(error) === SQL_STATE.lockNotAvailable ? new Error('another run is at it') : error;
    }
  }

  async close(): Promise<void> {
    await this.client.end();
  }

  /** Those of the ids that are no tenant's, in their order. */
  async unknownTenants(ids: readonly string[]): Promise<string[]> {
    const rows = await this.query<{ id: string }>('select id from unknown_tenants($1::uuid[]) as id', [ids]);
    return rows.map(({ id }) => id);
  }

  /** Months with documents issued before a day, youngest first: a credit note goes before what it credits. */
  async months(before: string): Promise<PastMonth[]> {
    const rows = await this.query<{ tenant_id: string; month: string; documents: number; created_from: string; created_to: string }>(
      'select tenant_id, month::text, documents::int, created_from::text, created_to::text from months_past_keeping($1::date)', [before]);
    return rows.map((row) => ({ tenantId: row.tenant_id, month: row.month, documents: row.documents, createdFrom: row.created_from, createdTo: row.created_to }));
  }

  /** Settled documents of a month in the order of their creation, after the given one. */
  async documents({ tenantId, month, createdFrom, createdTo }: PastMonth, before: string, after: PastDocument | null, limit: number): Promise<PastDocument[]> {
    const rows = await this.query<{ id: string; created_at: string; version: number; access_key: string | null; record: string }>(
      'select * from documents_past_keeping($1, $2::date, $3::date, $4::date, $5::date, $6::timestamptz, $7, $8)',
      [tenantId, month, before, createdFrom, createdTo, after?.createdAt ?? null, after?.id ?? null, limit],
    );
    return rows.map((row) => ({ id: row.id, createdAt: row.created_at, version: row.version, accessKey: row.access_key, record: row.record }));
  }

  async papers(tenantId: string, documentIds: readonly string[]): Promise<Paper[]> {
    const rows = await this.query<{ document_id: string; name: string; content: Buffer }>('select * from document_papers($1, $2::uuid[])', [tenantId, documentIds]);
    return rows.map((row) => ({ documentId: row.document_id, name: row.name, content: row.content }));
  }

  /** Removes those of the documents of which all is as it was archived and that nothing refers to; returns how many. */
  async remove(tenantId: string, archived: readonly (readonly [id: string, digest: string])[], before: string, now: Date): Promise<number> {
    const [row] = await this.query<{ removed: number }>('select remove_as_archived($1, $2::uuid[], $3::text[], $4::date, $5) as removed', [
      tenantId, archived.map(([id]) => id), archived.map(([, digest]) => digest), before, now,
    ]);
    return row?.removed ?? 0;
  }

  /** Pages of the table that holds a kind. */
  async pages(kind: Kind): Promise<number> {
    const [row] = await this.query<{ pages: number }>(`select ceil(pg_relation_size($1::regclass)::numeric / current_setting('block_size')::int)::int as pages`, [`sello.${TABLES[kind]}`]);
    return row?.pages ?? 0;
  }

  /** Rows of a kind that are past their time among some pages; with `remove` they are gone. */
  async rows(kind: Kind, before: Date, fromPage: number, toPage: number, remove: boolean): Promise<number> {
    const of = OF_PEOPLE.includes(kind) ? 'sign_ins_past_keeping' : 'rows_past_keeping';
    const [row] = await this.query<{ rows: number }>(`select ${of}($1, $2, $3, $4, $5) as rows`, [kind, before, fromPage, toPage, remove]);
    return row?.rows ?? 0;
  }

  private async query<Row extends QueryResultRow>(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    return (await this.client.query<Row>(sql, [...parameters])).rows;
  }
}
