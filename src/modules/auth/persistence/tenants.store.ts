import type { QueryResultRow } from 'pg';
import { SettingsError } from '../../../config/settings.js';
import { OWN_SQL_STATE } from '../../../platform/database/own-sql-state.js';
import { connectAsOwner } from '../../../platform/database/owner-client.js';
import { sqlDetail, sqlState } from '../../../platform/database/sql-error.js';
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

/** Writes as the schema's owner what the service's own role may not: tenants with a key, administrators of the platform. */
export class TenantsStore {
  constructor(private readonly ownerUrl: string) {}

  /**
   * Creates a tenant and its first API key, both or neither.
   * @throws SettingsError when the database serves the other environment, whose processes would never take the key
   */
  async create(tenant: NewTenant): Promise<void> {
    try {
      await this.query('select sello.provision_tenant($1, $2, $3, $4, $5, $6, $7, $8)', [
        tenant.tenantId,
        tenant.name,
        tenant.apiKeyId,
        tenant.apiKeyName,
        tenant.apiKeyPrefix,
        tenant.apiKeyHash,
        tenant.environment,
        tenant.now,
      ]);
    } catch (error) {
      if (sqlState(error) !== OWN_SQL_STATE.otherEnvironment) throw error;
      throw otherEnvironment(sqlDetail(error), `where a key of ${tenant.environment} would be refused`, error);
    }
  }

  /** Makes the person of an address an administrator of the platform, or no longer; false when nobody has proved to own it. */
  async setPlatformAdmin(email: string, isAdmin: boolean, now: Date): Promise<boolean> {
    const [row] = await this.query<{ done: boolean }>('select sello.set_platform_admin($1, $2, $3) as done', [email, isAdmin, now]);
    return row?.done === true;
  }

  /** Closes the account of an address, ending its sessions, or opens it again; false when nobody has the address. */
  async setPersonDisabled(email: string, disabled: boolean, now: Date): Promise<boolean> {
    const [row] = await this.query<{ done: boolean }>('select sello.set_person_disabled($1, $2, $3) as done', [email, disabled, now]);
    return row?.done === true;
  }

  /**
   * Takes the claim on a RUC from whoever holds it; false when nobody does.
   * @throws SettingsError when the database serves the other environment, as those below
   */
  async takeRucClaim(ruc: string, environment: SriEnvironment, now: Date): Promise<boolean> {
    await this.refuseOther(environment);
    const [row] = await this.query<{ done: boolean }>('select sello.take_ruc_claim($1, $2, $3) as done', [ruc, environment, now]);
    return row?.done === true;
  }

  /** Keeps a RUC for a tenant, until the bars are lifted; taken from another that holds it. False when nobody ever claimed it, null when there is no such tenant. */
  async reserveRuc(ruc: string, environment: SriEnvironment, tenantId: string, now: Date): Promise<boolean | null> {
    await this.refuseOther(environment);
    const [row] = await this.query<{ done: boolean | null }>('select sello.reserve_ruc($1, $2, $3, $4) as done', [ruc, environment, tenantId, now]);
    return row?.done ?? null;
  }

  /** Lets those from whom a RUC was taken claim it again, and others again that was kept for one. @returns how many tenants they are; null when nobody ever claimed it */
  async liftRucBars(ruc: string, environment: SriEnvironment): Promise<number | null> {
    await this.refuseOther(environment);
    const [row] = await this.query<{ tenants: number | null }>('select sello.lift_ruc_bars($1, $2) as tenants', [ruc, environment]);
    return row?.tenants ?? null;
  }

  /** Nobody could have claimed a RUC of the other environment here. */
  private async refuseOther(environment: SriEnvironment): Promise<void> {
    const [here] = await this.query<{ environment: string | null }>('select environment from sello.deployment', []);
    if (here !== undefined && here.environment !== null && here.environment !== environment) throw otherEnvironment(here.environment, `which holds no claims of ${environment}`);
  }

  private async query<Row extends QueryResultRow>(sql: string, parameters: unknown[]): Promise<Row[]> {
    const client = await connectAsOwner(this.ownerUrl, 'provision');
    try {
      return (await client.query<Row>(sql, parameters)).rows;
    } finally {
      await client.end();
    }
  }
}

function otherEnvironment(bound: string | null, why: string, cause?: unknown): SettingsError {
  const fitting = bound === 'PRODUCTION' ? 'APP_ENV=production' : 'APP_ENV=sandbox (or local)';
  return new SettingsError(`APP_ENV: the database is of the ${bound} environment, ${why}: set ${fitting}, or name the database of the other environment`, { cause });
}
