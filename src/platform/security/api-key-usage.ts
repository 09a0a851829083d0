import { Inject, Injectable } from '@nestjs/common';
import { type Clock, CLOCK } from '../../shared/ports.js';
import { TenantTransaction } from '../database/tenant-transaction.js';
import { type Logger, LOGGER } from '../observability/logger.js';

/** How stale `last_used_at` of a key may be. */
const PRECISION_MS = 60_000;

/** Notes when a key was last used. No request waits for it, and most need not even ask. */
@Injectable()
export class ApiKeyUsage {
  private readonly underWay = new Set<string>();

  constructor(
    private readonly database: TenantTransaction,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @param lastUsedAt what the key's look-up found */
  note(tenantId: string, apiKeyId: string, lastUsedAt: Date | null): void {
    const now = this.clock.now();
    // What lies further ahead was noted by a clock that was wrong, and says nothing.
    if (lastUsedAt !== null && Math.abs(now.getTime() - lastUsedAt.getTime()) < PRECISION_MS) return;
    if (this.underWay.has(apiKeyId)) return;
    this.underWay.add(apiKeyId);
    this.database
      .call(tenantId, 'select note_api_key_use($1, $2, $3)', [apiKeyId, now])
      .catch((error: unknown) => this.logger.warn({ err: error, api_key_id: apiKeyId }, 'the use of an API key was not noted'))
      .finally(() => this.underWay.delete(apiKeyId));
  }
}
