import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { instant, orNull, text, uuid } from '../../platform/openapi/property-types.js';
import { MEMBER_ROLES, type MemberRole } from '../../shared/tenant-context.js';

@ApiSchema({ name: 'Session' })
export class SessionRecord {
  @ApiProperty({ ...text, description: 'Bearer token' }) access_token: string;
  @ApiProperty({ type: String, enum: ['Bearer'] }) token_type: string;
  @ApiProperty({ type: 'integer', description: 'Seconds that the access token is valid' }) expires_in: number;
  @ApiProperty({ ...text, ...orNull, description: 'Works once, for `POST /auth/refresh`; null when it is in a cookie' }) refresh_token: string | null;
  @ApiProperty(instant) refresh_expires_at: Date;
}

@ApiSchema({ name: 'OwnMembership' })
export class MembershipRecord {
  @ApiProperty({ ...uuid, description: 'For `X-Tenant-Id`' }) tenant_id: string;
  @ApiProperty(text) tenant_name: string;
  @ApiProperty(uuid) member_id: string;
  @ApiProperty({ enum: MEMBER_ROLES, enumName: 'TenantRole' }) role: MemberRole;
  @ApiProperty({ type: String, enum: ['active', 'suspended'] }) status: string;
}

@ApiSchema({ name: 'OwnInvitation' })
export class OwnInvitationRecord {
  @ApiProperty({ ...uuid, description: 'Which member the person becomes by accepting' }) member_id: string;
  @ApiProperty({ ...text, description: 'Who invites, by a name of their choice' }) tenant_name: string;
  @ApiProperty({ enum: MEMBER_ROLES, enumName: 'TenantRole' }) role: MemberRole;
  @ApiProperty(instant) expires_at: Date;
}

@ApiSchema({ name: 'FoundedTenant' })
export class FoundedTenantRecord {
  @ApiProperty({ ...uuid, description: 'For `X-Tenant-Id`' }) tenant_id: string;
  @ApiProperty(text) tenant_name: string;
  @ApiProperty(uuid) member_id: string;
}

@ApiSchema({ name: 'Me' })
export class MeRecord {
  @ApiProperty(uuid) user_id: string;
  @ApiProperty(text) email: string;
  @ApiProperty({ ...text, example: 'Rosa Calle' }) name: string;
  @ApiProperty({ type: Boolean, description: 'News of a tenant, as of a certificate that runs out, are mailed to confirmed addresses only' }) email_verified: boolean;
  @ApiProperty({ type: Boolean, example: false }) is_platform_admin: boolean;
  @ApiProperty({ type: Boolean, description: 'Whether a password was ever set' }) has_password: boolean;
  @ApiProperty({ type: [String], description: 'Issuers of the identities that may sign in', example: ['https://accounts.google.com'] }) identity_providers: readonly string[];
  @ApiProperty({ ...instant, ...orNull }) last_login_at: Date | null;
  @ApiProperty({ type: [MembershipRecord] }) memberships: MembershipRecord[];
  @ApiProperty({ type: [OwnInvitationRecord], description: 'That wait for the address, newest first, the latest 20; none until it is confirmed. They are accepted by the token of their mail alone' }) invitations: OwnInvitationRecord[];
}

@ApiSchema({ name: 'Invitation' })
export class InvitationRecord {
  @ApiProperty({ ...text, description: 'Who invites' }) tenant_name: string;
  @ApiProperty({ ...text, description: 'Who is invited, and has to accept' }) email: string;
  @ApiProperty({ enum: MEMBER_ROLES, enumName: 'TenantRole' }) role: MemberRole;
  @ApiProperty(instant) expires_at: Date;
  @ApiProperty({ type: Boolean, description: 'Whether the address has an account, whose owner signs in to accept; else name and password open one' }) has_account: boolean;
}

@ApiSchema({ name: 'AcceptedInvitation' })
export class AcceptedInvitationRecord {
  @ApiProperty(uuid) tenant_id: string;
  @ApiProperty(uuid) member_id: string;
}
