import { Injectable } from '@nestjs/common';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { found } from '../../../shared/found.js';
import type { Taxpayer } from '../domain/taxpayer.js';

/** What the registry said of a RUC, and when; null as taxpayer: that there is none. */
export interface RememberedTaxpayer {
  readonly taxpayer: Taxpayer | null;
  readonly verifiedAt: Date;
}

/** Such an answer, and how old it is in milliseconds; less than 0 where a clock that was wrong noted a time to come. */
export interface RecalledTaxpayer extends RememberedTaxpayer {
  readonly ageMs: number;
}

interface Row {
  readonly found: boolean;
  readonly legal_name: string;
  readonly trade_name: string | null;
  readonly contributor_status: string | null;
  readonly contributor_type: string | null;
  readonly address: string | null;
  readonly verified_at: Date;
  readonly age_ms: number;
}

/** The answers of the SRI's public registry, kept for all tenants: nothing in them is a tenant's. */
@Injectable()
export class TaxpayersRepository {
  constructor(private readonly database: TenantTransaction) {}

  /** What was last answered of a RUC, its age by PostgreSQL's clock, which all processes share; null when nobody has asked yet. */
  async recall(ruc: string): Promise<RecalledTaxpayer | null> {
    const [row] = await this.database.withoutTenant<Row>(
      'select t.*, extract(epoch from clock_timestamp() - t.verified_at)::float8 * 1000 as age_ms from recall_taxpayer($1) t', [ruc]);
    if (row === undefined) return null;
    const { found: exists, legal_name, trade_name, contributor_status, contributor_type, address, verified_at, age_ms } = row;
    const taxpayer = { legalName: legal_name, tradeName: trade_name, status: contributor_status, type: contributor_type, address };
    return { taxpayer: exists ? taxpayer : null, verifiedAt: verified_at, ageMs: age_ms };
  }

  /** Keeps an answer that came just now, and returns it as it is kept. */
  async remember(ruc: string, taxpayer: Taxpayer | null): Promise<RememberedTaxpayer> {
    // The time is PostgreSQL's: the last parameter is for processes of the former version.
    await this.database.withoutTenant('select remember_taxpayer($1, $2, $3, $4, $5, $6, $7, null)', [
      ruc, taxpayer !== null, taxpayer?.legalName ?? null, taxpayer?.tradeName ?? null, taxpayer?.status ?? null, taxpayer?.type ?? null, taxpayer?.address ?? null,
    ]);
    return found(await this.recall(ruc));
  }
}
