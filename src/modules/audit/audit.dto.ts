import { AUDIT_ACTIONS, type AuditAction } from '../../platform/audit/audit-actions.js';
import { Day, OneOf, Uuid } from '../../platform/http/fields.js';
import { PageQuery } from '../../platform/http/paging.dto.js';

/** Query of the audit log. */
export class AuditLogQuery extends PageQuery {
  @OneOf(AUDIT_ACTIONS, { optional: true, enumName: 'AuditAction', about: 'Only this action' }) action?: AuditAction;
  @Uuid({ optional: true, about: 'Only what this user or API key did' }) actor_id?: string;
  @Day({ optional: true, about: 'From this day on; days are those of Guayaquil (UTC-5)' }) from?: string;
  @Day({ optional: true, endOf: { from: 'from', inclusive: true }, about: 'Until the end of this day; days are those of Guayaquil (UTC-5)' }) to?: string;
}
