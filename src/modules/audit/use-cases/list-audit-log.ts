import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { addDays, guayaquilMidnight } from '../../../shared/guayaquil.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { AuditLogQuery } from '../audit.dto.js';
import type { AuditLogPage } from '../audit.responses.js';
import { AuditLogRepository } from '../persistence/audit-log.repository.js';

/** A page of the tenant's audit log, newest first. */
export class ListAuditLog extends Query<AuditLogPage> {
  constructor(
    readonly tenant: TenantContext,
    readonly query: AuditLogQuery,
  ) {
    super();
  }
}

@QueryHandler(ListAuditLog)
export class ListAuditLogHandler implements IQueryHandler<ListAuditLog> {
  constructor(private readonly log: AuditLogRepository) {}

  async execute({ tenant, query: { page, page_size, action, actor_id, from, to } }: ListAuditLog): Promise<AuditLogPage> {
    const filter = {
      action: action ?? null,
      actorId: actor_id ?? null,
      from: from === undefined ? null : guayaquilMidnight(from),
      until: to === undefined ? null : guayaquilMidnight(addDays(to, 1)),
    };
    const { rows, total } = await this.log.list(tenant.tenantId, filter, page_size, (page - 1) * page_size);
    return { items: rows, total, page, page_size };
  }
}
