import { Injectable } from '@nestjs/common';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';

/** The counts from which the totals of document lists are made, over all tenants (`docs/adr/012`). */
@Injectable()
export class DocumentCountsRepository {
  constructor(private readonly transaction: TenantTransaction) {}

  /** Adds up to `limit` noted changes into the counts. @returns how many they were */
  async fold(limit: number): Promise<number> {
    const [row] = await this.transaction.withoutTenant<{ folded: number }>('select fold_document_counts($1) as folded', [limit]);
    return row?.folded ?? 0;
  }
}
