import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { BoundedPage, Page } from '../../platform/openapi/page.js';
import { count, instant, orNull, text, uuid } from '../../platform/openapi/property-types.js';
import { EVENT_KINDS, type EventKind } from '../../shared/event-catalogue.js';
import { ATTEMPT_OUTCOMES, type AttemptOutcome, DELIVERY_STATUSES, type DeliveryStatus, MOST_ATTEMPTS } from './domain/delivery.js';

/** Response shapes of the webhook endpoints. A secret is shown once, a receiver's answer never. */

@ApiSchema({ name: 'Webhook' })
export class WebhookRecord {
  @ApiProperty(uuid) id: string;
  @ApiProperty(uuid) tenant_id: string;
  @ApiProperty(text) url: string;
  @ApiProperty({ ...text, ...orNull }) description: string | null;
  @ApiProperty({ enum: EVENT_KINDS, enumName: 'EventKind', isArray: true, ...orNull, description: 'Null: all' }) kinds: EventKind[] | null;
  @ApiProperty({ type: Boolean }) is_active: boolean;
  @ApiProperty({ ...instant, ...orNull, description: 'The first failure since which nothing arrived at this address; pings do not count' }) failing_since: Date | null;
  @ApiProperty({ ...instant, ...orNull, description: 'When the service switched it off' }) disabled_at: Date | null;
  @ApiProperty({ enum: ['gone', 'failing'], ...orNull, description: 'gone: it answered 410; failing: nothing arrived for days' }) disabled_reason: string | null;
  @ApiProperty(instant) created_at: Date;
  @ApiProperty(instant) updated_at: Date;
}

@ApiSchema({ name: 'WebhookCreated' })
export class WebhookCreated extends WebhookRecord {
  @ApiProperty({ ...text, example: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=', description: 'Verifies the signatures (Standard Webhooks); not shown again' }) secret: string;
}

@ApiSchema({ name: 'WebhookSecret' })
export class WebhookSecretRotated {
  @ApiProperty({ ...text, example: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=', description: 'The new secret; not shown again' }) secret: string;
  @ApiProperty({ ...instant, description: 'Until then every message is signed with the former secret too' }) previous_valid_until: Date;
}

@ApiSchema({ name: 'WebhookPage' })
export class WebhookPage extends Page {
  @ApiProperty({ type: [WebhookRecord] }) items: WebhookRecord[];
}

@ApiSchema({ name: 'WebhookAttempt' })
export class AttemptRecord {
  @ApiProperty(count) number: number;
  @ApiProperty(instant) started_at: string;
  @ApiProperty({ ...instant, ...orNull, description: 'Null while it is under way' }) finished_at: string | null;
  @ApiProperty({ enum: ATTEMPT_OUTCOMES, ...orNull, description: 'refused: any status but 2xx, redirects among them; refused_address: it led to an address that is not public; interrupted: the worker stopped, it was made again; secret_unavailable, internal: the service could not make it, which is no fault of the address' })
  outcome: AttemptOutcome | null;
  @ApiProperty({ ...count, ...orNull }) status_code: number | null;
  @ApiProperty({ ...count, ...orNull }) duration_ms: number | null;
}

@ApiSchema({ name: 'WebhookDelivery' })
export class DeliveryRecord {
  @ApiProperty(uuid) id: string;
  @ApiProperty(uuid) tenant_id: string;
  @ApiProperty(uuid) webhook_id: string;
  @ApiProperty(uuid) event_id: string;
  @ApiProperty({ enum: EVENT_KINDS, enumName: 'EventKind' }) event_type: EventKind;
  @ApiProperty({ enum: DELIVERY_STATUSES, enumName: 'WebhookDeliveryStatus' }) status: DeliveryStatus;
  @ApiProperty({ ...instant, ...orNull, description: 'Null of a pending one: it waits for the webhook to be switched on' }) next_attempt_at: Date | null;
  @ApiProperty(instant) created_at: Date;
  @ApiProperty({ ...instant, ...orNull }) finished_at: Date | null;
  @ApiProperty({ type: [AttemptRecord], description: `The last ${MOST_ATTEMPTS}, oldest first` }) attempts: AttemptRecord[];
  @ApiProperty({ ...count, description: 'How many were made in all' }) attempts_total: number;
}

@ApiSchema({ name: 'WebhookDeliveryPage' })
export class DeliveryPage extends BoundedPage {
  @ApiProperty({ type: [DeliveryRecord] }) items: DeliveryRecord[];
}

@ApiSchema({ name: 'WebhookReplayed' })
export class ReplayAccepted {
  @ApiProperty({ ...count, description: 'Events that are sent again' }) events: number;
}
