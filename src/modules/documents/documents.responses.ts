import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { DOCUMENT_STATUSES, type DocumentStatus } from './domain/lifecycle.js';

/** Response shapes of the document endpoints (interface specification 2.5 and 2.7). Decimals are strings. */

const uuid = { format: 'uuid', type: String } as const;
const status = { enum: DOCUMENT_STATUSES, enumName: 'DocumentStatus' } as const;
const instant = { type: String, format: 'date-time' } as const;
const money = { type: String, example: '115.00' } as const;
const text = { type: String } as const;
const orNull = { nullable: true } as const;

@ApiSchema({ name: 'DocumentAcceptedResponse' })
export class DocumentAccepted {
  @ApiProperty(uuid) document_id: string;
  @ApiProperty(status) status: string;
  @ApiProperty({ ...text, description: '49 digits; also the authorization number' }) access_key: string;
}

@ApiSchema({ name: 'SRIMessage' })
export class SriMessageBody {
  @ApiProperty({ ...text, ...orNull }) identifier: string | null;
  @ApiProperty(text) message: string;
  @ApiProperty({ ...text, ...orNull }) additional_info: string | null;
  @ApiProperty(text) message_type: string;
}

@ApiSchema({ name: 'DocumentSyncSubmitResponse' })
export class DocumentSyncSubmit {
  @ApiProperty(uuid) document_id: string;
  @ApiProperty(status) status: string;
  @ApiProperty({ enum: ['authorized', 'rejected', 'submitted', 'pending', 'replayed'] }) action_taken: string;
  @ApiProperty({ type: [SriMessageBody] }) sri_messages: SriMessageBody[];
  @ApiProperty({ ...text, ...orNull }) authorization_number: string | null;
  @ApiProperty({ ...instant, ...orNull }) authorization_date: Date | null;
  @ApiProperty({ ...text, ...orNull }) new_access_key: string | null;
}

@ApiSchema({ name: 'DocumentListItem' })
export class DocumentListItem {
  @ApiProperty(uuid) id: string;
  @ApiProperty(uuid) issuer_id: string;
  @ApiProperty({ ...text, description: "Issuer's legal name" }) issuer_razon_social: string;
  @ApiProperty(text) document_type: string;
  @ApiProperty({ type: Number, ...orNull }) sequential: number | null;
  @ApiProperty({ type: String, format: 'date' }) issue_date: string;
  @ApiProperty(money) total: string;
  @ApiProperty(status) status: DocumentStatus;
  @ApiProperty({ ...text, ...orNull }) buyer_name: string | null;
  @ApiProperty({ ...text, ...orNull }) buyer_id: string | null;
  @ApiProperty({ ...text, ...orNull }) access_key: string | null;
  @ApiProperty({ ...text, ...orNull }) authorization_number: string | null;
  @ApiProperty({ ...instant, ...orNull }) authorization_date: Date | null;
  @ApiProperty({ enum: ['TEST', 'PRODUCTION'] }) sri_environment: string;
  @ApiProperty(instant) created_at: Date;
  @ApiProperty(instant) updated_at: Date;
}

@ApiSchema({ name: 'DocumentPage' })
export class DocumentPage {
  @ApiProperty({ type: [DocumentListItem] }) items: DocumentListItem[];
  @ApiProperty({ type: Number }) total: number;
  @ApiProperty({ type: Number }) page: number;
  @ApiProperty({ type: Number }) page_size: number;
}

const part = { type: 'object', additionalProperties: true, nullable: true } as const;
const records = { type: 'array', items: { type: 'object', additionalProperties: true } } as const;

