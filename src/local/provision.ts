import pg from 'pg';
import { CryptoChance } from '../platform/adapters/crypto-chance.js';
import { RandomIds } from '../platform/adapters/random-ids.js';
import { generateApiKey } from '../platform/security/api-key.js';

export interface ProvisionedTenant {
  readonly tenantId: string;
  /** Shown nowhere else: only its hash is stored. */
  readonly apiKey: string;
}

/**
 * Creates a tenant with its first API key, as an operator does: with the login
 * that owns the schema.
 */
export async function provisionTenant(ownerUrl: string, name: string): Promise<ProvisionedTenant> {
  const ids = new RandomIds();
  const tenantId = ids.uuid();
  const key = generateApiKey(new CryptoChance(), 'TEST');
  const owner = new pg.Client({ connectionString: ownerUrl, options: '-c search_path=sello' });
  await owner.connect();
  try {
    await owner.query('select provision_tenant($1, $2, $3, $4, $5, $6, $7, $8)', [
      tenantId,
      name,
      ids.uuid(),
      'demo',
      key.prefix,
      key.hash,
      'TEST',
      new Date(),
    ]);
  } finally {
    await owner.end();
  }
  return { tenantId, apiKey: key.clear };
}
