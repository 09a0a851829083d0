import { InjectQueue } from '@nestjs/bull';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { JobOptions, Queue } from 'bull';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { CLOCK, type Clock, SLEEPER, type Sleeper } from '../../shared/ports.js';
import { answerWithin } from '../answer-time.js';
import { noteKey, PROBE, RedisProbe } from '../observability/redis-probe.js';
import { type Announcement, DueWork } from '../outbox/due-work.js';

export const ISSUANCE_QUEUE = 'issuance';

/** A job carries ids only; everything else is read from PostgreSQL. */
export interface IssuanceJob {
  readonly tenantId: string;
  readonly documentId: string;
}

/** Bells that may wait for Redis before further ones are left to the sweeper. */
const MAX_WAITING = 5_000;
const ANSWER_MS = 1_000;
/** Jobs in the queue for each that a worker handles at once: enough for it to go on while the relay looks for more, and few enough that a fresh document does not wait long. */
const QUEUED_PER_SLOT = 0.5;
/** Share of what may wait, or be in hand, at which it is filled up again: looking for due work costs much the same for one document as for many. */
export const REFILL_AT = 0.5;
/** How long a Redis that failed is not asked to take jobs: work goes on without it, and does not wait a second each time for it to be silent. */
const REST_AFTER_FAILURE_MS = 5_000;
/** How long Redis is trusted to take jobs for having taken something. */
const PROOF_HOLDS_MS = 5_000;

/**
 * Wakes workers through Bull. A bell may be lost, repeated or late: due work is a
 * row in PostgreSQL that is announced again until somebody claims it.
 */
@Injectable()
export class IssuanceBell extends RedisProbe implements OnApplicationShutdown {
  private readonly log = new Logger(IssuanceBell.name);
  private waiting: Announcement[] = [];
  private ringing: Promise<void> | null = null;
  private restsUntil = 0;
  /** Redis failed, and has taken no job since. */
  private isDoubted = false;
  /** When Redis last took something, in epoch milliseconds. */
  private tookAt = -Infinity;

  constructor(
    @InjectQueue(ISSUANCE_QUEUE) private readonly queue: Queue<IssuanceJob>,
    private readonly work: DueWork,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    super();
  }

  /** Rings for one document without making the caller wait on Redis. */
  ringSoon(announcement: Announcement): void {
    if (this.waiting.length >= MAX_WAITING) return;
    this.waiting.push(announcement);
    this.ringing ??= this.drain();
  }

  /**
   * Rings for all and waits for Redis, at most a second; for some seconds after a failure not at all.
   * @throws Error when Redis did not take the jobs
   */
  async ring(announcements: readonly Announcement[]): Promise<void> {
    if (announcements.length === 0) return;
    const at = this.clock.now().getTime();
    const jobs = announcements.map(({ tenantId, documentId, announcement }) => ({
      name: 'advance',
      data: { tenantId, documentId },
      // Bull silently ignores a job id it has seen: every announcement gets its own.
      opts: { jobId: `${documentId}:${announcement}:${at}`, removeOnComplete: true, removeOnFail: true, attempts: 1 },
    }));
    await this.unlessItRests(() => {
      this.mustBeConnected();
      return this.add(jobs);
    });
    if (this.isDoubted) this.log.log('Redis takes jobs again');
    this.isDoubted = false;
    this.tookAt = at;
  }

  /**
   * How many jobs may be added before the queue is longer than keeps a worker busy. At least one while it is doubted that
   * Redis takes any, to learn when it does.
   * @throws Error when Redis does not answer or takes nothing, and for some seconds after
   */
  async room(): Promise<number> {
    const waiting = await this.unlessItRests(async () => {
      const jobs = await this.waitingJobs();
      if (jobs >= this.longest()) await this.proveThatItTakes();
      return jobs;
    });
    return Math.max(this.isDoubted ? 1 : 0, this.longest() - waiting);
  }

