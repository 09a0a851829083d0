import { Injectable } from '@nestjs/common';
import { TenantSlots } from '../../platform/http/tenant-slots.js';
import { replayUnderWay } from './domain/replay-bounds.js';

/** The replay of a time that each tenant may have under way on this process: it holds a connection to the database while it writes. */
@Injectable()
export class ReplaySlots {
  private readonly slots = new TenantSlots(1);

  /** @throws DomainError RATE_LIMITED when one of the tenant is under way */
  async within<T>(tenantId: string, replay: () => Promise<T>): Promise<T> {
    const leave = this.slots.take(tenantId);
    if (leave === null) throw replayUnderWay();
    try {
      return await replay();
    } finally {
      leave();
    }
  }
}
