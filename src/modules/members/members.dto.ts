import { ApiSchema } from '@nestjs/swagger';
import { Email, Flag, OneOf, Text } from '../../platform/http/fields.js';
import { MEMBER_ROLES, type MemberRole } from '../../shared/tenant-context.js';

/** Request bodies of the tenant and member endpoints (interface specification 4.18; decisions, section 5). */

/** `platform_admin` is no role of a tenant: nobody is invited as one. */
const ROLE = { enumName: 'TenantRole', about: 'Role in the tenant', example: 'billing_operator' } as const;

@ApiSchema({ name: 'MemberInvite' })
export class MemberInviteDto {
  @Email({ max: 255, ofAccount: true, example: 'ana@example.com' }) email: string;
  @OneOf(MEMBER_ROLES, ROLE) role: MemberRole;
}

@ApiSchema({ name: 'MemberUpdate' })
export class MemberUpdateDto {
  @OneOf(MEMBER_ROLES, ROLE) role: MemberRole;
}

export class MemberRemovalQuery {
  @Flag({ fromText: true, default: false, about: 'Revoke the API keys that the member made, too' }) revoke_keys: boolean = false;
}

@ApiSchema({ name: 'TenantUpdate' })
export class TenantUpdateDto {
  @Text({ max: 200, about: 'Name of the tenant' }) name: string;
}
