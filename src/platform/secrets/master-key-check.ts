import { Inject, Injectable } from '@nestjs/common';
import { TenantTransaction } from '../database/tenant-transaction.js';
import { KEY_WRAPPER, type KeyWrapper } from './key-wrapper.js';

/** So many of the newest signing keys are looked at. */
const NEWEST = 50;

/** Whether the master key of this process is the one under which the stored signing keys are sealed. */
@Injectable()
export class MasterKeyCheck {
  private isProven = false;
  private lastVerdict = false;

  constructor(
    private readonly database: TenantTransaction,
    @Inject(KEY_WRAPPER) private readonly keeper: KeyWrapper,
  ) {}

  /** What `fits` said last; false before. */
  get didFit(): boolean {
    return this.lastVerdict;
  }

  /** False while it opens none of the newest active ones. Where there are none yet, any key will do. */
  async fits(): Promise<boolean> {
    if (this.isProven) return true;
    const inUse = await this.database.withoutTenant<{ id: Buffer }>('select id from master_keys_in_use($1) as k (id)', [NEWEST]);
    this.isProven = inUse.some(({ id }) => this.keeper.mayOpen(id.toString('utf8')));
    this.lastVerdict = this.isProven || inUse.length === 0;
    return this.lastVerdict;
  }
}
