import { Injectable } from '@nestjs/common';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';

/** Documents that are parked until their issuer has a certificate, over all tenants. */
@Injectable()
export class ParkedDocumentsRepository {
  constructor(private readonly transaction: TenantTransaction) {}

  /** Makes up to `limit` documents due whose issuer has a certificate by now. @returns how many they were */
  async wake(now: Date, limit: number): Promise<number> {
    const [row] = await this.transaction.withoutTenant<{ woken: number }>('select wake_parked_going_round($1, $2) as woken', [now, limit]);
    return row?.woken ?? 0;
  }
}