@ApiSchema({ name: 'Document' })
export class DocumentRecord {
  @ApiProperty(uuid) id: string;
  @ApiProperty(uuid) tenant_id: string;
  @ApiProperty(uuid) issuer_id: string;
  @ApiProperty(uuid) establishment_id: string;
  @ApiProperty(uuid) emission_point_id: string;
  @ApiProperty(text) document_type: string;
  @ApiProperty({ type: Number, ...orNull }) sequential: number | null;
  @ApiProperty({ ...text, ...orNull }) access_key: string | null;
  @ApiProperty(status) status: DocumentStatus;
  @ApiProperty({ type: Number, description: 'Grows with every change of state' }) version: number;
  @ApiProperty({ ...text, ...orNull }) idempotency_key: string | null;
  @ApiProperty({ type: String, format: 'date' }) issue_date: string;
  @ApiProperty(money) subtotal: string;
  @ApiProperty(money) total_discount: string;
  @ApiProperty(money) total_tax: string;
  @ApiProperty(money) total: string;
  @ApiProperty({ ...text, ...orNull }) buyer_id_type: string | null;
  @ApiProperty({ ...text, ...orNull }) buyer_id: string | null;
  @ApiProperty({ ...text, ...orNull }) buyer_name: string | null;
  @ApiProperty({ ...text, ...orNull }) buyer_email: string | null;
  @ApiProperty({ ...text, ...orNull }) buyer_address: string | null;
  @ApiProperty({ ...uuid, ...orNull }) modified_document_id: string | null;
  @ApiProperty({ ...text, ...orNull }) modified_document_type: string | null;
  @ApiProperty({ ...text, ...orNull }) modified_document_number: string | null;
  @ApiProperty({ type: String, format: 'date', ...orNull }) modified_document_issue_date: string | null;
  @ApiProperty({ ...text, ...orNull }) reason: string | null;
  @ApiProperty({ ...text, ...orNull, description: 'Set when status is AUTHORIZED' }) authorization_number: string | null;
  @ApiProperty({ ...instant, ...orNull }) authorization_date: Date | null;
  @ApiProperty({ enum: ['TEST', 'PRODUCTION'] }) sri_environment: string;
  @ApiProperty(instant) created_at: Date;
  @ApiProperty(instant) updated_at: Date;
  @ApiProperty(records) payments: Record<string, unknown>[];
  @ApiProperty(records) lines: Record<string, unknown>[];
  @ApiProperty(records) taxes: Record<string, unknown>[];
  @ApiProperty(text) numeric_code: string;
  @ApiProperty({ ...records, description: 'As sent; the document itself carries those of the service too' }) additional_info: Record<string, unknown>[];
  @ApiProperty({ ...text, ...orNull }) tip: string | null;
  @ApiProperty({ ...text, ...orNull }) delivery_guide_number: string | null;
  @ApiProperty({ ...text, ...orNull }) vehicle_plate: string | null;
  @ApiProperty(part) foreign_trade: Record<string, unknown> | null;
  @ApiProperty(records) reimbursements: Record<string, unknown>[];
  @ApiProperty(records) third_party_charges: Record<string, unknown>[];
  @ApiProperty(part) substitute_guide: Record<string, unknown> | null;
  @ApiProperty(part) transport: Record<string, unknown> | null;
  @ApiProperty(part) withholding: Record<string, unknown> | null;
  @ApiProperty({ type: [SriMessageBody] }) sri_messages: SriMessageBody[];
  @ApiProperty({ type: 'object', additionalProperties: true, ...orNull, description: 'Why the document does not go on; code of the error catalogue' })
  error: Record<string, unknown> | null;
  @ApiProperty({ ...records, description: 'Findings that did not refuse the document' }) warnings: Record<string, unknown>[];
  @ApiProperty({ ...instant, ...orNull }) next_attempt_at: Date | null;
  @ApiProperty({ type: 'object', additionalProperties: true, ...orNull, description: 'A requested annulment that is being watched: request, last day, what the SRI said' })
  cancellation: Record<string, unknown> | null;
}

@ApiSchema({ name: 'DocumentTotals' })
export class DocumentTotals {
  @ApiProperty(money) subtotal: string;
  @ApiProperty(money) total_discount: string;
  @ApiProperty(money) total_tax: string;
  @ApiProperty(money) total: string;
  @ApiProperty(records) taxes: Record<string, unknown>[];
}

@ApiSchema({ name: 'DocumentValidation' })
export class DocumentValidation {
  @ApiProperty({ type: Boolean, description: 'POST /documents would accept it' }) valid: boolean;
  @ApiProperty({ ...records, description: 'pointer, rule, message, expected, actual, reference, severity' }) findings: Record<string, unknown>[];
  @ApiProperty({ type: DocumentTotals }) totals: DocumentTotals;
}

@ApiSchema({ name: 'CreditNoteCreated' })
export class CreditNoteCreated {
  @ApiProperty(uuid) credit_note_id: string;
  @ApiProperty(uuid) original_document_id: string;
  @ApiProperty(status) status: string;
  @ApiProperty({ ...text, ...orNull, description: 'Null until the credit note is issued' }) access_key: string | null;
}
