import 'reflect-metadata';
import { readSettings, SettingsError, sriEnvironment } from '../../config/settings.js';
import { ProvisionTenant, TenantsStore } from '../../modules/auth/public.js';
import { CryptoChance } from '../../platform/adapters/crypto-chance.js';
import { RandomIds } from '../../platform/adapters/random-ids.js';
import { SystemClock } from '../../platform/adapters/system-clock.js';
import { CliFailure } from '../failure.js';
import { refuseLostKey, tellLostKey } from '../lost-key.js';
import type { Output } from '../output.js';

/** `sello tenants create`: an operator's act, over the database and with the settings of the service. */
export async function createTenant(output: Output, name: string, keyName: string | undefined): Promise<void> {
  refuseLostKey();
  const settings = operatorSettings();
  const ports = { clock: new SystemClock(), ids: new RandomIds(), chance: new CryptoChance() };
  const tenant = await new ProvisionTenant(new TenantsStore(settings.DATABASE_OWNER_URL), sriEnvironment(settings), ports).execute(name, keyName);
  tellLostKey(`tenant ${tenant.tenantId} was made, its key`);
  output.tell({ tenant_id: tenant.tenantId, api_key: tenant.apiKey }, [tenant.apiKey, `  tenant ${tenant.tenantId}: keep the key now, it is not shown again`]);
}

function operatorSettings(): ReturnType<typeof readSettings> {
  try {
    return readSettings();
  } catch (error) {
    if (error instanceof SettingsError) throw new CliFailure('usage', `${error.message}\nTenants are made by who runs the service: load its settings first, e.g. set -a; . .sello/env; set +a`);
    throw error;
  }
}
