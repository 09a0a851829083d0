import type { Client } from 'pg';
import { connectAsOwner } from '../../../platform/database/owner-client.js';
import { NIL_UUID } from '../../../shared/uuid.js';

/** A stored private key, as it is sealed for its record. */
export interface SealedKey {
  readonly tenantId: string;
  readonly certificateId: string;
  readonly issuerId: string;
  readonly sealed: Buffer;
  /** Nobody signs with one that is not. */
  readonly isActive: boolean;
}

interface Row {
  readonly tenant_id: string;
  readonly id: string;
  readonly issuer_id: string;
  readonly sealed_key: Buffer;
  readonly is_active: boolean;
}

/** The sealed keys of all tenants, for the schema's owner: the service's own role sees one tenant at a time. */
export class SealedKeysStore {
  private constructor(private readonly client: Client) {}

  static async open(ownerUrl: string): Promise<SealedKeysStore> {
    const client = await connectAsOwner(ownerUrl, 'rotate-master-key');
    return new SealedKeysStore(client);
  }

  /** Up to `limit` keys of certificates that are not revoked, in order, after the given one; null begins. */
  async after(last: SealedKey | null, limit: number): Promise<SealedKey[]> {
    const place = [last?.tenantId ?? NIL_UUID, last?.certificateId ?? NIL_UUID];
    const { rows } = await this.client.query<Row>('select * from sello.sealed_keys_to_rotate($1, $2, $3)', [...place, limit]);
    return rows.map((row) => ({ tenantId: row.tenant_id, certificateId: row.id, issuerId: row.issuer_id, sealed: row.sealed_key, isActive: row.is_active }));
  }

  /** Puts another sealing in the place of the one that was read; nothing happens when that one is gone meanwhile. */
  async replace({ tenantId, certificateId, sealed }: SealedKey, anew: Buffer): Promise<void> {
    await this.client.query('select sello.replace_sealed_key($1, $2, $3, $4)', [tenantId, certificateId, sealed, anew]);
  }

  async close(): Promise<void> {
    await this.client.end();
  }
}
