import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** How the documents of one phase fared, in milliseconds; read from commit times. */
export interface Passage {
  readonly authorized: number;
  readonly lastAuthorizedAt: Date;
  /** Commit of the number (just before the 202) to commit of "sending" (just before the first byte). */
  readonly toFirstByteP95: number;
  /** The SRI's answer to the commit that shows its effect. */
  readonly answerToVisibleP95: number;
  readonly toAuthorizedP50: number;
  readonly toAuthorizedP95: number;
}

/** Time between two moves that follow each other, commit to commit, in milliseconds. */
export interface MoveTime {
  readonly move: string;
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
}

export interface StatementCount {
  readonly calls: number;
  readonly totalMs: number;
  readonly query: string;
}

/** No document finished for so long: something is stuck. */
const PATIENCE_MS = 60_000;
const ROLE_NOISE = /^(set|show|select pg_|alter|reset)/i;

/** The owner's eyes on the database: progress, passage times, and the proof at the end. */
export class BenchDatabase {
  private constructor(private readonly client: pg.Client) {}

  static async open(ownerUrl: string): Promise<BenchDatabase> {
    const client = new pg.Client({ connectionString: ownerUrl, options: '-c search_path=sello,public' });
    await client.connect();
    return new BenchDatabase(client);
  }

  async close(): Promise<void> {
    await this.client.end();
  }

  /** Documents that something remains to be done for. */
  async pending(): Promise<number> {
    const { rows } = await this.client.query<{ count: number }>('select count(*)::integer from outbox');
    return rows[0]?.count ?? 0;
  }

  /**
   * Waits until nothing is due any more.
   * @throws Error when nothing moves for a minute
   */
  async drain(onProgress: (pending: number) => void): Promise<void> {
    let least = Number.POSITIVE_INFINITY;
    let movedAt = performance.now();
    let reportedAt = movedAt;
    for (;;) {
      const pending = await this.pending();
      if (pending === 0) return;
      const now = performance.now();
      if (pending < least) {
        least = pending;
        movedAt = now;
      }
      if (now - movedAt > PATIENCE_MS) throw new Error(`${pending} documents have not moved for a minute`);
      if (now - reportedAt > 5_000) {
        reportedAt = now;
        onProgress(pending);
      }
      await sleep(200);
    }
  }

  /** Passage of the documents accepted since `from`. */
  async passage(from: Date): Promise<Passage> {
    const { rows } = await this.client.query<Record<string, string | Date | null>>(
      `with moves as materialized (
         select h.tenant_id, h.document_id, h.trigger, h.at, pg_xact_commit_timestamp(h.xmin) as committed
         from document_history h join documents d on d.tenant_id = h.tenant_id and d.id = h.document_id
         where d.created_at >= $1),
       per_document as (
         select min(committed) filter (where trigger = 'number_taken') as accepted,
                min(committed) filter (where trigger = 'sending') as sending,
                min(committed) filter (where trigger = 'authorized') as authorized
         from moves group by tenant_id, document_id)
       select count(authorized) as authorized, max(authorized) as last_authorized_at,
              percentile_cont(0.95) within group (order by extract(epoch from sending - accepted)) * 1000 as first_byte,
              percentile_cont(0.5) within group (order by extract(epoch from authorized - accepted)) * 1000 as p50,
              percentile_cont(0.95) within group (order by extract(epoch from authorized - accepted)) * 1000 as p95,
              (select percentile_cont(0.95) within group (order by extract(epoch from committed - at)) * 1000
               from moves where trigger in ('received', 'undecided', 'authorized')) as visible
       from per_document`,
      [from],
    );
    const row = rows[0] ?? {};
    return {
      authorized: Number(row['authorized']),
      lastAuthorizedAt: (row['last_authorized_at'] as Date | null) ?? from,
      toFirstByteP95: Number(row['first_byte']),
      answerToVisibleP95: Number(row['visible']),
      toAuthorizedP50: Number(row['p50']),
      toAuthorizedP95: Number(row['p95']),
    };
  }

