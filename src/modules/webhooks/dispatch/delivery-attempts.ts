import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { GuardedPost, type PostOutcome } from '../../../platform/egress/guarded-post.js';
import { KillPoints } from '../../../platform/faults/kill-points.js';
import { Meters } from '../../../platform/observability/meters.js';
import { EnvelopeError } from '../../../platform/secrets/key-wrapper.js';
import { ofDocument } from '../../../platform/tracing/document-trace.js';
import { failSpan, type NewSpan, noteSpan, traced } from '../../../platform/tracing/spans.js';
import { CLOCK, type Clock, IDS, type Ids, SLEEPER, type Sleeper } from '../../../shared/ports.js';
import { eventPayload } from '../../events/public.js';
import { isDelivered, nextAttemptAt } from '../domain/schedule.js';
import { type BegunAttempt, type ClaimedDelivery, DispatchRepository, type EndedAttempt } from '../persistence/dispatch.repository.js';
import { signedHeaders } from './standard-signature.js';
import { SigningSecrets } from './signing-secrets.js';

/** So long after the claim the rest of the lease is no longer enough for all that may take time. */
const LATE_MS = 1_000;
const ENDING_TRIES = 3;
const ENDING_PAUSE_MS = 500;

type Outcome = PostOutcome | { readonly noAnswer: 'secret_unavailable' | 'internal' };

/** Under what a worker makes deliveries. */
export interface DeliveryLease {
  readonly token: string;
  readonly claimedAt: Date;
  readonly leaseMs: number;
}

/** One attempt to deliver: on record before it is made, signed anew, judged by its status alone. */
@Injectable()
export class DeliveryAttempts {
  private readonly log = new Logger(DeliveryAttempts.name);
  private readonly ladderMs: readonly number[];

  constructor(
    private readonly work: DispatchRepository,
    private readonly secrets: SigningSecrets,
    private readonly http: GuardedPost,
    private readonly killPoints: KillPoints,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly meters: Meters,
  ) {
    this.ladderMs = settings.WEBHOOK_LADDER.map((seconds) => seconds * 1_000);
  }

  /** Makes the attempt that a lease stands for. Never throws: what could not be put on record is due again when the lease runs out. */
  async make({ tenantId, deliveryId }: ClaimedDelivery, lease: DeliveryLease): Promise<void> {
    const { token } = lease;
    try {
      const begun = await this.begin(tenantId, deliveryId, lease);
      if (begun === null) return;
      await traced(spanOf(tenantId, deliveryId, begun), async () => {
        await this.killPoints.pass('before-webhook');
        const startedAt = this.clock.now();
        const outcome = await this.send(tenantId, begun, startedAt);
        const now = this.clock.now();
        await this.killPoints.pass('after-webhook');
        const judged = this.judged(begun, outcome, now, now.getTime() - startedAt.getTime());
        this.meters.time('webhookDeliveries', { outcome: judged.outcome }, judged.durationMs);
        noteSpan({ 'sello.outcome': judged.outcome, 'http.response.status_code': judged.statusCode ?? undefined });
        if (judged.outcome !== 'delivered') failSpan(judged.outcome);
        await this.end(tenantId, deliveryId, token, now, judged);
      });
    } catch (error) {
      this.log.warn(`delivery ${deliveryId}: ${(error as Error).message}; it is made again`);
    }
  }

  /** A worker that was held up since the claim takes the lease anew: it would run out under the call, and another worker would call too. */
  private async begin(tenantId: string, deliveryId: string, { token, claimedAt, leaseMs }: DeliveryLease): Promise<BegunAttempt | null> {
    const now = this.clock.now();
    if (now.getTime() - claimedAt.getTime() > LATE_MS && !(await this.work.renew(tenantId, deliveryId, token, now, leaseMs))) return null;
    return this.work.begin(tenantId, deliveryId, token, this.clock.now());
  }

  /** Never throws: an attempt that never ended would be made again at every lease, for ever. */
  private async send(tenantId: string, { webhook_id, url, secrets: sealed, event }: BegunAttempt, at: Date): Promise<Outcome> {
    try {
      const body = JSON.stringify(eventPayload(event));
      const secrets = await this.secrets.open(tenantId, webhook_id, sealed);
      const headers = { 'content-type': 'application/json', 'user-agent': 'Sello-Webhooks/1', ...signedHeaders(event.id, at, body, secrets) };
      return await this.http.post(url, headers, body, this.settings.WEBHOOK_TIMEOUT_SECONDS * 1_000);
    } catch (error) {
      const code = error instanceof EnvelopeError ? 'secret_unavailable' : 'internal';
      this.log.error(`event ${event.id} cannot be sent to webhook ${webhook_id} (${code}): ${(error as Error).message}`);
      this.meters.count('ownFaults', { source: 'webhook', code });
      return { noAnswer: code };
    }
  }

  private judged({ number, round, event }: BegunAttempt, outcome: Outcome, now: Date, durationMs: number): EndedAttempt {
    const status = 'status' in outcome ? outcome.status : null;
    return {
      number,
      outcome: 'noAnswer' in outcome ? outcome.noAnswer : isDelivered(status) ? 'delivered' : 'refused',
      statusCode: status,
      durationMs,
      nextAt: nextAttemptAt({ status, round, kind: event.type }, now, this.ladderMs),
      eventId: this.ids.uuid(),
    };
  }

  /** What the receiver has acknowledged is worth some patience with the database. */
  private async end(tenantId: string, deliveryId: string, token: string, now: Date, ended: EndedAttempt): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.work.end(tenantId, deliveryId, token, now, ended, this.settings.WEBHOOK_DISABLE_AFTER_SECONDS * 1_000);
        return;
      } catch (error) {
        if (attempt === ENDING_TRIES) throw error;
        await this.sleeper.sleep(ENDING_PAUSE_MS);
      }
    }
  }
}

/** In the trace of the document that the event is about, where there is one. The address is the receiver's secret. */
function spanOf(tenantId: string, deliveryId: string, { webhook_id, number, event }: BegunAttempt): NewSpan {
  const attributes = { 'sello.delivery_id': deliveryId, 'sello.webhook_id': webhook_id, 'sello.event_type': event.type, 'sello.attempt': number };
  const { id: documentId } = (event.data['document'] ?? {}) as { readonly id?: string };
  const span = documentId === undefined ? { name: 'webhook', attributes: { 'sello.tenant_id': tenantId, ...attributes } } : ofDocument('webhook', { tenantId, documentId }, attributes);
  return { ...span, kind: 'client' };
}
