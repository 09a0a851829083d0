import { Inject, Injectable } from '@nestjs/common';
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
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @param unusedMs how long it was not used by PostgreSQL's clock, as its look-up found: null if never, less than 0 where a wrong clock noted a time to come */
  note(tenantId: string, apiKeyId: string, unusedMs: number | null): void {
    if (unusedMs !== null && unusedMs >= 0 && unusedMs < PRECISION_MS) return;
    if (this.underWay.has(apiKeyId)) return;
    this.underWay.add(apiKeyId);
    this.database
      // The time is PostgreSQL's: the last parameter is for processes of the former version.
      .call(tenantId, 'select note_api_key_use($1, $2, null)', [apiKeyId])
      .catch((error: unknown) => this.logger.warn({ err: error, api_key_id: apiKeyId }, 'the use of an API key was not noted'))
      .finally(() => this.underWay.delete(apiKeyId));
  }
}
