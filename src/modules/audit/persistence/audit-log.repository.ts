import { Injectable } from '@nestjs/common';
import type { AuditAction } from '../../../platform/audit/audit-actions.js';
import { MOST_COUNTED } from '../../../platform/database/counting.js';
import { ListReads } from '../../../platform/database/list-reads.js';
import type { AuditLineRecord } from '../audit.responses.js';

export interface AuditFilter {
  readonly action: AuditAction | null;
  readonly actorId: string | null;
  readonly from: Date | null;
  /** Exclusive. */
  readonly until: Date | null;
}

const FILTER = `tenant_id = $1 and ($2::text is null or action = $2) and ($3::uuid is null or actor_id = $3)
  and ($4::timestamptz is null or at >= $4) and ($5::timestamptz is null or at < $5)`;

@Injectable()
export class AuditLogRepository {
  constructor(private readonly reads: ListReads) {}

  /** A page, newest first, and how many there are, counted to a bound. */
  async list(tenantId: string, { action, actorId, from, until }: AuditFilter, limit: number, offset: number): Promise<{ rows: AuditLineRecord[]; total: number }> {
    const filter = [tenantId, action, actorId, from, until];
    return this.reads.readOneMoment(tenantId, async (manager) => {
      const rows = await manager.query<AuditLineRecord[]>(
        `select id, tenant_id, at, actor_kind, actor_id, action, target_kind, target_id, detail, request_id, address
         from audit_log where ${FILTER} order by at desc, id desc limit $6 offset $7`,
        [...filter, limit, offset],
      );
      const [counted] = await manager.query<{ total: number }[]>(`select count(*)::int as total from (select from audit_log where ${FILTER} limit ${MOST_COUNTED}) counted`, filter);
      return { rows, total: counted?.total ?? 0 };
    });
  }
}
