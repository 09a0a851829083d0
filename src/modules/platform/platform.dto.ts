import { ApiSchema } from '@nestjs/swagger';
import { Email, Flag, Text } from '../../platform/http/fields.js';

/** Request bodies of the platform's own endpoints. */

@ApiSchema({ name: 'PlatformTenantCreate' })
export class PlatformTenantCreateDto {
  @Text({ max: 200, about: 'Name of the tenant' }) name: string;
  @Email({ max: 255, ofAccount: true, about: 'Who is invited to own it', example: 'ana@example.com' }) owner_email: string;
}

@ApiSchema({ name: 'PlatformTenantUpdate' })
export class PlatformTenantUpdateDto {
  @Flag({ about: 'False closes the tenant to its members and keys' }) is_active: boolean;
}
