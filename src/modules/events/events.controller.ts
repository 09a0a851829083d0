import { Controller, Get, Headers, Query, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { RequirePermission, Tenant } from '../../platform/security/access.js';
import type { TenantContext } from '../../shared/tenant-context.js';
import { EventListQuery, EventStreamQuery } from './events.dto.js';
import { EventPage } from './events.responses.js';
import { EventStreams } from './stream/event-streams.js';
import { ListEvents } from './use-cases/list-events.js';

const KEPT =
  'Events are kept as long as the operator sets, 365 days unless he says otherwise and 30 at least. A cursor behind which events are gone is refused ' +
  '(422, `cursor_expired`), as one from before a restore: start without a cursor, which begins with the oldest that is kept, and compare with the lists.';

/** What happened in the tenant: to be read page by page, or as it happens. */
@ApiTags('events')
@Controller('events')
export class EventsController {
  constructor(
    private readonly queries: QueryBus,
    private readonly streams: EventStreams,
  ) {}

  @Get()
  @RequirePermission('events:read')
  @ApiOperation({ operationId: 'listEvents', summary: 'Events behind a cursor, oldest first; none is passed over without a word', description: KEPT })
  @ApiOkResponse({ type: EventPage })
  list(@Tenant() tenant: TenantContext, @Query() query: EventListQuery): Promise<EventPage> {
    return this.queries.execute(new ListEvents(tenant, query));
  }

  @Get('stream')
  @RequirePermission('events:read')
  @ApiOperation({
    operationId: 'streamEvents',
    summary: 'Events as they happen (Server-Sent Events); each `data` is an Event, each `id` a cursor',
    description:
      'Each message is named by the type of its event (`event: document.authorized`). An `EventSource` therefore hears nothing by `onmessage`: ' +
      `call \`addEventListener('document.authorized', ({ data }) => …)\` for each type. An \`id\` without an event, ` +
      `every ten seconds in which nothing is brought, tells how far the stream has looked: go on from there. ${KEPT}`,
  })
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'Goes on behind this id; browsers send it by themselves' })
  @ApiProduces('text/event-stream')
  @ApiOkResponse({ content: { 'text/event-stream': { schema: { type: 'string' } } } })
  stream(@Tenant() tenant: TenantContext, @Query() query: EventStreamQuery, @Headers('last-event-id') lastEventId: string | undefined, @Res() response: Response): Promise<void> {
    return this.streams.serve(tenant, query, lastEventId, response);
  }
}
