import { ApiSchema } from '@nestjs/swagger';
import { Text } from '../../platform/http/fields.js';

@ApiSchema({ name: 'ApiKeyCreate' })
export class ApiKeyCreateDto {
  @Text({ max: 100, about: 'What the key is for', example: 'Shop' }) name: string;
}
