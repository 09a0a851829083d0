import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { EventsController } from './events.controller.js';
import { EventsRepository } from './persistence/events.repository.js';
import { EventLookout } from './stream/event-lookout.js';
import { EventStreams } from './stream/event-streams.js';
import { ListEventsHandler } from './use-cases/list-events.js';

/** Events, for the API process: lists and streams. */
@Module({ imports: [CqrsModule], controllers: [EventsController], providers: [EventsRepository, EventLookout, EventStreams, ListEventsHandler] })
export class EventsModule {}
