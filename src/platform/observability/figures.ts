import { Inject, Injectable } from '@nestjs/common';
import { answerWithin } from '../answer-time.js';
import { TenantTransaction } from '../database/tenant-transaction.js';
import { CLOCK, type Clock, SLEEPER, type Sleeper } from '../../shared/ports.js';
import { StepGates } from '../outbox/step-gates.js';
import { type Logger, LOGGER } from './logger.js';
import { Meters } from './meters.js';

/** What PostgreSQL is asked at most so often, however many look. */
const MAX_AGE_MS = 10_000;
/** For all of them together: whoever looks at the metrics waits 10 s at most, and wants the others also while PostgreSQL is slow. */
const ANSWER_MS = 2_000;
/** Steps of tenants with due work that are looked at; where there are more, others each time. */
const PLACES = 100;
const DOCUMENTS = 10_000;
/** Where rows come and go with each document, mail or delivery. */
const QUEUES = ['outbox', 'mail_outbox', 'webhook_work'];
const DEAD_ROWS = `select relname as table, n_dead_tup::float8 as rows from pg_stat_user_tables where schemaname = 'sello' and relname = any ($1)`;

interface Found {
  readonly ages: readonly { kind: string; seconds: number }[];
  readonly lag: number;
  readonly moving: readonly { status: string; documents: number }[];
  readonly dead: readonly { table: string; rows: number }[];
}

/**
 * Reads from PostgreSQL what is due and for how long, by queries whose cost has a bound. Every worker exposes the figures, so
 * that they are there as long as one runs. All expose the same, except for steps that a worker may not begin, for which nobody
 * waits there.
 */
@Injectable()
export class Figures {
  private known: { at: number; found: Promise<Found | null> } | null = null;

  constructor(
    private readonly transaction: TenantTransaction,
    private readonly meters: Meters,
    private readonly gates: StepGates,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    meters.gauge('dueWorkAge', async () => ((await this.current())?.ages ?? []).map(({ kind, seconds }) => ({ labels: { kind }, value: seconds })));
    meters.gauge('outboxLag', async () => {
      const found = await this.current();
      return found === null ? [] : [{ labels: {}, value: found.lag }];
    });
    meters.gauge('documentsMoving', async () => ((await this.current())?.moving ?? []).map(({ status, documents }) => ({ labels: { status }, value: documents })));
    meters.gauge('queueDeadRows', async () => ((await this.current())?.dead ?? []).map(({ table, rows }) => ({ labels: { table }, value: rows })));
  }

  private current(): Promise<Found | null> {
    const now = this.clock.now();
    const age = now.getTime() - (this.known?.at ?? Number.NEGATIVE_INFINITY);
    // Below 0 where the clock was put back since.
    if (this.known === null || age < 0 || age >= MAX_AGE_MS) {
      this.known = { at: now.getTime(), found: this.ask(now) };
    }
    return this.known.found;
  }

  /** Null while PostgreSQL does not answer in time: then there are no figures rather than old ones. */
  private async ask(now: Date): Promise<Found | null> {
    const late = new AbortController();
    try {
      return await answerWithin(this.sleeper, ANSWER_MS, this.read(now, late.signal));
    } catch (error) {
      // The statement under way ends by itself; those behind it would only hold a connection.
      late.abort();
      this.meters.count('figuresFailed', {});
      this.logger.warn({ err: error }, 'PostgreSQL did not tell what is due');
      return null;
    }
  }

  private async read(now: Date, late: AbortSignal): Promise<Found> {
    const ages = await this.transaction.withoutTenant<{ kind: string; oldest: Date | null; oldest_unannounced: Date | null }>('select * from work_ages($1, $2)', [now, PLACES]);
    late.throwIfAborted();
    const moving = await this.transaction.withoutTenant<{ status: string; documents: number }>('select * from moving_documents($1)', [DOCUMENTS]);
    late.throwIfAborted();
    const dead = await this.transaction.withoutTenant<{ table: string; rows: number }>(DEAD_ROWS, [QUEUES]);
    const age = (kind: string, since: Date | null): number => {
      const openSince = this.gates.openSince(kind);
      if (since === null || openSince === null) return 0;
      // A time to come is from before the clock was put back: it would hide for as long that work is late.
      const from = openSince === undefined || openSince > now ? since : new Date(Math.max(since.getTime(), openSince.getTime()));
      return Math.max(0, now.getTime() - from.getTime()) / 1_000;
    };
    return {
      ages: ages.map(({ kind, oldest }) => ({ kind, seconds: age(kind, oldest) })),
      lag: Math.max(0, ...ages.map(({ kind, oldest_unannounced }) => age(kind, oldest_unannounced))),
      moving,
      dead,
    };
  }
}
