export { AuditModule } from './audit.module.js';
export type { AuditAction, AuditTarget } from '../../platform/audit/audit-actions.js';
export { type AuditEntry, AuditTrail } from '../../platform/audit/audit-trail.js';
