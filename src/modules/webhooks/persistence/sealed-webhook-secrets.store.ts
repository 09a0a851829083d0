import type { Client } from 'pg';
import { connectAsOwner } from '../../../platform/database/owner-client.js';
import { NIL_UUID } from '../../../shared/uuid.js';

/** A stored secret of a webhook, as it is sealed for its record. */
export interface SealedWebhookSecretRow {
  readonly tenantId: string;
  readonly secretId: string;
  readonly webhookId: string;
  readonly sealed: Buffer;
}

interface Row {
  readonly tenant_id: string;
  readonly id: string;
  readonly webhook_id: string;
  readonly sealed_secret: Buffer;
}

/** The sealed webhook secrets of all tenants, for the schema's owner: the service's own role sees one tenant at a time. */
export class SealedWebhookSecretsStore {
  private constructor(private readonly client: Client) {}

  static async open(ownerUrl: string): Promise<SealedWebhookSecretsStore> {
    const client = await connectAsOwner(ownerUrl, 'rotate-master-key');
    return new SealedWebhookSecretsStore(client);
  }

  /** Up to `limit` secrets in order, after the given one; null begins. */
  async after(last: SealedWebhookSecretRow | null, limit: number): Promise<SealedWebhookSecretRow[]> {
    const place = [last?.tenantId ?? NIL_UUID, last?.secretId ?? NIL_UUID];
    const { rows } = await this.client.query<Row>('select * from sello.sealed_webhook_secrets_after($1, $2, $3)', [...place, limit]);
    return rows.map((row) => ({ tenantId: row.tenant_id, secretId: row.id, webhookId: row.webhook_id, sealed: row.sealed_secret }));
  }

  /** Puts another sealing in the place of the one that was read; nothing happens when that one is gone meanwhile. */
  async replace({ tenantId, secretId, sealed }: SealedWebhookSecretRow, anew: Buffer): Promise<void> {
    await this.client.query('select sello.replace_sealed_webhook_secret($1, $2, $3, $4)', [tenantId, secretId, sealed, anew]);
  }

  async close(): Promise<void> {
    await this.client.end();
  }
}
