import { Inject, Injectable } from '@nestjs/common';
import { loadMigrations } from '../database/migrations.js';
import { TenantTransaction } from '../database/tenant-transaction.js';
import { Shutdown } from '../shutdown/shutdown.js';
import { type Logger, LOGGER } from './logger.js';
import { Meters } from './meters.js';
import { REDIS_PROBE, type RedisProbe } from './redis-probe.js';
import { SigningSelfTest } from './signing-self-test.js';

type Verdict = 'ok' | 'degraded' | 'failing';

export interface Readiness {
  readonly status: Verdict;
  readonly checks: Readonly<Record<'process' | 'postgresql' | 'migrations' | 'signing' | 'redis', Verdict>>;
}

/**
 * Whether this process can serve: it is not about to stop, PostgreSQL answers and has every migration that this code needs
 * (newer ones do no harm), and signing works. Redis is a convenience: without it the service is degraded, not unready.
 */
@Injectable()
export class HealthChecks {
  private readonly expected = loadMigrations().map((migration) => new migration().name ?? '');

  constructor(
    private readonly database: TenantTransaction,
    @Inject(REDIS_PROBE) private readonly redis: RedisProbe,
    private readonly signing: SigningSelfTest,
    private readonly shutdown: Shutdown,
    @Inject(LOGGER) private readonly logger: Logger,
    meters: Meters,
  ) {
    meters.gauge('redisReachable', async () => [{ labels: {}, value: (await redis.isReachable()) ? 1 : 0 }]);
  }

  async ready(): Promise<Readiness> {
    const [applied, redis] = await Promise.all([this.appliedMigrations(), this.redis.isReachable()]);
    const checks = {
      process: this.shutdown.isStopping ? 'failing' : 'ok',
      postgresql: applied === null ? 'failing' : 'ok',
      migrations: this.areIn(applied) ? 'ok' : 'failing',
      signing: this.signing.failure === null ? 'ok' : 'failing',
      redis: redis ? 'ok' : 'degraded',
    } as const;
    const verdicts: Verdict[] = Object.values(checks);
    const status = verdicts.includes('failing') ? 'failing' : verdicts.includes('degraded') ? 'degraded' : 'ok';
    return { status, checks };
  }

  /** Whether PostgreSQL answers and has every migration that this code needs. */
  async isMigrated(): Promise<boolean> {
    return this.areIn(await this.appliedMigrations());
  }

  private areIn(applied: ReadonlySet<string> | null): boolean {
    return applied !== null && this.expected.every((name) => applied.has(name));
  }

  /** Names of the applied migrations; empty when none ever ran; null when PostgreSQL does not answer. */
  private async appliedMigrations(): Promise<ReadonlySet<string> | null> {
    try {
      const [table] = await this.database.withoutTenant<{ exists: boolean }>(`select to_regclass('migrations') is not null as exists`);
      if (table?.exists !== true) return new Set();
      const rows = await this.database.withoutTenant<{ name: string }>('select name from migrations');
      return new Set(rows.map((row) => row.name));
    } catch (error) {
      this.logger.warn({ err: error }, 'readiness: PostgreSQL does not answer');
      return null;
    }
  }
}
