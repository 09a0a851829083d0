import { Inject, Injectable } from '@nestjs/common';
import { SLEEPER, type Sleeper } from '../../shared/ports.js';
import { answerWithin, LateAnswer } from '../answer-time.js';
import { loadMigrations } from '../database/migrations.js';
import { isNoConnection } from '../database/no-connection.js';
import { sqlState } from '../database/sql-error.js';
import { SQL_STATE } from '../database/sql-state.js';
import { TenantTransaction } from '../database/tenant-transaction.js';
import { MasterKeyCheck } from '../secrets/master-key-check.js';
import { Shutdown } from '../shutdown/shutdown.js';
import { type Logger, LOGGER } from './logger.js';
import { Meters, type Reading } from './meters.js';
import { NEEDED_MOVES, type NeededMove } from './needed-moves.js';
import { REDIS_PROBE, type RedisProbe } from './redis-probe.js';
import { SigningSelfTest } from './signing-self-test.js';

type Verdict = 'ok' | 'degraded' | 'failing';

export interface Readiness {
  readonly status: Verdict;
  readonly checks: Readonly<Record<'process' | 'postgresql' | 'migrations' | 'signing' | 'redis', Verdict>>;
}

/** Why a worker may not begin. */
export type Obstacle = 'migrations' | 'signing';

/** Whoever looks at the metrics waits 10 s at most, and wants the others also while PostgreSQL is slow. */
const ANSWER_MS = 2_000;

/** Of a table of migrations that is not there. */
const NEVER_MIGRATED: ReadonlySet<string | null> = new Set([SQL_STATE.undefinedTable, SQL_STATE.invalidSchemaName]);

/** What `npm run migrate` left in the database. */
interface Schema {
  /** Names of the applied migrations. */
  readonly applied: ReadonlySet<string>;
  /** The moves of documents that it allows, as `nameOf` writes them. */
  readonly moves: ReadonlySet<string>;
}

const NO_SCHEMA: Schema = { applied: new Set(), moves: new Set() };

const nameOf = ({ from, trigger, to }: NeededMove): string => `${from} ${trigger} ${to}`;

/** What PostgreSQL said of itself. */
interface StoreState {
  readonly postgresql: Verdict;
  /** Null when PostgreSQL does not answer. */
  readonly schema: Schema | null;
  /** False where it would have to be waited for among the calls. */
  readonly canBeAsked: boolean;
}

/**
 * Whether this process can serve: it is not about to stop, PostgreSQL answers and has every migration and every move of documents
 * that this code needs (newer ones do no harm), signing works, and the master key is that of the stored signing keys. Redis is a convenience: without it
 * the service is degraded, not unready. So it is while PostgreSQL only reads, and while calls wait for every connection: another
 * process would fare no better.
 */
@Injectable()
export class HealthChecks {
  private readonly expected = loadMigrations().map((migration) => new migration().name ?? '');
  private readonly moves: readonly string[];
  /** As it was when PostgreSQL last answered. */
  private known: Schema | null = null;
  private wasBusy = false;

  constructor(
    private readonly database: TenantTransaction,
    @Inject(REDIS_PROBE) private readonly redis: RedisProbe,
    private readonly signing: SigningSelfTest,
    private readonly masterKey: MasterKeyCheck,
    private readonly shutdown: Shutdown,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(NEEDED_MOVES) moves: readonly NeededMove[],
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
    meters: Meters,
  ) {
    this.moves = moves.map(nameOf);
    meters.gauge('ready', () => this.readings());
    meters.gauge('redisReachable', async () => [{ labels: {}, value: (await redis.isReachable()) ? 1 : 0 }]);
  }

