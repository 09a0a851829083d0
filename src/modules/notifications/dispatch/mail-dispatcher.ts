import { type BeforeApplicationShutdown, Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { Mailer } from '../../../platform/mail/mailer.js';
import { Shutdown } from '../../../platform/shutdown/shutdown.js';
import { CLOCK, type Clock, IDS, type Ids, SLEEPER, type Sleeper } from '../../../shared/ports.js';
import { type ClaimedWork, MailWorkRepository } from '../persistence/mail-work.repository.js';
import { MailCourier } from './mail-courier.js';

const PAUSE_AFTER_FAILURE_MS = 1_000;
/** Mails that end within so short a time make room together, for which the database is asked once. */
const GATHERING_MS = 15;
/** Share of a stopping process' time for mails that are being written or sent. */
const SHARE_OF_SHUTDOWN = 0.5;
const NUDGED = new Error('there is room for more mails');

/**
 * Sends the mails that are due, a few at a time. Runs in every worker process. A mail is sent at least once: what a
 * process that dies was sending is sent again under the same Message-ID when its lease has run out.
 */
@Injectable()
export class MailDispatcher implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly log = new Logger(MailDispatcher.name);
  private readonly stopping = new AbortController();
  private readonly underway = new Set<Promise<void>>();
  private wake = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private isFull = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(
    private readonly work: MailWorkRepository,
    private readonly courier: MailCourier,
    private readonly mailer: Mailer,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly shutdown: Shutdown,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.mailer.isReady) this.log.warn('SMTP_URL is not set: mails are not sent; those of documents and to admins wait, and fail when MAIL_LADDER ends');
    this.running = this.loop();
  }

  /** Takes no further mails and lets those under way end; what does not end in time is given back. */
  onModuleDestroy(): void {
    this.ended = this.end();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.ended;
  }

  private async end(): Promise<void> {
    this.stopping.abort();
    this.wake.abort(NUDGED);
    const done = new AbortController();
    const limit = this.sleeper.sleep(this.settings.SHUTDOWN_SECONDS * 1_000 * SHARE_OF_SHUTDOWN, done.signal).then(
      () => this.courier.giveUp(),
      () => undefined,
    );
    await this.shutdown.within(this.running.then(() => Promise.all(this.underway)));
    done.abort();
    await limit;
  }

  private async loop(): Promise<void> {
    for (;;) {
      await this.pause();
      if (this.stopping.signal.aborted) return;
      this.wake = new AbortController();
      const room = this.settings.MAIL_CONCURRENCY - this.underway.size;
      if (room <= 0) continue;
      try {
        const token = this.ids.uuid();
        const claimedAt = this.clock.now();
        const claimed = await this.work.claim(token, claimedAt, this.settings.MAIL_LEASE_SECONDS * 1_000, room);
        this.isFull = claimed.length === room;
        for (const row of claimed) this.begin(row, token, claimedAt);
      } catch (error) {
        this.log.warn(`mails pause: ${(error as Error).message}`);
        await this.sleeper.sleep(PAUSE_AFTER_FAILURE_MS);
      }
    }
  }

  private async pause(): Promise<void> {
    try {
      await this.sleeper.sleep(this.settings.MAIL_INTERVAL_MS, this.wake.signal);
    } catch (error) {
      if (!this.wake.signal.aborted) throw error;
      if (!this.stopping.signal.aborted) await this.sleeper.sleep(GATHERING_MS);
    }
  }

  private begin(row: ClaimedWork, token: string, claimedAt: Date): void {
    const sending = this.courier
      .serve(row, token, claimedAt)
      .catch((error: unknown) => this.log.error(`mail ${row.id}: ${(error as Error).message}`))
      .finally(() => {
        this.underway.delete(sending);
        if (this.isFull) this.wake.abort(NUDGED);
      });
    this.underway.add(sending);
  }
}
