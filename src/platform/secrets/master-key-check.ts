import { Inject, Injectable } from '@nestjs/common';
import { TenantTransaction } from '../database/tenant-transaction.js';
import { KEY_WRAPPER, type KeyWrapper } from './key-wrapper.js';

/** So many of the newest signing keys are looked at. */
const NEWEST = 50;

/** Whether the master key of this process is the one under which the stored signing keys are sealed. */
@Injectable()
export class MasterKeyCheck {
  private isKnown = false;

  constructor(
    private readonly database: TenantTransaction,
    @Inject(KEY_WRAPPER) private readonly keeper: KeyWrapper,
  ) {}

  /** False while it opens none of the newest active ones. Where there are none yet, any key will do. */
  async fits(): Promise<boolean> {
    if (this.isKnown) return true;
    const inUse = await this.database.withoutTenant<{ id: string }>('select id from master_keys_in_use($1) as k (id)', [NEWEST]);
    this.isKnown = inUse.some(({ id }) => this.keeper.mayOpen(id));
    return this.isKnown || inUse.length === 0;
  }
}
