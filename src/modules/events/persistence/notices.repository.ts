import { Injectable } from '@nestjs/common';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';

/** What is noticed over all tenants. */
@Injectable()
export class NoticesRepository {
  constructor(private readonly database: TenantTransaction) {}

  /** Writes the events of counters that passed a threshold of remaining numbers; returns how many. */
  async noticeLowSequences(thresholds: readonly number[], now: Date): Promise<number> {
    const [row] = await this.database.platform<{ told: number }>('select notice_low_sequences($1, $2) as told', [thresholds, now]);
    return row?.told ?? 0;
  }
}
