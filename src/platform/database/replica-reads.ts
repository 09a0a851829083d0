import { Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Settings } from '../../config/settings.js';
import { DomainError } from '../../shared/domain-error.js';
import type { Sleeper } from '../../shared/ports.js';
import type { Meters } from '../observability/meters.js';
import { RecurringWork } from '../schedule/recurring-work.js';
import { type Program, serviceDataSourceOptions } from './connection.js';
import type { ListReads } from './list-reads.js';
import { tellPool } from './pool-gauge.js';
import { sqlState } from './sql-error.js';
import { SQL_STATE } from './sql-state.js';
import { TenantTransaction } from './tenant-transaction.js';

/** How often the primary gives its sign of life and the replica is asked for the last one it has. */
const LOOK_MS = 2_000;

/** A statement that ran too long would on the primary too. */
const TOO_LONG = SQL_STATE.queryCanceled;

type ReplicaSettings = Pick<Settings, 'DATABASE_REPLICA_MAX_LAG_SECONDS' | 'DATABASE_POOL_SIZE' | 'DATABASE_WAIT_SECONDS'>;

/**
 * Reads from a replica while it answers and its lag is small, else from the primary. A read that fails on the replica is
 * done again on the primary; when that one succeeds, the replica is left alone until it proves itself at a look.
 */
export class ReplicaReads extends RecurringWork implements ListReads {
  private readonly log = new Logger(ReplicaReads.name);
  private replica: DataSource | null = null;
  private transaction: TenantTransaction | null = null;
  private failure: string | null = null;

  constructor(
    private readonly url: string,
    private readonly program: Program,
    private readonly settings: ReplicaSettings,
    private readonly primary: TenantTransaction,
    sleeper: Sleeper,
    meters: Meters,
  ) {
    super(LOOK_MS, sleeper);
    tellPool(meters, 'replica', () => this.replica);
  }

  async readOneMoment<T>(tenantId: string, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const reads = async (manager: EntityManager): Promise<T> => {
      await manager.query(`select set_config('transaction_read_only', 'on', true)`);
      return work(manager);
    };
    const { transaction } = this;
    if (transaction === null) return this.primary.readOneMoment(tenantId, reads);
    try {
      return await transaction.readOneMoment(tenantId, reads);
    } catch (error) {
      if (error instanceof DomainError || sqlState(error) === TOO_LONG) throw error;
      const answer = await this.primary.readOneMoment(tenantId, reads);
      this.doubt((error as Error).message);
      return answer;
    }
  }

  override async onApplicationShutdown(): Promise<void> {
    await super.onApplicationShutdown();
    await this.replica?.destroy();
  }

  protected async work(): Promise<void> {
    await this.primary.withoutTenant('select beat()');
    try {
      this.replica ??= await new DataSource(serviceDataSourceOptions(this.url, this.program, this.settings.DATABASE_POOL_SIZE, this.settings.DATABASE_WAIT_SECONDS)).initialize();
      const transaction = new TenantTransaction(this.replica);
      const [beat] = await transaction.withoutTenant<{ seconds: number | null }>('select seconds_since_beat() as seconds');
      const seconds = beat?.seconds ?? Number.POSITIVE_INFINITY;
      const most = this.settings.DATABASE_REPLICA_MAX_LAG_SECONDS;
      if (seconds > most) throw new Error(`it is ${Math.round(seconds)} s behind`);
      // However far behind it is does not show.
      if (seconds < -most) throw new Error(`its clock is ${Math.round(-seconds)} s behind that of the primary`);
      this.trust(transaction);
    } catch (error) {
      this.doubt((error as Error).message);
    }
  }

  private trust(transaction: TenantTransaction): void {
    if (this.transaction === null) this.log.log('lists and exports are read from the replica');
    this.transaction ??= transaction;
    this.failure = null;
  }

  private doubt(failure: string): void {
    this.transaction = null;
    if (this.failure === null) this.log.warn(`the replica is not used, lists and exports are read from the primary: ${failure}`);
    this.failure = failure;
  }
}
