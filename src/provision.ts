import { parseArgs } from 'node:util';
import { readSettings, sriEnvironment } from './config/settings.js';
import { ProvisionTenant, TenantStore } from './modules/auth/public.js';
import { CryptoChance } from './platform/adapters/crypto-chance.js';
import { RandomIds } from './platform/adapters/random-ids.js';
import { SystemClock } from './platform/adapters/system-clock.js';
import { runCommand } from './platform/run-command.js';

/**
 * `provision --name X [--key-name Y]`: creates a tenant and prints `{tenant_id, api_key}`; the key is never shown again.
 * `provision --platform-admin E-MAIL [--revoke]`: makes a person with that proven address an administrator of the platform.
 * `provision --disable-person E-MAIL`, `--enable-person E-MAIL`: closes an account, whose sessions end at once, or opens it again.
 * `provision --take-ruc-claim RUC`: takes a RUC from the issuer that has claimed it, so that another may and its tenant may not again.
 * `provision --lift-ruc-bars RUC`: lets the tenants from whom a RUC was taken claim it again.
 */
async function provision(): Promise<void> {
  const { values } = parseArgs({
    options: {
      name: { type: 'string' }, 'key-name': { type: 'string' },
      'platform-admin': { type: 'string' }, revoke: { type: 'boolean', default: false },
      'disable-person': { type: 'string' }, 'enable-person': { type: 'string' },
      'take-ruc-claim': { type: 'string' }, 'lift-ruc-bars': { type: 'string' },
    },
  });
  const person = values['disable-person'] ?? values['enable-person'];
  if (person !== undefined) {
    await close(person.trim().toLowerCase(), values['disable-person'] !== undefined);
    return;
  }
  if (values['take-ruc-claim'] !== undefined) {
    await takeClaim(values['take-ruc-claim'].trim());
    return;
  }
  if (values['lift-ruc-bars'] !== undefined) {
    await liftBars(values['lift-ruc-bars'].trim());
    return;
  }
  if (values['platform-admin'] !== undefined) {
    await appoint(values['platform-admin'].trim().toLowerCase(), !values.revoke);
    return;
  }
  const name = values.name?.trim() ?? '';
  if (name === '') throw new Error('--name: the name of the tenant is required');
  const settings = readSettings();
  const ports = { clock: new SystemClock(), ids: new RandomIds(), chance: new CryptoChance() };
  const useCase = new ProvisionTenant(new TenantStore(settings.DATABASE_OWNER_URL), sriEnvironment(settings), ports);
  const { tenantId, apiKey } = await useCase.execute(name, values['key-name']);
  process.stdout.write(`${JSON.stringify({ tenant_id: tenantId, api_key: apiKey })}\n`);
}

async function appoint(email: string, isAdmin: boolean): Promise<void> {
  const store = new TenantStore(readSettings().DATABASE_OWNER_URL);
  if (!(await store.setPlatformAdmin(email, isAdmin, new SystemClock().now()))) throw new Error(`${email}: nobody with an account has proved to own this address`);
  process.stdout.write(`${JSON.stringify({ email, is_platform_admin: isAdmin })}\n`);
}

async function close(email: string, disabled: boolean): Promise<void> {
  const store = new TenantStore(readSettings().DATABASE_OWNER_URL);
  if (!(await store.setPersonDisabled(email, disabled, new SystemClock().now()))) throw new Error(`${email}: nobody has an account under this address`);
  process.stdout.write(`${JSON.stringify({ email, is_disabled: disabled })}\n`);
}

async function takeClaim(ruc: string): Promise<void> {
  const settings = readSettings();
  const environment = sriEnvironment(settings);
  const store = new TenantStore(settings.DATABASE_OWNER_URL);
  if (!(await store.takeRucClaim(ruc, environment, new SystemClock().now()))) throw new Error(`${ruc}: no issuer has claimed this RUC in ${environment}`);
  process.stdout.write(`${JSON.stringify({ ruc, environment, is_claimed: false })}\n`);
}

async function liftBars(ruc: string): Promise<void> {
  const settings = readSettings();
  const environment = sriEnvironment(settings);
  const tenants = await new TenantStore(settings.DATABASE_OWNER_URL).liftRucBars(ruc, environment);
  if (tenants === null) throw new Error(`${ruc}: no issuer has ever claimed this RUC in ${environment}`);
  process.stdout.write(`${JSON.stringify({ ruc, environment, tenants_barred_until_now: tenants })}\n`);
}

await runCommand(provision, 'provisioning failed');
