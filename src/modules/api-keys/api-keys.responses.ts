import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Page } from '../../platform/openapi/page.js';
import { instant, text, uuid } from '../../platform/openapi/property-types.js';

/** Response shapes of the API key endpoints (decisions, sections 5 and 6). */

@ApiSchema({ name: 'ApiKey' })
export class ApiKeyRecord {
  @ApiProperty(uuid) id: string;
  @ApiProperty(uuid) tenant_id: string;
  @ApiProperty(text) name: string;
  @ApiProperty({ ...text, description: 'Beginning of the key', example: 'svc_test_aB3d' }) prefix: string;
  @ApiProperty({ enum: ['TEST', 'PRODUCTION'] }) environment: string;
  @ApiProperty(instant) created_at: Date;
  @ApiProperty({ ...uuid, nullable: true, description: 'Person who made it, or who made the key by which it was made; null where the operator did, or before this was kept' }) created_by: string | null;
  @ApiProperty({ ...text, nullable: true, description: 'Name of that person at the time', example: 'María Pérez' }) created_by_name: string | null;
  @ApiProperty({ ...instant, nullable: true, description: 'Exact to the minute; null for a key never used' }) last_used_at: Date | null;
  @ApiProperty({ ...instant, nullable: true }) revoked_at: Date | null;
}

@ApiSchema({ name: 'ApiKeyCreated' })
export class ApiKeyCreated extends ApiKeyRecord {
  @ApiProperty({ ...text, description: 'The key itself. This is the only time that it is shown' }) key: string;
}

@ApiSchema({ name: 'ApiKeyPage' })
export class ApiKeyPage extends Page {
  @ApiProperty({ type: [ApiKeyRecord] }) items: ApiKeyRecord[];
}
