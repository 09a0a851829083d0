import { Injectable } from '@nestjs/common';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import type { Standing } from '../domain/attempts.js';

/** A row of due work under its claimer's lease. */
export interface ClaimedWork {
  readonly tenantId: string;
  /** Of the mail, or of the event that admins are to be told of. */
  readonly id: string;
  readonly kind: 'mail' | 'notice';
}

/** The mails that are due. Claiming crosses tenants; all else happens within one. */
@Injectable()
export class MailWork {
  constructor(private readonly transaction: TenantTransaction) {}

  /** Takes up to `limit` due rows, tenants in turns; what is not settled within the lease comes again. */
  async claim(token: string, now: Date, leaseMs: number, limit: number): Promise<ClaimedWork[]> {
    const rows = await this.transaction.platform<{ tenant_id: string; id: string; kind: ClaimedWork['kind'] }>(
      `select * from claim_mails($1, $2, $3 * interval '1 millisecond', $4)`,
      [token, now, leaseMs, limit],
    );
    return rows.map(({ tenant_id, id, kind }) => ({ tenantId: tenant_id, id, kind }));
  }

  /** Holds a claimed row for another lease; false when it was lost. */
  async renew({ tenantId, id }: ClaimedWork, token: string, now: Date, leaseMs: number): Promise<boolean> {
    return this.transaction.run(tenantId, async (manager) => {
      const [, held] = await manager.query<[unknown[], number]>(
        `update mail_outbox set due_at = $4::timestamptz + $5 * interval '1 millisecond' where tenant_id = $1 and id = $2 and lease_token = $3`,
        [tenantId, id, token, now, leaseMs],
      );
      return held > 0;
    });
  }

  /**
   * Writes how a mail stands after an attempt and when it is due again.
   * @returns false when the lease was lost: whoever holds the mail now tells of it
   */
  async settle({ tenantId, id }: ClaimedWork, token: string, standing: Standing, now: Date): Promise<boolean> {
    return this.transaction.run(tenantId, async (manager) => {
      const isOver = standing.dueAt === null;
      const [, held] = await manager.query<[unknown[], number]>(
        isOver
          ? 'delete from mail_outbox where tenant_id = $1 and id = $2 and lease_token = $3'
          : 'update mail_outbox set due_at = $4, lease_token = null where tenant_id = $1 and id = $2 and lease_token = $3',
        [tenantId, id, token, ...(isOver ? [] : [standing.dueAt])],
      );
      if (held === 0) return false;
      await manager.query(
        `update mails set status = $3, attempts = attempts + 1, failure = $4, message_id = coalesce($5, message_id),
           sent_at = case when $3 = 'sent' then $6::timestamptz end, updated_at = $6
         where tenant_id = $1 and id = $2`,
        [tenantId, id, standing.status, standing.failure, standing.messageId, now],
      );
      return true;
    });
  }

  /** Gives a row back untouched: nothing came of the attempt. */
  async giveBack({ tenantId, id }: ClaimedWork, token: string, now: Date): Promise<void> {
    await this.transaction.run(tenantId, (manager) =>
      manager.query('update mail_outbox set due_at = $4, lease_token = null where tenant_id = $1 and id = $2 and lease_token = $3', [tenantId, id, token, now]),
    );
  }
}
