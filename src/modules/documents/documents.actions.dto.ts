import { ApiSchema } from '@nestjs/swagger';
import { Flag, Text } from '../../platform/http/fields.js';

/** Body of `POST /documents/{document_id}/cancel` (interface specification 4.5). */
@ApiSchema({ name: 'Reason' })
export class ReasonDto {
  @Text({ min: 1, max: 500, example: 'Emitida por error' }) reason: string;
}

/** Body of `POST /documents/{document_id}/abandon`. */
@ApiSchema({ name: 'Abandonment' })
export class AbandonDto extends ReasonDto {
  @Flag({ default: false, about: "With `ANSWER_MISMATCH`: the SRI's portal shows it annulled. Counts where the SRI is asked and no longer tells, as of documents older than last month" })
  annulled: boolean = false;
}
