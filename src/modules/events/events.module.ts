import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { EventsController } from './events.controller.js';
import { SequenceNotices } from './notices/sequence-notices.js';
import { EventsRepository } from './persistence/events.repository.js';
import { NoticesRepository } from './persistence/notices.repository.js';
import { EventStreams } from './stream/event-streams.js';
import { ListEventsHandler } from './use-cases/list-events.js';

/** Events: the HTTP half shows them, the worker half notices what nobody's act brings about. */
@Module({})
export class EventsModule {
  /** For the API process. */
  static http(): DynamicModule {
    return { module: EventsModule, imports: [CqrsModule], controllers: [EventsController], providers: [EventsRepository, EventStreams, ListEventsHandler] };
  }

  /** For the worker process. */
  static worker(): DynamicModule {
    return { module: EventsModule, providers: [NoticesRepository, SequenceNotices] };
  }
}
