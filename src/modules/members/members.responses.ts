import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Page } from '../../platform/openapi/page.js';
import { instant, orNull, text, uuid } from '../../platform/openapi/property-types.js';
import { MEMBER_ROLES, type MemberRole } from '../../shared/tenant-context.js';
import { MEMBER_STATUSES, type MemberStatus } from './domain/authority.js';

/** Response shapes of the tenant and member endpoints (interface specification 2.7). */

@ApiSchema({ name: 'Tenant' })
export class TenantRecord {
  @ApiProperty(uuid) id: string;
  @ApiProperty(text) name: string;
  @ApiProperty({ type: Boolean }) is_active: boolean;
  @ApiProperty({ enum: ['TEST', 'PRODUCTION'], description: 'Environment of the SRI that this deployment issues into' }) sri_environment: string;
  @ApiProperty(instant) created_at: Date;
}

@ApiSchema({ name: 'Member' })
export class MemberRecord {
  @ApiProperty(uuid) member_id: string;
  @ApiProperty(uuid) tenant_id: string;
  @ApiProperty({ ...uuid, ...orNull, description: 'Null until the invitation is accepted' }) user_id: string | null;
  @ApiProperty(text) email: string;
  @ApiProperty({ ...text, ...orNull, description: 'Null until the invitation is accepted', example: 'Rosa Calle' }) name: string | null;
  @ApiProperty({ enum: MEMBER_ROLES, enumName: 'TenantRole' }) role: MemberRole;
  @ApiProperty({ enum: MEMBER_STATUSES, enumName: 'MemberStatus' }) status: MemberStatus;
  @ApiProperty(instant) invited_at: Date;
  @ApiProperty({ ...instant, ...orNull, description: 'From then on the link of the mail is void, until `reinvite` sends another; null once the invitation is accepted' }) invitation_expires_at: Date | null;
  @ApiProperty({ ...instant, ...orNull }) last_login_at: Date | null;
}

@ApiSchema({ name: 'MemberPage' })
export class MemberPage extends Page {
  @ApiProperty({ type: [MemberRecord] }) items: MemberRecord[];
}
