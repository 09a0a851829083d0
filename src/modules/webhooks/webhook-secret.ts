import { Inject, Injectable } from '@nestjs/common';
import { Envelope, type SealedSecret } from '../../platform/secrets/envelope.js';
import { CHANCE, type Chance, IDS, type Ids } from '../../shared/ports.js';
import { SECRET_PREFIX } from './dispatch/standard-signature.js';

const SECRET_BYTES = 32;

export interface NewWebhookSecret {
  readonly id: string;
  readonly sealed: SealedSecret;
  /** Goes to the tenant once and nowhere else. */
  readonly clear: string;
}

/** Draws the secrets that sign messages. */
@Injectable()
export class WebhookSecrets {
  constructor(
    private readonly envelope: Envelope,
    @Inject(CHANCE) private readonly chance: Chance,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  /** A new secret, sealed for its webhook. */
  async draw(tenantId: string, webhookId: string): Promise<NewWebhookSecret> {
    const secret = Buffer.from(this.chance.bytes(SECRET_BYTES));
    try {
      const id = this.ids.uuid();
      const sealed = await this.envelope.seal(secret, { tenantId, webhookId, secretId: id });
      return { id, sealed, clear: `${SECRET_PREFIX}${secret.toString('base64')}` };
    } finally {
      secret.fill(0);
    }
  }
}
