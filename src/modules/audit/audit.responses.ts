import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { AUDIT_ACTIONS, AUDIT_ACTORS, AUDIT_TARGETS, type AuditAction, type AuditActor, type AuditTarget } from '../../platform/audit/audit-actions.js';
import { BoundedPage } from '../../platform/openapi/page.js';
import { instant, orNull, text, uuid } from '../../platform/openapi/property-types.js';

@ApiSchema({ name: 'AuditLine' })
export class AuditLineRecord {
  @ApiProperty(uuid) id: string;
  @ApiProperty(uuid) tenant_id: string;
  @ApiProperty(instant) at: Date;
  @ApiProperty({ enum: AUDIT_ACTORS, description: '`platform_admin`: somebody of the platform, acting in this tenant' }) actor_kind: AuditActor;
  @ApiProperty({ ...uuid, ...orNull, description: 'User or API key' }) actor_id: string | null;
  @ApiProperty({ enum: AUDIT_ACTIONS, enumName: 'AuditAction' }) action: AuditAction;
  @ApiProperty({ enum: AUDIT_TARGETS, ...orNull }) target_kind: AuditTarget | null;
  @ApiProperty({ ...uuid, ...orNull }) target_id: string | null;
  @ApiProperty({ type: 'object', additionalProperties: true }) detail: Record<string, unknown>;
  @ApiProperty({ ...text, ...orNull, description: '`X-Request-Id` of the call' }) request_id: string | null;
  @ApiProperty({ ...text, ...orNull, description: 'Network address of the caller', example: '203.0.113.7' }) address: string | null;
}

@ApiSchema({ name: 'AuditLogPage' })
export class AuditLogPage extends BoundedPage {
  @ApiProperty({ type: [AuditLineRecord] }) items: AuditLineRecord[];
}
