import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { LocalizedFinding } from '../../platform/http/localized-finding.js';
import { Page } from '../../platform/openapi/page.js';
import { count, instant, orNull, text, uuid } from '../../platform/openapi/property-types.js';
import { sampleId } from '../../platform/openapi/samples.js';
import { storedList, storedOrNull } from '../../platform/openapi/stored-forms.js';
import { SUGGESTED_ACTIONS } from '../../shared/suggested-actions.js';
import { DOCUMENT_TYPE_CODES } from '../../sri/document-types/registry.js';
import { ForeignTradeDto, ReimbursementDto, SubstituteGuideDto, ThirdPartyChargeDto } from './documents.additions.dto.js';
import { TransportDto } from './documents.delivery.dto.js';
import { DocumentLineDto, DocumentPaymentDto, DocumentTaxDto, NameValueDto } from './documents.line.dto.js';
import { WithholdingDto } from './documents.withholding.dto.js';
import { DOCUMENT_STATUSES, type DocumentStatus } from './domain/lifecycle.js';

/** Response shapes of the document endpoints (interface specification 2.5 and 2.7). Decimals are strings. */

const status = { enum: DOCUMENT_STATUSES, enumName: 'DocumentStatus' } as const;
const money = { type: String, description: 'Decimal' } as const;
const documentType = { enum: DOCUMENT_TYPE_CODES, enumName: 'DocumentType' } as const;
const NUMBER = { description: 'As it is printed, and as a note names it: establishment, emission point, sequential; null for a draft', example: '001-002-000000123' } as const;

@ApiSchema({ name: 'DocumentAcceptedResponse' })
export class DocumentAccepted {
  @ApiProperty(uuid) document_id: string;
  @ApiProperty({ ...status, example: 'NUMBER_RESERVED' }) status: string;
  @ApiProperty({ ...text, description: '49 digits; also the authorization number' }) access_key: string;
}

