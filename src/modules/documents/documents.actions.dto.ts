import { ApiSchema } from '@nestjs/swagger';
import { Text } from '../../platform/http/fields.js';

/** Body of `POST /documents/{document_id}/cancel` and `/abandon` (interface specification 4.5). */
@ApiSchema({ name: 'Reason' })
export class ReasonDto {
  @Text({ min: 1, max: 500, example: 'Emitida por error' }) reason: string;
}
