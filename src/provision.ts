import { parseArgs } from 'node:util';
import { readSettings, sriEnvironment } from './config/settings.js';
import { ProvisionTenant, TenantsStore } from './modules/auth/public.js';
import { CryptoChance } from './platform/adapters/crypto-chance.js';
import { RandomIds } from './platform/adapters/random-ids.js';
import { SystemClock } from './platform/adapters/system-clock.js';
import { accountAddress } from './platform/http/email-address.js';
import { keyWasLost, runCommand, whyKeyWouldBeLost } from './platform/run-command.js';
import { UUID } from './shared/uuid.js';

const USAGE = `npm run provision -- ACT, which is one of:

  --name X [--key-name Y]             creates a tenant and prints its first API key, which is never shown again
  --platform-admin E-MAIL [--revoke]  makes a person with that proven address an administrator of the platform, or no more
  --disable-person E-MAIL             closes a person's account, whose sessions end at once; API keys that they made go on: created_by
                                      in GET /auth/api-keys of each tenant tells whose they are
  --enable-person E-MAIL              opens it again
  --take-ruc-claim RUC [--for TENANT] takes a RUC from the issuer that has claimed it: another may claim it then, its tenant not
                                      again; with the id of a tenant, that one alone
  --lift-ruc-bars RUC                 lets every tenant claim a RUC again that was taken or kept for one

It needs the settings of the service and DATABASE_OWNER_URL.`;

/** What it is asked to do: each names whom. */
const ACTS: readonly string[] = ['name', 'platform-admin', 'disable-person', 'enable-person', 'take-ruc-claim', 'lift-ruc-bars'];
/** What may be said with one of them alone. */
const DETAILS: Readonly<Record<string, string>> = { 'key-name': 'name', revoke: 'platform-admin', for: 'take-ruc-claim' };

/** The tenant that was made, to be named where its key cannot be printed. */
let made: string | null = null;

async function provision(): Promise<void> {
  const { values, tokens } = parseArgs({
    tokens: true,
    options: {
      name: { type: 'string' }, 'key-name': { type: 'string' },
      'platform-admin': { type: 'string' }, revoke: { type: 'boolean', default: false },
      'disable-person': { type: 'string' }, 'enable-person': { type: 'string' },
      'take-ruc-claim': { type: 'string' }, for: { type: 'string' }, 'lift-ruc-bars': { type: 'string' },
    },
  });
  refuseSeveral(tokens.filter((token) => token.kind === 'option').map((token) => token.name));
  const person = values['disable-person'] ?? values['enable-person'];
  if (person !== undefined) {
    await setDisabled(accountAddress(person.trim()), values['disable-person'] !== undefined);
    return;
  }
  if (values['take-ruc-claim'] !== undefined) {
    await takeClaim(values['take-ruc-claim'].trim(), values.for?.trim());
    return;
  }
  if (values['lift-ruc-bars'] !== undefined) {
    await liftBars(values['lift-ruc-bars'].trim());
    return;
  }
  if (values['platform-admin'] !== undefined) {
    await setPlatformAdmin(accountAddress(values['platform-admin'].trim()), !values.revoke);
    return;
  }
  const name = values.name ?? '';
  if (name.trim() === '') throw new Error('--name: the name of the tenant is required');
  const lost = whyKeyWouldBeLost();
  if (lost !== null) throw new Error(lost);
  const settings = readSettings();
  const ports = { clock: new SystemClock(), ids: new RandomIds(), chance: new CryptoChance() };
  const useCase = new ProvisionTenant(new TenantsStore(settings.DATABASE_OWNER_URL), sriEnvironment(settings), ports);
  const { tenantId, apiKey } = await useCase.execute(name, values['key-name']);
  made = tenantId;
  process.stdout.write(`${JSON.stringify({ tenant_id: tenantId, api_key: apiKey })}\n`);
}

/** One of two acts would be left undone without a word. */
function refuseSeveral(named: readonly string[]): void {
  const acts = named.filter((name) => ACTS.includes(name));
  if (acts.length > 1) throw new Error(`${acts.map((name) => `--${name}`).join(', ')}: one at a time`);
  for (const name of named) {
    const act = DETAILS[name];
    if (act !== undefined && !acts.includes(act)) throw new Error(`--${name}: only together with --${act}`);
  }
}

async function setPlatformAdmin(email: string, isAdmin: boolean): Promise<void> {
  const store = new TenantsStore(readSettings().DATABASE_OWNER_URL);
  if (!(await store.setPlatformAdmin(email, isAdmin, new SystemClock().now()))) throw new Error(`${email}: nobody with an account has proved to own this address`);
  process.stdout.write(`${JSON.stringify({ email, is_platform_admin: isAdmin })}\n`);
}

async function setDisabled(email: string, disabled: boolean): Promise<void> {
  const store = new TenantsStore(readSettings().DATABASE_OWNER_URL);
  if (!(await store.setPersonDisabled(email, disabled, new SystemClock().now()))) throw new Error(`${email}: nobody has an account under this address`);
  process.stdout.write(`${JSON.stringify({ email, is_disabled: disabled })}\n`);
}

async function takeClaim(ruc: string, tenantId?: string): Promise<void> {
  if (tenantId !== undefined && !UUID.test(tenantId)) throw new Error('--for: the id of a tenant, as /auth/me shows it');
  const settings = readSettings();
  const environment = sriEnvironment(settings);
  const store = new TenantsStore(settings.DATABASE_OWNER_URL);
  const now = new SystemClock().now();
  const done = tenantId === undefined ? await store.takeRucClaim(ruc, environment, now) : await store.reserveRuc(ruc, environment, tenantId, now);
  if (done === null) throw new Error(`--for: there is no tenant ${tenantId}`);
  if (!done) throw new Error(`${ruc}: no issuer has claimed this RUC in ${environment}`);
  process.stdout.write(`${JSON.stringify({ ruc, environment, ...(tenantId === undefined ? { is_claimed: false } : { reserved_for: tenantId }) })}\n`);
}

async function liftBars(ruc: string): Promise<void> {
  const settings = readSettings();
  const environment = sriEnvironment(settings);
  const tenants = await new TenantsStore(settings.DATABASE_OWNER_URL).liftRucBars(ruc, environment);
  if (tenants === null) throw new Error(`${ruc}: no issuer has ever claimed this RUC in ${environment}`);
  process.stdout.write(`${JSON.stringify({ ruc, environment, tenants_barred_until_now: tenants })}\n`);
}

await runCommand({ usage: USAGE, otherwise: 'provisioning failed', aftermath: () => (made === null ? '' : keyWasLost(`tenant ${made} was made, its key`)) }, provision);