@ApiSchema({ name: 'SRIMessage' })
export class SriMessageBody {
  @ApiProperty({ ...text, ...orNull, example: '60' }) identifier: string | null;
  @ApiProperty({ ...text, example: 'ESTE PROCESO FUE REALIZADO EN EL AMBIENTE DE PRUEBAS' }) message: string;
  @ApiProperty({ ...text, ...orNull, example: null }) additional_info: string | null;
  @ApiProperty({ ...text, example: 'INFORMATIVO' }) message_type: string;
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
  @ApiProperty(uuid) tenant_id: string;
  @ApiProperty(uuid) issuer_id: string;
  @ApiProperty({ ...text, description: "Issuer's legal name" }) issuer_razon_social: string;
  @ApiProperty(documentType) document_type: string;
  @ApiProperty({ ...count, ...orNull }) sequential: number | null;
  @ApiProperty({ ...text, ...orNull, ...NUMBER }) number: string | null;
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
export class DocumentPage extends Page {
  @ApiProperty({ type: [DocumentListItem] }) items: DocumentListItem[];
}

/** A rule's finding, as the error of a refused document has it. */
const findings = { type: 'array', items: { $ref: '#/components/schemas/FiscalFinding' } } as const;

/** Why a document does not go on. */
@ApiSchema({ name: 'DocumentError' })
export class DocumentErrorBody {
  @ApiProperty({ ...text, description: 'Code of the error catalogue' }) code: string;
  @ApiProperty({ ...text, description: 'What happened and what to do next, in Spanish, or English by `Accept-Language`; Spanish in events' }) message: string;
  @ApiProperty({
    type: 'object', additionalProperties: true, ...orNull, description: 'What more there is to say; what each word asks for: errors.md',
    properties: { suggested_action: { type: 'string', enum: Object.keys(SUGGESTED_ACTIONS), example: 'correct' } },
  })
  detail: unknown;
}

/** A requested annulment that is being watched. */
@ApiSchema({ name: 'DocumentCancellation' })
export class DocumentCancellation {
  @ApiProperty(instant) requested_at: string;
  @ApiProperty(text) reason: string;
  @ApiProperty({ type: String, format: 'date', ...orNull, description: 'Last day on which the SRI portal annuls; null: no limit' }) deadline: string | null;
  @ApiProperty({ type: Boolean, description: 'The receiver has to accept' }) needs_acceptance: boolean;
  @ApiProperty({ type: String, format: 'date', ...orNull, description: 'Until when it is watched' }) watch_until: string | null;
  @ApiProperty({ type: 'integer', description: 'How often the SRI was asked' }) asked: number;
  @ApiProperty({ type: Boolean, description: 'The SRI waits for the receiver' }) pending_at_sri: boolean;
  @ApiProperty({ ...instant, required: false, description: 'Since when the SRI was asked and gave no answer; left out where it gave one', example: '2026-12-20T15:04:05.000Z' }) silent_since?: string;
}

@ApiSchema({ name: 'DocumentEmail' })
export class DocumentEmail {
  @ApiProperty(uuid) id: string;
  @ApiProperty({ enum: ['queued', 'sent', 'failed', 'bounced'], enumName: 'MailStatus' }) status: string;
  @ApiProperty({ ...text, example: 'maria.jose@example.com' }) recipient: string;
  @ApiProperty({ ...instant, ...orNull }) sent_at: string | null;
  @ApiProperty({ ...text, ...orNull, description: 'Why it was not sent, or came back', example: null }) failure: string | null;
}

@ApiSchema({ name: 'Document' })
export class DocumentRecord {
  @ApiProperty(uuid) id: string;
  @ApiProperty(uuid) tenant_id: string;
  @ApiProperty(uuid) issuer_id: string;
  @ApiProperty(uuid) establishment_id: string;
  @ApiProperty(uuid) emission_point_id: string;
  @ApiProperty(documentType) document_type: string;
  @ApiProperty({ ...count, ...orNull }) sequential: number | null;
  @ApiProperty({ ...text, ...orNull, ...NUMBER }) number: string | null;
  @ApiProperty({ ...text, ...orNull }) access_key: string | null;
  @ApiProperty(status) status: DocumentStatus;
  @ApiProperty({ ...count, description: 'Grows with every change of state' }) version: number;
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
  @ApiProperty(storedList(DocumentPaymentDto)) payments: Record<string, unknown>[];
  @ApiProperty(storedList(DocumentLineDto)) lines: Record<string, unknown>[];
  @ApiProperty(storedList(DocumentTaxDto)) taxes: Record<string, unknown>[];
  @ApiProperty(text) numeric_code: string;
  @ApiProperty({ ...storedList(NameValueDto), description: 'As sent; the document itself carries those of the service too' }) additional_info: Record<string, unknown>[];
  @ApiProperty({ ...text, ...orNull }) tip: string | null;
  @ApiProperty({ ...text, ...orNull }) delivery_guide_number: string | null;
  @ApiProperty({ ...text, ...orNull }) vehicle_plate: string | null;
  @ApiProperty(storedOrNull(ForeignTradeDto)) foreign_trade: Record<string, unknown> | null;
  @ApiProperty({ ...storedList(ReimbursementDto), example: [] }) reimbursements: Record<string, unknown>[];
  @ApiProperty({ ...storedList(ThirdPartyChargeDto), example: [] }) third_party_charges: Record<string, unknown>[];
  @ApiProperty(storedOrNull(SubstituteGuideDto)) substitute_guide: Record<string, unknown> | null;
  @ApiProperty(storedOrNull(TransportDto)) transport: Record<string, unknown> | null;
  @ApiProperty(storedOrNull(WithholdingDto)) withholding: Record<string, unknown> | null;
  @ApiProperty({ type: [SriMessageBody] }) sri_messages: SriMessageBody[];
  @ApiProperty({ type: DocumentErrorBody, ...orNull, description: 'Why the document does not go on' }) error: DocumentErrorBody | null;
  @ApiProperty({ ...findings, description: 'Findings that did not refuse the document', example: [] }) warnings: LocalizedFinding[];
  @ApiProperty({ ...instant, ...orNull, description: 'When the next step is due; where that has passed, it is done as soon as a worker is free and the SRI can be called.' })
  next_attempt_at: Date | null;
  @ApiProperty({ type: DocumentCancellation, ...orNull, description: 'A requested annulment that is being watched' }) cancellation: DocumentCancellation | null;
  @ApiProperty({ type: Boolean, description: 'The buyer is mailed the document once it is authorized, unless the issuer mails nobody' }) send_email: boolean;
  @ApiProperty({ type: DocumentEmail, ...orNull, required: false, description: 'The latest mail of the document; it has no say in its state. Events do not tell it' }) email?: DocumentEmail | null;
}

@ApiSchema({ name: 'DocumentTotals' })
export class DocumentTotals {
  @ApiProperty(money) subtotal: string;
  @ApiProperty(money) total_discount: string;
  @ApiProperty(money) total_tax: string;
  @ApiProperty(money) total: string;
  @ApiProperty(storedList(DocumentTaxDto)) taxes: Record<string, unknown>[];
}

@ApiSchema({ name: 'DocumentValidation' })
export class DocumentValidation {
  @ApiProperty({ type: Boolean, description: 'POST /documents would accept it' }) valid: boolean;
  @ApiProperty(findings) findings: LocalizedFinding[];
  @ApiProperty({ type: DocumentTotals }) totals: DocumentTotals;
}

@ApiSchema({ name: 'CreditNoteCreated' })
export class CreditNoteCreated {
  @ApiProperty(uuid) credit_note_id: string;
  @ApiProperty({ ...uuid, example: sampleId('document_id') }) original_document_id: string;
  @ApiProperty({ ...status, example: 'DRAFT' }) status: string;
  @ApiProperty({ ...text, ...orNull, description: 'Null until the credit note is issued', example: null }) access_key: string | null;
}
