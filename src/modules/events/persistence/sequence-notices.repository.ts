import { Injectable } from '@nestjs/common';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';

/** Counters that run low, over all tenants. */
@Injectable()
export class SequenceNoticesRepository {
  constructor(private readonly database: TenantTransaction) {}

  /** Writes the events of counters that passed a threshold of remaining numbers, each once. @returns how many they were */
  async noticeLow(thresholds: readonly number[], now: Date): Promise<number> {
    const [row] = await this.database.withoutTenant<{ told: number }>('select notice_low_sequences($1, $2) as told', [thresholds, now]);
    return row?.told ?? 0;
  }
}
