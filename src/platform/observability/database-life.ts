import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { SLEEPER, type Sleeper } from '../../shared/ports.js';
import { TenantTransaction } from '../database/tenant-transaction.js';
import { endToStartAnew } from '../process.js';
import { RecurringWork } from '../schedule/recurring-work.js';
import { PROBE, REDIS_PROBE, type RedisProbe } from './redis-probe.js';

/** The database must not be served; says what to do. */
class DatabaseWentBackError extends Error {}

const LOOK_MS = 5_000;
/** How long a starting process asks again for Redis to say what it remembers. */
const PATIENCE_MS = 2_000;
const PAUSE_MS = 100;

/**
 * Notices a database that went back to an earlier point: a restore or a failover that lost something, after which numbers
 * would be given out a second time. The database counts beats, Redis remembers the last. A database with fewer beats than
 * remembered of the same life is not served: a process does not start on it, and one that runs ends. `npm run after-restore`
 * begins another life. While Redis does not answer, a process goes by what it saw itself. A loss that neither remembers, or
 * of only the last seconds, is not noticed.
 */
@Injectable()
export class DatabaseLife extends RecurringWork implements OnModuleInit {
  private readonly log = new Logger(DatabaseLife.name);
  private isOver = false;
  /** The last beat that this process saw itself. */
  private own: { readonly life: string; readonly beats: number } | null = null;

  constructor(
    private readonly database: TenantTransaction,
    @Inject(REDIS_PROBE) private readonly redis: RedisProbe,
    @Inject(SLEEPER) private readonly patience: Sleeper,
  ) {
    super(LOOK_MS, patience);
  }

  /** @throws DatabaseWentBackError when the database went back */
  async onModuleInit(): Promise<void> {
    const until = performance.now() + PATIENCE_MS;
    while (!(await this.isRemembering()) && performance.now() < until) await this.patience.sleep(PAUSE_MS);
    try {
      await this.look();
    } catch (error) {
      if (error instanceof DatabaseWentBackError) throw error;
      // Readiness says what is wrong with the database; it is looked at again and again.
      this.log.warn(`not known whether the database went back: ${(error as Error).message}`);
    }
  }

  protected async work(): Promise<void> {
    if (this.isOver) return;
    try {
      await this.look();
    } catch (error) {
      if (!(error instanceof DatabaseWentBackError)) throw error;
      this.isOver = true;
      this.log.fatal(`${error.message}; this process ends`);
      endToStartAnew();
    }
  }

  /** Whether Redis answers with what it keeps; whether it takes anything is not asked. */
  private async isRemembering(): Promise<boolean> {
    try {
      await this.redis.recall(PROBE.name);
      return true;
    } catch {
      return false;
    }
  }

  /** What is remembered is asked first: the database may only have come further since. */
  private async look(): Promise<void> {
    const [database] = await this.database.withoutTenant<{ life: string | null }>('select life_of_database() as life');
    if (typeof database?.life !== 'string') return;
    const remembered = await this.remembered(database.life);
    const seen = Math.max(remembered ?? 0, this.own?.life === database.life ? this.own.beats : 0);
    const [now] = await this.database.withoutTenant<{ life: string; beats: string }>('select * from beat_of_life($1)', [seen]);
    if (now === undefined || now.life !== database.life) return;
    const beats = Number(now.beats);
    if (beats < seen) {
      throw new DatabaseWentBackError(
        `DATABASE_URL: the database is at an earlier point than it was (beat ${beats}, ${seen} was seen): it was restored, or a failover lost something. `
        + 'Numbers would be given out twice: stop every process, then npm run after-restore (docs/operating.md)',
      );
    }
    this.own = { life: now.life, beats };
    if (remembered !== null && beats > remembered) await this.remember(now.life, beats);
  }

  /** If two processes note at once, the slower may put an older beat back, until any process looks again. */
  private async remember(life: string, beats: number): Promise<void> {
    try {
      await this.redis.note(life, String(beats));
    } catch {
      // It went away, or only reads: as below.
    }
  }

  /** The last beat that Redis remembers of a life, 0 if none; null: Redis does not say. */
  private async remembered(life: string): Promise<number | null> {
    try {
      return Number(await this.redis.recall(life));
    } catch {
      // Away: readiness, and the log of those who need it for their work, report that already.
      return null;
    }
  }
}
