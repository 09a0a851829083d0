import { ApiSchema } from '@nestjs/swagger';
import { targetProblem } from '../../platform/egress/target-rules.js';
import { Flag, Instant, OneOf, OneOfList, Text } from '../../platform/http/fields.js';
import { PageQuery } from '../../platform/http/paging.dto.js';
import { type LaterJudge, RefusedLater } from '../../platform/http/refused-later.js';
import { type EventKind, SUBSCRIBABLE_KINDS } from '../../shared/event-catalogue.js';
import { DELIVERY_STATUSES, type DeliveryStatus } from './domain/delivery.js';

/** Request bodies and queries of the webhook endpoints (decisions, section 7). */

const URL_FIELD = { max: 2_048, example: 'https://erp.example.com/sello', about: 'https to a public address; no user, no fragment' } as const;
const KINDS = { atLeast: 1, nullable: true, about: 'Kinds of events that are sent; null: all' } as const;
const DESCRIPTION = { max: 200, nullable: true } as const;

/** Faults that the text of an address shows; where its name leads is looked up later. */
const addressFaults: LaterJudge<{ url: string }> = ({ url }, settings) => {
  const problem = url === undefined ? null : targetProblem(url, settings);
  return problem === null ? [] : [{ field: 'url', ...problem }];
};

@ApiSchema({ name: 'WebhookCreate' })
@RefusedLater<WebhookCreateDto>(addressFaults)
export class WebhookCreateDto {
  @Text(URL_FIELD) url: string;
  @OneOfList(SUBSCRIBABLE_KINDS, KINDS) kinds?: EventKind[] | null;
  @Text(DESCRIPTION) description?: string | null;
  @Flag({ default: true }) is_active: boolean = true;
}

@ApiSchema({ name: 'WebhookUpdate' })
@RefusedLater<WebhookUpdateDto>(addressFaults)
export class WebhookUpdateDto {
  @Text({ ...URL_FIELD, optional: true }) url?: string;
  @OneOfList(SUBSCRIBABLE_KINDS, KINDS) kinds?: EventKind[] | null;
  @Text(DESCRIPTION) description?: string | null;
  @Flag({ optional: true, about: 'true also takes back that the service switched it off, and sends what waited' }) is_active?: boolean;
}

@ApiSchema({ name: 'WebhookReplay' })
export class WebhookReplayDto {
  @Instant({ example: '2026-01-31T12:00:00Z', about: 'Events from this moment on' }) from: string;
  @Instant({ endOf: { from: 'from', inclusive: false }, example: '2026-01-31T18:00:00Z', about: 'and before this one' }) to: string;
  @OneOfList(SUBSCRIBABLE_KINDS, { atLeast: 1, nullable: true, about: 'Only these kinds; null: those that the webhook listens to' }) kinds?: EventKind[] | null;
}

/** Query of `GET /webhooks/{id}/deliveries`. */
export class DeliveryListQuery extends PageQuery {
  @OneOf(DELIVERY_STATUSES, { enumName: 'WebhookDeliveryStatus', optional: true, about: 'Only deliveries in this state' }) status?: DeliveryStatus;
}
