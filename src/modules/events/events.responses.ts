import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { count, instant, orNull, text, uuid } from '../../platform/openapi/property-types.js';
import { EVENT_KINDS, type EventKind } from '../../shared/event-catalogue.js';
import { DocumentRecord } from '../documents/public.dto.js';

/** Response shapes of the event endpoints (decisions, section 7); webhooks carry the same. */

@ApiSchema({ name: 'EventCertificate' })
export class EventCertificate {
  @ApiProperty(uuid) id: string;
  @ApiProperty(uuid) issuer_id: string;
  @ApiProperty({ ...text, example: 'CN=MARÍA JOSÉ PEÑA' }) subject: string;
  @ApiProperty({ ...text, example: 'CN=AUTORIDAD DE CERTIFICACIÓN' }) issuer_name: string;
  @ApiProperty(text) serial_number: string;
  @ApiProperty({ ...text, ...orNull }) ruc: string | null;
  @ApiProperty(instant) valid_from: string;
  @ApiProperty(instant) valid_to: string;
  @ApiProperty(text) fingerprint_sha256: string;
  @ApiProperty({ ...count, example: 30, description: 'Days left that were passed; 0: it has ended' }) threshold_days: number;
}

@ApiSchema({ name: 'EventPause' })
export class EventPause {
  @ApiProperty(uuid) id: string;
  @ApiProperty({ enum: ['issuer', 'establishment', 'document_type', 'emission_point'] }) scope: string;
  @ApiProperty(uuid) issuer_id: string;
  @ApiProperty({ ...uuid, ...orNull }) establishment_id: string | null;
  @ApiProperty({ ...uuid, ...orNull }) emission_point_id: string | null;
  @ApiProperty({ ...text, ...orNull }) document_type: string | null;
  @ApiProperty({ ...text, example: '57', description: "The SRI's code" }) sri_code: string;
  @ApiProperty({ ...uuid, description: 'The document that met it' }) document_id: string;
  @ApiProperty(instant) created_at: string;
  @ApiProperty({ ...instant, ...orNull }) resumed_at: string | null;
}

@ApiSchema({ name: 'EventSequence' })
export class EventSequence {
  @ApiProperty(uuid) issuer_id: string;
  @ApiProperty(uuid) establishment_id: string;
  @ApiProperty(uuid) emission_point_id: string;
  @ApiProperty(text) document_type: string;
  @ApiProperty({ enum: ['TEST', 'PRODUCTION'] }) sri_environment: string;
  @ApiProperty({ ...count, ...orNull, description: 'Null: none is left' }) next_number: number | null;
  @ApiProperty(count) remaining: number;
  @ApiProperty({ ...count, example: 1000, description: 'Numbers left that were passed' }) threshold: number;
}

@ApiSchema({ name: 'EventWebhook' })
export class EventWebhook {
  @ApiProperty(uuid) id: string;
  @ApiProperty({ ...text, example: 'https://erp.example.com', description: 'Scheme, host and port alone: the rest of an address may be a secret, and others read this' }) url: string;
  @ApiProperty({ ...text, ...orNull, required: false }) description?: string | null;
  @ApiProperty({ enum: ['gone', 'failing'], required: false, description: 'Of webhook.disabled' }) disabled_reason?: string;
  @ApiProperty({ ...instant, required: false, example: '2026-08-25T15:04:05.000Z' }) disabled_at?: string;
  @ApiProperty({ ...instant, required: false }) failing_since?: string;
}

/** One of them, by the event's kind. */
@ApiSchema({ name: 'EventData' })
export class EventData {
  @ApiProperty({ type: DocumentRecord, required: false }) document?: DocumentRecord;
  @ApiProperty({ type: EventCertificate, required: false }) certificate?: EventCertificate;
  @ApiProperty({ type: EventPause, required: false }) pause?: EventPause;
  @ApiProperty({ type: EventSequence, required: false }) sequence?: EventSequence;
  @ApiProperty({ type: EventWebhook, required: false }) webhook?: EventWebhook;
}

@ApiSchema({ name: 'Event' })
export class EventRecord {
  @ApiProperty({ ...uuid, description: 'The same over all attempts and addresses: what was seen before is known by it' }) id: string;
  @ApiProperty({ enum: EVENT_KINDS, enumName: 'EventKind' }) type: EventKind;
  @ApiProperty(instant) created_at: string;
  @ApiProperty(uuid) tenant_id: string;
  @ApiProperty({ type: EventData, description: 'What the event is about, as it was when it happened' }) data: EventData;
  @ApiProperty({ ...count, ...orNull, example: 7, description: "The document's version: grows strictly with its events; null where there is no document" }) version: number | null;
}

@ApiSchema({ name: 'EventPage' })
export class EventPage {
  @ApiProperty({ type: [EventRecord] }) items: EventRecord[];
  @ApiProperty({ ...text, example: 'NzQxLjE1', description: 'Where to go on; also when nothing came' }) next_cursor: string;
  @ApiProperty({ type: Boolean, description: 'There is more to read now; with a filter also when a page is empty' }) has_more: boolean;
}
