import type { EntityManager } from 'typeorm';
import { Prepared, TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import type { Process, Scheduler } from './scheduler.js';
import type { StoreSnapshot } from './snapshot.js';

/** What a transaction calls: an SQL function by name, with its parameters. */
export interface Call {
  readonly name: string;
  readonly sql: string;
  /** Of a tenant, or before and across tenants. */
  readonly kind: 'call' | 'without_tenant' | 'run';
  /** Whose row security applies; null across tenants. */
  readonly tenantId: string | null;
  readonly parameters: readonly unknown[];
}

export type Rows = readonly Record<string, unknown>[];

/** The store that outlives every process: in memory, or PostgreSQL. */
export interface Store {
  /** Runs one statement as one transaction. */
  execute(call: Call): Rows | Promise<Rows>;
  /** The next instant at which due work could be announced or claimed. */
  nextDue(now: number, patienceMs: number): number | Promise<number>;
  /** The active certificate of a tenant runs out now. */
  expireCertificate(tenantId: string, now: number): void | Promise<void>;
  /** A new certificate becomes the active one. */
  uploadCertificate(tenantId: string, id: string, now: number): void | Promise<void>;
  /** A person resumes every paused scope. */
  resumePauses(now: number): void | Promise<void>;
  snapshot(): StoreSnapshot | Promise<StoreSnapshot>;
}

/** What befalls one call of the store. */
export type StoreFault = 'none' | 'not_executed' | 'acknowledgement_lost' | 'late_answer';

export interface StoreAccess {
  readonly owner: Process;
  readonly scheduler: Scheduler;
  readonly store: Store;
  readonly fault: (call: Call) => StoreFault;
  /** Hears of every statement that was executed, as the service meant it. */
  readonly observe: (owner: Process, call: Call, rows: Rows) => void;
  /** Hears of every statement that the store refused. */
  readonly refused: (call: Call, error: unknown) => void;
}

/**
 * The service's way to the database, with every call a step of the scheduler.
 * A call may fail before it is executed, succeed with its acknowledgement lost,
 * or be answered later than others that came after it. Planted bugs override
 * `perform`.
 */
export class SimulatedTransaction extends TenantTransaction {
  constructor(protected readonly access: StoreAccess) {
    super(undefined as never);
  }

  override async call<Row>(tenantId: string, sql: string | Prepared, parameters: readonly unknown[] = []): Promise<Row[]> {
    return (await this.perform(callOf('call', tenantId, sql, [tenantId, ...parameters]))) as unknown as Row[];
  }

  override async withoutTenant<Row>(sql: string | Prepared, parameters: readonly unknown[] = []): Promise<Row[]> {
    return (await this.perform(callOf('without_tenant', null, sql, parameters))) as unknown as Row[];
  }

  /** Only single queries are run this way by what the simulation covers. */
  override async run<T>(tenantId: string, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const manager = { query: (sql: string, parameters: unknown[]) => this.perform(callOf('run', tenantId, sql, parameters)) };
    return work(manager as unknown as EntityManager);
  }

  /** One statement, one step. */
  protected async perform(call: Call, execute: (store: Store) => Rows | Promise<Rows> = (store) => store.execute(call)): Promise<Rows> {
    const { owner, scheduler, fault, observe } = this.access;
    const answer = { late: false };
    const rows = await scheduler.call(owner, `store ${call.name}`, async () => {
      const befalls = fault(call);
      if (befalls === 'not_executed') throw connectionLost();
      const result = await this.executed(call, execute);
      observe(owner, call, result);
      if (befalls === 'acknowledgement_lost') throw connectionLost();
      answer.late = befalls === 'late_answer';
      return result;
    });
    if (answer.late) await scheduler.call(owner, `store ${call.name} answers`, () => undefined);
    return rows;
  }

  private async executed(call: Call, execute: (store: Store) => Rows | Promise<Rows>): Promise<Rows> {
    try {
      return await execute(this.access.store);
    } catch (error) {
      this.access.refused(call, error);
      throw error;
    }
  }
}

function connectionLost(): Error {
  return Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
}

/** Of `announce_going_round`. */
const BOUNDS = 3;

const FUNCTIONS = ['issuing_context', 'issue_document', 'advance_document', 'announce_going_round', 'load_document', 'correct_document', 'was_refused_at_authorization'] as const;

let boundsAreWhole = false;

/** From now on a step is announced not at all or without a bound: which of more rows than may be begun is PostgreSQL's chance. */
export function useWholeBounds(): void {
  boundsAreWhole = true;
}

function whole(bounds: unknown): string | null {
  const none = Object.entries(JSON.parse(bounds as string) as Record<string, number>).filter(([, capacity]) => capacity === 0);
  return none.length === 0 ? null : JSON.stringify(Object.fromEntries(none));
}

function callOf(kind: Call['kind'], tenantId: string | null, statement: string | Prepared, parameters: readonly unknown[]): Call {
  const sql = statement instanceof Prepared ? statement.text : statement;
  const name = nameOf(sql);
  const bounds = parameters[BOUNDS];
  if (!boundsAreWhole || name !== 'announce_going_round' || bounds === null) return { name, sql, kind, tenantId, parameters };
  return { name, sql, kind, tenantId, parameters: parameters.with(BOUNDS, whole(bounds)) };
}

const names = new Map<string, string>();

function nameOf(sql: string): string {
  const known = names.get(sql);
  if (known !== undefined) return known;
  const name = findName(sql);
  names.set(sql, name);
  return name;
}

function findName(sql: string): string {
  if (sql.includes('claim_step(')) return 'take';
  if (sql.includes('modified_document_id = $2')) return 'outdated_references';
  if (sql.startsWith('update outbox set lost_leases')) return 'outlived';
  if (/from documents d\s+join document_contents c/.test(sql)) return 'get_document';
  if (sql.startsWith('select d.access_key from documents d')) return 'stored';
  const name = FUNCTIONS.find((one) => sql.includes(`${one}(`));
  if (name === undefined) throw new Error(`the simulation does not know this statement: ${sql}`);
  return name;
}
