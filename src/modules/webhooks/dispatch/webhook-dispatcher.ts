import { type BeforeApplicationShutdown, Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { Shutdown } from '../../../platform/shutdown/shutdown.js';
import { CLOCK, type Clock, IDS, type Ids, SLEEPER, type Sleeper } from '../../../shared/ports.js';
import { type ClaimedDelivery, DispatchRepository } from '../persistence/dispatch.repository.js';
import { DeliveryAttempts, type DeliveryLease } from './delivery-attempts.js';

const PAUSE_AFTER_FAILURE_MS = 1_000;
/** Beside the time of the call itself: to begin, to open the secrets, to end, and to try the end again. */
const LEASE_MARGIN_MS = 10_000;
const NUDGED = new Error('there is room again');

/**
 * Takes due deliveries and makes them, as many at once as the settings say. Addresses that fail get at most half of the
 * room: however many of them hang, the others are served. Deliveries of a killed worker are due again when their lease runs
 * out; one that stops hands them back.
 */
@Injectable()
export class WebhookDispatcher implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly log = new Logger(WebhookDispatcher.name);
  private readonly underWay = new Map<Promise<void>, () => Promise<void>>();
  private failingUnderWay = 0;
  private stopping = false;
  private wake = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly work: DispatchRepository,
    private readonly attempts: DeliveryAttempts,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly shutdown: Shutdown,
  ) {}

  onApplicationBootstrap(): void {
    this.running = this.loop();
  }

  /** Takes nothing more. */
  onModuleDestroy(): void {
    this.stopping = true;
    this.wake.abort(NUDGED);
  }

  /** Lets what is under way end; what does not end in time is handed back, so that others go on at once. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.shutdown.within(this.running.then(() => Promise.all(this.underWay.keys())));
    await Promise.all(Array.from(this.underWay.values(), (handBack) => handBack()));
  }

  private async loop(): Promise<void> {
    while (!this.stopping) {
      this.wake = new AbortController();
      let pause = this.settings.WEBHOOK_POLL_MS;
      try {
        await this.take();
      } catch (error) {
        // PostgreSQL is away: what is due stays due.
        this.log.warn(`webhooks pause: ${(error as Error).message}`);
        pause = PAUSE_AFTER_FAILURE_MS;
      }
      await this.pause(pause);
    }
  }

  private async take(): Promise<void> {
    const { WEBHOOK_CONCURRENCY: all, WEBHOOK_PER_ENDPOINT: perWebhook } = this.settings;
    const room = all - this.underWay.size;
    if (room <= 0) return;
    const roomForFailing = Math.max(0, Math.floor(all / 2) - this.failingUnderWay);
    const token = this.ids.uuid();
    const claimedAt = this.clock.now();
    const leaseMs = this.settings.WEBHOOK_TIMEOUT_SECONDS * 1_000 + LEASE_MARGIN_MS;
    const claimed = await this.work.claim(token, claimedAt, leaseMs, { room, roomForFailing, perWebhook });
    // Time may have run out meanwhile: then nobody waits for what is begun.
    if (this.shutdown.timeIsUp.aborted) await Promise.all(claimed.map((delivery) => this.handBack(delivery, token)));
    else for (const delivery of claimed) this.follow(delivery, { token, claimedAt, leaseMs });
  }

  private follow(delivery: ClaimedDelivery, lease: DeliveryLease): void {
    if (delivery.isFailing) this.failingUnderWay += 1;
    const made = this.attempts.make(delivery, lease).finally(() => {
      this.underWay.delete(made);
      if (delivery.isFailing) this.failingUnderWay -= 1;
      this.wake.abort(NUDGED);
    });
    this.underWay.set(made, () => this.handBack(delivery, lease.token));
  }

  private async handBack({ tenantId, deliveryId }: ClaimedDelivery, token: string): Promise<void> {
    await this.work.giveBack(tenantId, deliveryId, token, this.clock.now()).catch((error: unknown) => {
      this.log.warn(`delivery ${deliveryId} waits until its lease runs out: ${(error as Error).message}`);
    });
  }

  private async pause(milliseconds: number): Promise<void> {
    try {
      await this.sleeper.sleep(milliseconds, this.wake.signal);
    } catch (error) {
      if (!this.wake.signal.aborted) throw error;
    }
  }
}
