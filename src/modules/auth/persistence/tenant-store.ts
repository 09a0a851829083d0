import { Client } from 'pg';
import type { SriEnvironment } from '../../../shared/tenant-context.js';

export interface NewTenant {
  readonly tenantId: string;
  readonly name: string;
  readonly apiKeyId: string;
  readonly apiKeyName: string;
  readonly apiKeyPrefix: string;
  readonly apiKeyHash: Buffer;
  readonly environment: SriEnvironment;
  readonly now: Date;
}

/** Writes tenants as the schema's owner: the service's own role may not create any. */
export class TenantStore {
  constructor(private readonly ownerUrl: string) {}

  /** Creates a tenant and its first API key, both or neither. */
  async create(tenant: NewTenant): Promise<void> {
    const client = new Client({ connectionString: this.ownerUrl });
    await client.connect();
    try {
      await client.query('select sello.provision_tenant($1, $2, $3, $4, $5, $6, $7, $8)', [
        tenant.tenantId,
        tenant.name,
        tenant.apiKeyId,
        tenant.apiKeyName,
        tenant.apiKeyPrefix,
        tenant.apiKeyHash,
        tenant.environment,
        tenant.now,
      ]);
    } finally {
      await client.end();
    }
  }
}
