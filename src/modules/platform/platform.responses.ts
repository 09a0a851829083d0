import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Page } from '../../platform/openapi/page.js';
import { instant, uuid } from '../../platform/openapi/property-types.js';

@ApiSchema({ name: 'PlatformTenant' })
export class PlatformTenantRecord {
  @ApiProperty(uuid) id: string;
  @ApiProperty({ type: String }) name: string;
  @ApiProperty({ type: Boolean }) is_active: boolean;
  @ApiProperty(instant) created_at: Date;
}

@ApiSchema({ name: 'PlatformTenantPage' })
export class PlatformTenantPage extends Page {
  @ApiProperty({ type: [PlatformTenantRecord] }) items: PlatformTenantRecord[];
}

@ApiSchema({ name: 'PlatformIssuer' })
export class PlatformIssuerRecord {
  @ApiProperty(uuid) id: string;
  @ApiProperty(uuid) tenant_id: string;
  @ApiProperty({ type: String }) ruc: string;
  @ApiProperty({ type: String }) razon_social: string;
  @ApiProperty({ ...instant, nullable: true, description: 'Since when the platform lets it issue nothing' }) disabled_at: Date | null;
}
