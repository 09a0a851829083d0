import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { eventPayload } from '../event-payload.js';
import { BEFORE_ALL, cursorOf, positionOf, refuseExpired } from '../event-position.js';
import type { EventListQuery } from '../events.dto.js';
import type { EventPage } from '../events.responses.js';
import { EventsRepository } from '../persistence/events.repository.js';

const CURSOR = ['query', 'cursor'];

/** Events after a cursor, oldest first: none is passed over, however late its transaction commits; where some are gone, the cursor is refused. */
export class ListEvents extends Query<EventPage> {
  constructor(
    readonly tenant: TenantContext,
    readonly query: EventListQuery,
  ) {
    super();
  }
}

@QueryHandler(ListEvents)
export class ListEventsHandler implements IQueryHandler<ListEvents> {
  constructor(
    private readonly events: EventsRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, query: { cursor, limit, type, document_id } }: ListEvents): Promise<EventPage> {
    const given = cursor === undefined ? BEFORE_ALL : positionOf(cursor, CURSOR);
    const found = await this.events.after(tenant, given, { type: type ?? null, documentId: document_id ?? null }, limit, this.clock.now());
    refuseExpired(given, found, CURSOR);
    return { items: found.events.map(eventPayload), next_cursor: cursorOf(found.at), has_more: found.isMore };
  }
}