  async ready(): Promise<Readiness> {
    const [{ postgresql, schema, canBeAsked }, redis] = await Promise.all([this.store(), this.redis.isReachable()]);
    const isMigrated = this.fits(schema);
    const checks = {
      process: this.shutdown.isStopping ? 'failing' : 'ok',
      postgresql,
      migrations: isMigrated ? 'ok' : 'failing',
      signing: this.signing.failure === null && (!isMigrated || (await this.masterKeyFits(canBeAsked))) ? 'ok' : 'failing',
      redis: redis ? 'ok' : 'degraded',
    } as const;
    const verdicts: Verdict[] = Object.values(checks);
    const status = verdicts.includes('failing') ? 'failing' : verdicts.includes('degraded') ? 'degraded' : 'ok';
    return { status, checks };
  }

  /** What a worker has to wait for before it begins, null when nothing: `migrations` also while PostgreSQL does not answer. */
  async obstacle(): Promise<Obstacle | null> {
    const { schema, canBeAsked } = await this.store();
    if (!this.fits(schema)) return 'migrations';
    return (await this.signing.passes()) && (await this.masterKeyFits(canBeAsked)) ? null : 'signing';
  }

  /** For the metrics; nothing while PostgreSQL does not answer in time. */
  private async readings(): Promise<readonly Reading<'ready'>[]> {
    try {
      const { checks } = await answerWithin(this.sleeper, ANSWER_MS, this.ready());
      return Object.entries(checks).map(([check, verdict]) => ({ labels: { check }, value: verdict === 'failing' ? 0 : 1 }));
    } catch (error) {
      if (error instanceof LateAnswer) return [];
      throw error;
    }
  }

  /** The moves are handed over after the last migration, in a transaction of their own. Those of a newer version are its own, which may have taken away what this one no longer makes. */
  private fits(schema: Schema | null): boolean {
    if (schema === null || !this.expected.every((name) => schema.applied.has(name))) return false;
    return schema.applied.size > this.expected.length || this.moves.every((move) => schema.moves.has(move));
  }

  private async store(): Promise<StoreState> {
    // Not to wait among the calls: whoever asks has less patience than they.
    if (this.database.isBusy && this.known !== null) return this.busy(this.known);
    this.wasBusy = false;
    try {
      const [state] = await this.database.withoutTenant<{ only_reads: boolean; applied: string[]; moves: string[] }>(
        `select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as only_reads,
                array(select name from migrations) as applied,
                array(select concat_ws(' ', from_status, trigger, to_status) from document_moves) as moves`,
      );
      if (state?.only_reads === true) this.logger.warn({}, 'readiness: PostgreSQL only reads, so nothing can be accepted');
      this.known = { applied: new Set(state?.applied), moves: new Set(state?.moves) };
      return { postgresql: state?.only_reads === true ? 'degraded' : 'ok', schema: this.known, canBeAsked: true };
    } catch (error) {
      if (NEVER_MIGRATED.has(sqlState(error))) return { postgresql: 'ok', schema: NO_SCHEMA, canBeAsked: true };
      if (isNoConnection(error) && this.database.isBusy && this.known !== null) return this.busy(this.known);
      this.logger.warn({ err: error }, 'readiness: PostgreSQL does not answer');
      return { postgresql: 'failing', schema: null, canBeAsked: false };
    }
  }

  private busy(schema: Schema): StoreState {
    if (!this.wasBusy) this.logger.warn({}, 'readiness: every connection to PostgreSQL is in use, and calls wait for one');
    this.wasBusy = true;
    return { postgresql: 'degraded', schema, canBeAsked: false };
  }

  private async masterKeyFits(canBeAsked: boolean): Promise<boolean> {
    if (!canBeAsked) return this.masterKey.didFit;
    try {
      const fits = await this.masterKey.fits();
      if (!fits) this.logger.error({}, 'the master key is not the one under which the signing keys are sealed: this process cannot sign, and what it seals will not open elsewhere');
      return fits;
    } catch (error) {
      this.logger.warn({ err: error }, 'readiness: PostgreSQL did not tell which master keys are in use');
      return this.masterKey.didFit;
    }
  }
}
