import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, QueryFailedError } from 'typeorm';

/**
 * The only way to the database. Every statement runs inside a transaction whose
 * tenant is set; without one, row security shows no rows at all.
 */
@Injectable()
export class TenantTransaction {
  constructor(private readonly dataSource: DataSource) {}

  /** Runs `work` in one transaction of the tenant; a throw rolls everything back. */
  async run<T>(tenantId: string, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    requireTenant(tenantId);
    return retryConflicts(() =>
      this.dataSource.transaction(async (manager) => {
        await manager.query(`select set_config('sello.tenant_id', $1, true)`, [tenantId]);
        return work(manager);
      }),
    );
  }

  /**
   * Calls one SQL function that sets the tenant itself: one statement, one round
   * trip, one transaction. `$1` of the statement must be the tenant.
   */
  async call<Row>(tenantId: string, sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    requireTenant(tenantId);
    return retryConflicts(() => this.dataSource.query<Row[]>(sql, [tenantId, ...parameters]));
  }

  /**
   * Calls a narrow SECURITY DEFINER function that works before or across tenants
   * (key look-up, due work). Tables of tenants stay invisible here.
   */
  async platform<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return retryConflicts(() => this.dataSource.query<Row[]>(sql, [...parameters]));
  }
}

function requireTenant(tenantId: string): void {
  if (!/^[0-9a-f-]{36}$/.test(tenantId)) throw new TypeError('a tenant is required to reach the database');
}

/** Serialization failure and deadlock: PostgreSQL rolled back and asks to try again. */
const RETRYABLE = new Set(['40001', '40P01']);
const TRIES = 3;

async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === TRIES || !RETRYABLE.has(sqlState(error) ?? '')) throw error;
    }
  }
}

/** SQLSTATE of a failed query, or null when the error is none of PostgreSQL's. */
export function sqlState(error: unknown): string | null {
  const driverError: unknown = error instanceof QueryFailedError ? error.driverError : error;
  if (typeof driverError === 'object' && driverError !== null && 'code' in driverError) {
    return typeof driverError.code === 'string' ? driverError.code : null;
  }
  return null;
}
