import { Inject, Injectable } from '@nestjs/common';
import { Envelope } from '../../../platform/secrets/envelope.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { SealedWebhookSecret } from '../persistence/dispatch.repository.js';

/** A clear secret is used at most this long. It leaves the memory when an event is signed after that. */
const KEEP_MS = 5 * 60 * 1_000;
const MAX_SECRETS = 2_000;

/** Opens the secrets that sign, and keeps those in use for a few minutes: the keeper of the master key may be far away. */
@Injectable()
export class SigningSecrets {
  private readonly opened = new Map<string, { readonly secret: Promise<Buffer>; readonly until: number }>();

  constructor(
    private readonly envelope: Envelope,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws EnvelopeError when the master key is not at hand, or a secret does not open */
  async open(tenantId: string, webhookId: string, sealed: readonly SealedWebhookSecret[]): Promise<Buffer[]> {
    return Promise.all(sealed.map((one) => this.openOne(tenantId, webhookId, one)));
  }

  private async openOne(tenantId: string, webhookId: string, { id, sealed }: SealedWebhookSecret): Promise<Buffer> {
    const name = `${tenantId}/${webhookId}/${id}`;
    const now = this.clock.now().getTime();
    for (const [other, { until }] of this.opened) if (until <= now || this.opened.size > MAX_SECRETS) this.opened.delete(other);
    const kept = this.opened.get(name) ?? { secret: this.envelope.open(Buffer.from(sealed, 'base64'), { tenantId, webhookId, secretId: id }), until: now + KEEP_MS };
    this.opened.set(name, kept);
    try {
      return await kept.secret;
    } catch (error) {
      if (this.opened.get(name) === kept) this.opened.delete(name);
      throw error;
    }
  }
}
