import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { DomainError } from '../../shared/domain-error.js';
import { sqlState } from './sql-error.js';
import { OWN_SQL_STATE } from './own-sql-state.js';
import { poolOf } from './pool-of.js';
import { SQL_STATE } from './sql-state.js';
import { SILENCE_MS } from './watchful-client.js';

/** A statement of the hot path: each connection has PostgreSQL parse and plan it once. Its text never changes. */
export class Prepared {
  /** @param name unique among all prepared statements */
  constructor(
    readonly name: string,
    readonly text: string,
  ) {}
}

/**
 * The only way to the database for what serves a tenant. Statements run in a transaction whose tenant is set, all but
 * those of `withoutTenant`, to which row security shows no rows of tenants at all.
 */
@Injectable()
export class TenantTransaction {
  /** By the process's own clock (`hrtime`). */
  private answeredAt = 0n;

  constructor(private readonly dataSource: DataSource) {}

  /** Runs `work` in one transaction of the tenant; a throw rolls everything back. */
  run<T>(tenantId: string, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.within(tenantId, work, (body) => this.dataSource.transaction(body));
  }

  /** As `run`, for work that only reads: all of it sees the database as it is at its first statement. */
  readOneMoment<T>(tenantId: string, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.within(tenantId, work, (body) => this.dataSource.transaction('REPEATABLE READ', body));
  }

  private async within<T>(tenantId: string, work: (manager: EntityManager) => Promise<T>, begin: (body: (manager: EntityManager) => Promise<T>) => Promise<T>): Promise<T> {
    requireTenant(tenantId);
    return retryConflicts(() =>
      begin(async (manager) => {
        await manager.query(`select set_config('sello.tenant_id', $1, true)`, [tenantId]);
        this.answeredAt = process.hrtime.bigint();
        return work(manager);
      }),
    );
  }

  /**
   * Calls one SQL function that sets the tenant itself: one statement, one round
   * trip, one transaction. `$1` of the statement must be the tenant.
   */
  async call<Row>(tenantId: string, sql: string | Prepared, parameters: readonly unknown[] = []): Promise<Row[]> {
    requireTenant(tenantId);
    return this.query(sql, [tenantId, ...parameters]);
  }

  /**
   * Calls a narrow SECURITY DEFINER function that works before or across tenants
   * (key look-up, due work). No tenant is set, so tables of tenants stay invisible here.
   */
  async withoutTenant<Row>(sql: string | Prepared, parameters: readonly unknown[] = []): Promise<Row[]> {
    return this.query(sql, [...parameters]);
  }

  /** Whether calls wait for every connection that this process may have, and PostgreSQL answers those that have one. */
  get isBusy(): boolean {
    const { totalCount, waitingCount, options } = poolOf(this.dataSource);
    return waitingCount > 0 && totalCount >= options.max && process.hrtime.bigint() - this.answeredAt < SILENCE_NS;
  }

  private async query<Row>(sql: string | Prepared, values: unknown[]): Promise<Row[]> {
    const rows = await this.ask<Row>(sql, values);
    this.answeredAt = process.hrtime.bigint();
    return rows;
  }

  private async ask<Row>(sql: string | Prepared, values: unknown[]): Promise<Row[]> {
    if (!(sql instanceof Prepared)) return retryConflicts(() => this.dataSource.query<Row[]>(sql, values));
    return retryConflicts(async () => {
      try {
        return (await poolOf(this.dataSource).query<Row & object>({ name: sql.name, text: sql.text, values })).rows;
      } catch (error) {
        if (sqlState(error) !== PLAN_OUTDATED) throw error;
        return await this.dataSource.query<Row[]>(sql.text, values);
      }
    });
  }
}

/** A connection that was silent for as long is given up. */
const SILENCE_NS = BigInt(SILENCE_MS) * 1_000_000n;

/** A migration has changed what the statement answers since this connection prepared it. */
const PLAN_OUTDATED = SQL_STATE.featureNotSupported;

function requireTenant(tenantId: string): void {
  if (!/^[0-9a-f-]{36}$/.test(tenantId)) throw new TypeError('a tenant is required to reach the database');
}

/** PostgreSQL rolled back and asks to try again. */
const RETRYABLE: ReadonlySet<string> = new Set([SQL_STATE.serializationFailure, SQL_STATE.deadlockDetected]);
const TRIES = 3;

/**
 * Does again what PostgreSQL asks to do again.
 * @throws DomainError UNAUTHENTICATED when the caller's credential ended meanwhile, FORBIDDEN when its role changed
 */
async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const state = sqlState(error) ?? '';
      if (state === OWN_SQL_STATE.credentialEnded) throw new DomainError('UNAUTHENTICATED');
      if (state === OWN_SQL_STATE.roleChanged) throw new DomainError('FORBIDDEN', { reason: 'role_changed' });
      if (attempt === TRIES || !RETRYABLE.has(state)) throw error;
    }
  }
}
