import { Injectable } from '@nestjs/common';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import type { Taxpayer } from '../domain/taxpayer.js';

/** What the registry said of a RUC, and when; null as taxpayer: that there is none. */
export interface RememberedTaxpayer {
  readonly taxpayer: Taxpayer | null;
  readonly verifiedAt: Date;
}

interface Row {
  readonly found: boolean;
  readonly legal_name: string;
  readonly trade_name: string | null;
  readonly contributor_status: string | null;
  readonly contributor_type: string | null;
  readonly address: string | null;
  readonly verified_at: Date;
}

/** The answers of the SRI's public registry, kept for all tenants: nothing in them is a tenant's. */
@Injectable()
export class TaxpayersRepository {
  constructor(private readonly database: TenantTransaction) {}

  async recall(ruc: string): Promise<RememberedTaxpayer | null> {
    const [row] = await this.database.withoutTenant<Row>('select * from recall_taxpayer($1)', [ruc]);
    if (row === undefined) return null;
    const { found, legal_name, trade_name, contributor_status, contributor_type, address, verified_at } = row;
    const taxpayer = { legalName: legal_name, tradeName: trade_name, status: contributor_status, type: contributor_type, address };
    return { taxpayer: found ? taxpayer : null, verifiedAt: verified_at };
  }

  /** Keeps an answer, unless a later one is kept already. */
  async remember(ruc: string, { taxpayer, verifiedAt }: RememberedTaxpayer): Promise<void> {
    await this.database.withoutTenant('select remember_taxpayer($1, $2, $3, $4, $5, $6, $7, $8)', [
      ruc, taxpayer !== null, taxpayer?.legalName ?? null, taxpayer?.tradeName ?? null, taxpayer?.status ?? null, taxpayer?.type ?? null, taxpayer?.address ?? null, verifiedAt,
    ]);
  }
}
