import { parseArgs } from 'node:util';
import { readSettings, sriEnvironment } from './config/settings.js';
import { ProvisionTenant, TenantStore } from './modules/auth/public.js';
import { CryptoChance } from './platform/adapters/crypto-chance.js';
import { RandomIds } from './platform/adapters/random-ids.js';
import { SystemClock } from './platform/adapters/system-clock.js';

/** `provision --name X [--key-name Y]`: creates a tenant and prints `{tenant_id, api_key}`; the key is never shown again. */
async function provision(): Promise<void> {
  const { values } = parseArgs({ options: { name: { type: 'string' }, 'key-name': { type: 'string' } } });
  const name = values.name?.trim() ?? '';
  if (name === '') throw new Error('--name: the name of the tenant is required');
  const settings = readSettings();
  const ports = { clock: new SystemClock(), ids: new RandomIds(), chance: new CryptoChance() };
  const useCase = new ProvisionTenant(new TenantStore(settings.DATABASE_OWNER_URL), sriEnvironment(settings), ports);
  const { tenantId, apiKey } = await useCase.execute(name, values['key-name']);
  process.stdout.write(`${JSON.stringify({ tenant_id: tenantId, api_key: apiKey })}\n`);
}

provision().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : 'provisioning failed'}\n`);
  process.exitCode = 1;
});
