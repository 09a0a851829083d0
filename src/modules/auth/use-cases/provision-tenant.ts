import { generateApiKey } from '../../../platform/security/api-key.js';
import type { Chance, Clock, Ids } from '../../../shared/ports.js';
import type { SriEnvironment } from '../../../shared/tenant-context.js';
import type { TenantsStore } from '../persistence/tenants.store.js';

export interface ProvisionedTenant {
  readonly tenantId: string;
  /** The clear key. Only its hash is stored: this is the one time it can be shown. */
  readonly apiKey: string;
}

/** Creates a tenant with its first API key: an operator's act, run by the start command and `provision`. */
export class ProvisionTenant {
  constructor(
    private readonly store: TenantsStore,
    private readonly environment: SriEnvironment,
    private readonly ports: { readonly clock: Clock; readonly ids: Ids; readonly chance: Chance },
  ) {}

  /** @param apiKeyName of its key; without one, or where it is blank, a name that says which it is */
  async execute(name: string, apiKeyName = ''): Promise<ProvisionedTenant> {
    const key = generateApiKey(this.ports.chance, this.environment);
    const tenantId = this.ports.ids.uuid();
    await this.store.create({
      tenantId,
      name,
      apiKeyId: this.ports.ids.uuid(),
      apiKeyName: apiKeyName.trim() || 'first key',
      apiKeyPrefix: key.prefix,
      apiKeyHash: key.hash,
      environment: this.environment,
      now: this.ports.clock.now(),
    });
    return { tenantId, apiKey: key.clear };
  }
}
