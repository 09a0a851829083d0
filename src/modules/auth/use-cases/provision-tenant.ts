import { fieldMessage } from '../../../platform/http/field-messages.js';
import { generateApiKey } from '../../../platform/security/api-key.js';
import type { Chance, Clock, Ids } from '../../../shared/ports.js';
import type { SriEnvironment } from '../../../shared/tenant-context.js';
import { normaliseText, textProblem } from '../../../shared/text.js';
import type { TenantsStore } from '../persistence/tenants.store.js';

export interface ProvisionedTenant {
  readonly tenantId: string;
  /** The clear key. Only its hash is stored: this is the one time it can be shown. */
  readonly apiKey: string;
}

/** As the interface takes them of who founds a tenant, and of who makes a key; in code points. */
const LONGEST_NAME = 200;
const LONGEST_KEY_NAME = 100;

/** Creates a tenant with its first API key: an operator's act, run by the start command and `provision`. */
export class ProvisionTenant {
  constructor(
    private readonly store: TenantsStore,
    private readonly environment: SriEnvironment,
    private readonly ports: { readonly clock: Clock; readonly ids: Ids; readonly chance: Chance },
  ) {}

  /**
   * @param apiKeyName of its key; without one, or where it is blank, a name that says which it is
   * @throws Error naming the option of the commands, for a name that the interface would not take
   */
  async execute(name: string, apiKeyName = ''): Promise<ProvisionedTenant> {
    const taken = nameOf('--name', name, LONGEST_NAME);
    const takenOfKey = nameOf('--key-name', normaliseText(apiKeyName) || 'first key', LONGEST_KEY_NAME);
    const key = generateApiKey(this.ports.chance, this.environment);
    const tenantId = this.ports.ids.uuid();
    await this.store.create({
      tenantId,
      name: taken,
      apiKeyId: this.ports.ids.uuid(),
      apiKeyName: takenOfKey,
      apiKeyPrefix: key.prefix,
      apiKeyHash: key.hash,
      environment: this.environment,
      now: this.ports.clock.now(),
    });
    return { tenantId, apiKey: key.clear };
  }
}

function nameOf(option: string, text: string, max: number): string {
  const name = normaliseText(text);
  const problem = textProblem(name, { min: 1, max });
  if (problem !== null) throw new Error(`${option}: ${fieldMessage(problem.type, problem.ctx, 'en')}`);
  return name;
}