  /**
   * How many jobs fill the queue up; 0 while it is long enough to be left alone.
   * @throws Error when Redis does not answer or takes nothing, and for some seconds after
   */
  async roomToRefill(): Promise<number> {
    const room = await this.room();
    return this.isDoubted || room >= this.longest() * (1 - REFILL_AT) ? room : 0;
  }

  private longest(): number {
    return Math.ceil(this.settings.WORKER_CONCURRENCY * QUEUED_PER_SLOT);
  }

  /**
   * Jobs that no worker has taken yet.
   * @throws Error when Redis does not answer
   */
  async waitingJobs(): Promise<number> {
    this.mustBeConnected();
    return this.withinLimit(this.queue.getWaitingCount());
  }

  /** What was noted under a name. @throws Error when Redis does not answer within a second */
  async recall(name: string): Promise<string | null> {
    this.mustBeConnected();
    return this.withinLimit(this.queue.client.get(noteKey(this.settings.QUEUE_PREFIX, name)));
  }

  /** Notes a value under a name. @throws Error when Redis does not answer within a second */
  async note(name: string, value: string): Promise<void> {
    this.mustBeConnected();
    await this.withinLimit(this.queue.client.set(noteKey(this.settings.QUEUE_PREFIX, name), value));
  }

  /**
   * Bull adds jobs in one transaction and takes that for done when it ran: what Redis refused within it (it only reads, or
   * has lost its scripts) has no id. Such a connection is made anew, for it would be refused again and again.
   */
  private async add(jobs: readonly { name: string; data: IssuanceJob; opts: JobOptions }[]): Promise<void> {
    const added = await this.withinLimit(this.queue.addBulk([...jobs]));
    if (added.every(({ id }) => typeof id === 'string')) return;
    this.queue.client.disconnect(true);
    throw new Error('Redis refused jobs');
  }

  /** Nobody rings while the queue is full, and in a Redis that only reads it is full for ever. */
  private async proveThatItTakes(): Promise<void> {
    const now = this.clock.now().getTime();
    // Before it, for a clock that was put back.
    if (now >= this.tookAt && now - this.tookAt < PROOF_HOLDS_MS) return;
    await this.note(PROBE.name, PROBE.value);
    this.tookAt = now;
  }

  /** While Redis is away ioredis would queue commands without bound. */
  private mustBeConnected(): void {
    if (this.queue.client.status !== 'ready') throw new Error('Redis is not connected');
  }

  private async unlessItRests<T>(ask: () => Promise<T>): Promise<T> {
    const now = this.clock.now().getTime();
    const rest = this.restsUntil - now;
    // Longer than it began with, it is of a clock that was put back.
    if (rest > 0 && rest <= REST_AFTER_FAILURE_MS) throw new Error('Redis failed a moment ago');
    try {
      return await ask();
    } catch (error) {
      if (!this.isDoubted) this.log.warn(`Redis takes no jobs, workers look for due work without it: ${(error as Error).message}`);
      this.restsUntil = now + REST_AFTER_FAILURE_MS;
      this.isDoubted = true;
      throw error;
    }
  }

  private withinLimit<T>(answer: Promise<T>): Promise<T> {
    return answerWithin(this.sleeper, ANSWER_MS, answer);
  }

  private async drain(): Promise<void> {
    try {
      while (this.waiting.length > 0) {
        const batch = this.waiting;
        this.waiting = [];
        await this.work.leaveToRelay(await this.unrung(batch));
      }
    } catch (error) {
      // Not lost: the rows are due, and workers look for them again once nobody came for them.
      this.log.warn(`documents wait to be looked for: ${(error as Error).message}`);
      this.waiting = [];
    } finally {
      this.ringing = null;
    }
  }

  /** Rings for as many as the queue has room for. @returns the others */
  private async unrung(batch: readonly Announcement[]): Promise<readonly Announcement[]> {
    try {
      // In a long queue everybody would wait for whoever filled it. The relay announces what exceeds it, tenants in turns.
      const room = await this.room();
      await this.ring(batch.slice(0, room));
      return batch.slice(room);
    } catch {
      // Told when it began.
      return batch;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.ringing;
  }
}
