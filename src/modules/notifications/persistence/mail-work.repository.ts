import { Injectable } from '@nestjs/common';
import { Prepared, TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import type { Standing } from '../domain/attempts.js';

/** A row of due work under its claimer's lease. */
export interface ClaimedWork {
  readonly tenantId: string;
  /** Id of the mail, or of the event that admins are to hear of. */
  readonly id: string;
  readonly kind: 'mail' | 'notice';
}

const CLAIM = new Prepared('claim-mails', `select * from claim_mails_going_round($1, $2, $3 * interval '1 millisecond', $4, $5)`);
const HOLD = new Prepared('hold-mail', `select hold_mail($1, $2, $3, least($4::timestamptz, clock_timestamp()) + $5 * interval '1 millisecond') as held`);
const SETTLE = new Prepared('settle-mail', 'select settle_mail($1, $2, $3, $4, $5, $6, $7, $8) as settled');

/** The mails that are due. Claiming crosses tenants; all else happens within one. */
@Injectable()
export class MailWorkRepository {
  /** The tenant after which the next claim goes on: with many tenants, no claim looks at all of them. */
  private lookedUntil: string | null = null;

  constructor(private readonly transaction: TenantTransaction) {}

  /** Takes up to `limit` due rows, tenants in turns; what is not settled within the lease comes again. */
  async claim(token: string, now: Date, leaseMs: number, limit: number): Promise<ClaimedWork[]> {
    const [row] = await this.transaction.withoutTenant<{ taken: ClaimedWork[]; looked_until: string | null }>(CLAIM, [token, now, leaseMs, limit, this.lookedUntil]);
    this.lookedUntil = row?.looked_until ?? this.lookedUntil;
    return row?.taken ?? [];
  }

  /** Holds a claimed row for another lease; false when it was lost. */
  async renew({ tenantId, id }: ClaimedWork, token: string, now: Date, leaseMs: number): Promise<boolean> {
    const [row] = await this.transaction.call<{ held: boolean }>(tenantId, HOLD, [id, token, now, leaseMs]);
    return row?.held ?? false;
  }

  /**
   * Writes how a mail stands after an attempt and when it is due again.
   * @returns false when the lease was lost: whoever holds the mail now writes how it stands
   */
  async settle({ tenantId, id }: ClaimedWork, token: string, standing: Standing, now: Date): Promise<boolean> {
    const [row] = await this.transaction.call<{ settled: boolean }>(
      tenantId,
      SETTLE,
      [id, token, standing.dueAt, standing.status, standing.failure, standing.messageId, now],
    );
    return row?.settled ?? false;
  }

  /** Gives a row back untouched: nothing came of the attempt. */
  async giveBack({ tenantId, id }: ClaimedWork, token: string, now: Date): Promise<void> {
    await this.transaction.run(tenantId, (manager) =>
      manager.query('update mail_outbox set due_at = least($4, clock_timestamp()), lease_token = null where tenant_id = $1 and id = $2 and lease_token = $3', [tenantId, id, token, now]),
    );
  }
}
