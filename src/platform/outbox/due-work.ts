import { Injectable } from '@nestjs/common';
import { Prepared, TenantTransaction } from '../database/tenant-transaction.js';

export interface Announcement {
  readonly tenantId: string;
  readonly documentId: string;
  readonly announcement: number;
}

export interface Claim<Step extends string = string> {
  readonly step: Step;
  /** About how many leases ran out without progress before this claim; those of workers that came back and found them lost do not count. */
  readonly lostLeases: number;
}

/** Claims due work; parameters: tenant, document, token, now, milliseconds of lease. One row when it was taken, else none. */
export const CLAIM_STEP = `claim_step($1, $2, $3, $4, $5 * interval '1 millisecond')`;

const ANNOUNCE = new Prepared('announce', `select * from announce_going_round($1, $2 * interval '1 millisecond', $3, $4, $5)`);

const LEAVE = new Prepared('leave', 'select leave_to_relay($1, $2)');

/** The work table that crosses tenants: only ids and due times pass through here. */
@Injectable()
export class DueWork {
  /** The tenant after which the next look goes on: with many tenants, no look walks over all of them. */
  private lookedUntil: string | null = null;

  constructor(private readonly transaction: TenantTransaction) {}

  /**
   * Marks up to `limit` due rows as announced and returns them; a row that nobody
   * claimed within `patienceMs`, or whose lease ran out, comes again.
   * @param stepCapacity how many of a step at most; a step left out is bounded by `limit` alone
   */
  async announce(now: Date, patienceMs: number, limit: number, stepCapacity: ReadonlyMap<string, number> = new Map()): Promise<Announcement[]> {
    const rows = await this.transaction.withoutTenant<{ tenant_id: string; document_id: string; announcement: number; looked_until: string | null }>(
      ANNOUNCE,
      [now, patienceMs, limit, stepCapacity.size === 0 ? null : JSON.stringify(Object.fromEntries(stepCapacity)), this.lookedUntil],
    );
    this.lookedUntil = rows.at(-1)?.looked_until ?? this.lookedUntil;
    return rows.map((row) => ({ tenantId: row.tenant_id, documentId: row.document_id, announcement: row.announcement }));
  }

  /** Gives up ringing for documents that nobody has taken yet: they count as never announced. */
  async leaveToRelay(announcements: readonly Announcement[]): Promise<void> {
    if (announcements.length === 0) return;
    await this.transaction.withoutTenant(LEAVE, [announcements.map(({ tenantId }) => tenantId), announcements.map(({ documentId }) => documentId)]);
  }

  /** A worker whose lease another took has come back: it was slow and is not lost, so its lease does not count as lost. */
  async outlived(tenantId: string, documentId: string, token: string): Promise<void> {
    await this.transaction.run(tenantId, (manager) =>
      manager.query(
        `update outbox set lost_leases = lost_leases - 1
         where tenant_id = $1 and document_id = $2 and lost_leases > 0 and lease_token is distinct from $3`,
        [tenantId, documentId, token],
      ),
    );
  }

  /** A worker that stays alive leaves a document alone until its lease runs out: the next one does not count it as lost. */
  async endLeaseUncounted(tenantId: string, documentId: string, token: string): Promise<void> {
    await this.transaction.run(tenantId, (manager) =>
      manager.query('update outbox set lease_token = null where tenant_id = $1 and document_id = $2 and lease_token = $3', [tenantId, documentId, token]),
    );
  }

  /** Gives a lease up, or the announcement of a row that nobody has begun: it is announced anew at once. */
  async release(tenantId: string, documentId: string, token: string): Promise<void> {
    await this.transaction.run(tenantId, (manager) =>
      manager.query(
        `update outbox set lease_token = null, lease_until = null, announced_at = null
         where tenant_id = $1 and document_id = $2 and (lease_token = $3 or lease_token is null)`,
        [tenantId, documentId, token],
      ),
    );
  }
}