  /** Where the documents accepted since `from`, up to `to`, spent their time. */
  async moveTimes(from: Date, to: Date = new Date()): Promise<MoveTime[]> {
    const { rows } = await this.client.query<MoveTime>(
      `with moves as (
         select h.trigger, h.version, pg_xact_commit_timestamp(h.xmin) as committed,
                lag(h.trigger) over w as before, lag(pg_xact_commit_timestamp(h.xmin)) over w as since
         from document_history h join documents d on d.tenant_id = h.tenant_id and d.id = h.document_id
         where d.created_at between $1 and $2
         window w as (partition by h.tenant_id, h.document_id order by h.version))
       select before || ' > ' || trigger as move, count(*)::integer as count,
              percentile_cont(0.5) within group (order by extract(epoch from committed - since)) * 1000 as p50,
              percentile_cont(0.95) within group (order by extract(epoch from committed - since)) * 1000 as p95
       from moves where committed > since group by 1 order by min(version), 2 desc`,
      [from, to],
    );
    return rows;
  }

  /** Starts counting statements anew; false when this PostgreSQL cannot count them. */
  async resetStatements(): Promise<boolean> {
    const { rowCount } = await this.client.query(`select from pg_extension where extname = 'pg_stat_statements'`);
    if (rowCount === 0) return false;
    await this.client.query('select pg_stat_statements_reset()');
    return true;
  }

  /** Statements that clients sent since the reset, busiest first; each is one round trip. */
  async statements(): Promise<StatementCount[]> {
    const { rows } = await this.client.query<{ calls: string; total: number; query: string }>(
      `select s.calls, s.total_exec_time as total, regexp_replace(s.query, '\\s+', ' ', 'g') as query
       from pg_stat_statements s join pg_roles r on r.oid = s.userid
       where r.rolname <> current_user order by s.total_exec_time desc`,
    );
    return rows
      .map(({ calls, total, query }) => ({ calls: Number(calls), totalMs: total, query }))
      .filter(({ query }) => !ROLE_NOISE.test(query));
  }

  /**
   * Holds the run's promise against the database.
   * @returns what is wrong, in sentences; empty when every accepted POST is AUTHORIZED and no number is missing or double
   */
  async problems(accepted: readonly string[]): Promise<string[]> {
    const problems: string[] = [];
    const state = await this.client.query<{ status: string; count: number }>(
      `select coalesce(d.status, 'missing') as status, count(*)::integer
       from unnest($1::uuid[]) a(id) left join documents d on d.id = a.id
       where d.status is distinct from 'AUTHORIZED' group by 1`,
      [accepted],
    );
    for (const { status, count } of state.rows) problems.push(`${count} accepted documents are ${status}`);
    const total = await this.client.query<{ count: number }>('select count(*)::integer from documents');
    const known = new Set(accepted).size;
    if (total.rows[0]?.count !== known)
      problems.push(`${total.rows[0]?.count ?? 0} documents stand in the database, ${known} were accepted`);
    const gaps = await this.client.query(
      `select c.emission_point_id from sequence_counters c
       join emission_points p on p.tenant_id = c.tenant_id and p.id = c.emission_point_id
       left join documents d on d.tenant_id = c.tenant_id and d.emission_point_id = c.emission_point_id
         and d.document_type = c.document_type and d.sri_environment = c.environment
       group by c.tenant_id, c.emission_point_id, c.document_type, c.environment, c.last_value, p.initial_sequential
       having count(d.sequential) <> c.last_value - p.initial_sequential + 1
         or count(distinct d.sequential) <> count(d.sequential)
         or min(d.sequential) <> p.initial_sequential or max(d.sequential) <> c.last_value`,
    );
    if (gaps.rowCount !== 0) problems.push(`${gaps.rowCount ?? 0} emission points have gaps or double numbers`);
    return problems;
  }
}
