import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Page } from '../../platform/openapi/page.js';
import { instant, uuid } from '../../platform/openapi/property-types.js';
import { SriMessageBody } from './documents.responses.js';
import { DOCUMENT_STATUSES } from './domain/lifecycle.js';

/** Answers to what is done with a document after it was issued (interface specification 4.5 to 4.8). */

const status = { enum: DOCUMENT_STATUSES, enumName: 'DocumentStatus' } as const;
const textOrNull = { type: String, nullable: true } as const;

@ApiSchema({ name: 'DocumentRetryResponse' })
export class RetryScheduled {
  @ApiProperty(uuid) document_id: string;
  @ApiProperty({ ...status, example: 'RECEPTION_RETRY_SCHEDULED' }) status: string;
  @ApiProperty(instant) retry_scheduled_at: Date;
}

@ApiSchema({ name: 'DocumentReconcileResponse' })
export class DocumentReconciled {
  @ApiProperty(uuid) document_id: string;
  @ApiProperty(status) status: string;
  @ApiProperty(instant) reconciled_at: Date;
}

@ApiSchema({ name: 'DocumentAbandonResponse' })
export class DocumentAbandoned {
  @ApiProperty(uuid) document_id: string;
  @ApiProperty({ ...status, example: 'FAILED_PERMANENT' }) status: string;
  @ApiProperty(instant) abandoned_at: Date;
}

@ApiSchema({ name: 'DocumentCancelResponse' })
export class CancellationRequested {
  @ApiProperty(uuid) document_id: string;
  @ApiProperty({ ...status, example: 'CANCELLATION_REQUESTED' }) status: string;
  @ApiProperty(instant) cancellation_requested_at: string;
  @ApiProperty({ type: String, format: 'date', nullable: true, description: 'Last day on which the SRI portal annuls; null: no limit' })
  deadline: string | null;
  @ApiProperty({ type: String, description: 'What the taxpayer does now: Spanish, or English by `Accept-Language`', example: 'Anule el comprobante en el portal del SRI' }) instructions: string;
}

@ApiSchema({ name: 'DocumentHistoryEntry' })
export class HistoryEntry {
  @ApiProperty({ enum: ['move', 'sri_call'] }) kind: 'move' | 'sri_call';
  @ApiProperty({ ...instant, description: 'When it was made or begun' }) at: Date;
  @ApiProperty({ type: 'integer', nullable: true }) version: number | null;
  @ApiProperty({ ...textOrNull, example: 'AUTHORIZATION_PENDING' }) from_status: string | null;
  @ApiProperty({ ...textOrNull, example: 'authorized' }) trigger: string | null;
  @ApiProperty({ ...textOrNull, example: 'AUTHORIZED' }) to_status: string | null;
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true }) detail: Record<string, unknown> | null;
  @ApiProperty({ enum: ['reception', 'authorization', 'consultation'], nullable: true, type: String, example: null }) service: string | null;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Which signing of the document it was about', example: null }) signing_no: number | null;
  @ApiProperty({ ...textOrNull, description: 'What the SRI answered; null while unanswered', example: null }) outcome: string | null;
  @ApiProperty({ ...instant, nullable: true, example: null }) finished_at: Date | null;
  @ApiProperty({ type: [SriMessageBody], nullable: true, example: null }) sri_messages: SriMessageBody[] | null;
  @ApiProperty({ ...textOrNull, description: 'Beginning of an answer that was none', example: null }) excerpt: string | null;
}

@ApiSchema({ name: 'DocumentHistory' })
export class DocumentHistory {
  @ApiProperty(uuid) document_id: string;
  @ApiProperty({ type: [HistoryEntry] }) items: HistoryEntry[];
}

@ApiSchema({ name: 'Pause' })
export class PauseRecord {
  @ApiProperty(uuid) id: string;
  @ApiProperty(uuid) tenant_id: string;
  @ApiProperty({ enum: ['issuer', 'establishment', 'document_type', 'emission_point'] }) scope: string;
  @ApiProperty(uuid) issuer_id: string;
  @ApiProperty({ ...uuid, nullable: true }) establishment_id: string | null;
  @ApiProperty({ ...uuid, nullable: true }) emission_point_id: string | null;
  @ApiProperty(textOrNull) document_type: string | null;
  @ApiProperty({ type: String, description: 'Code of the SRI that caused it', example: '37' }) sri_code: string;
  @ApiProperty({ ...uuid, description: 'The document that met it' }) document_id: string;
  @ApiProperty(instant) created_at: Date;
  @ApiProperty({ ...instant, nullable: true, example: null }) resumed_at: Date | null;
}

@ApiSchema({ name: 'PauseList' })
export class PauseList extends Page {
  @ApiProperty({ type: [PauseRecord] }) items: PauseRecord[];
}
