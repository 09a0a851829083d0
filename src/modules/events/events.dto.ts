import { Integer, OneOf, Text, Uuid } from '../../platform/http/fields.js';
import { EVENT_KINDS, type EventKind } from '../../shared/event-catalogue.js';
import { LONGEST_CURSOR } from './event-position.js';

const CURSOR = { max: LONGEST_CURSOR, optional: true, pattern: /^[A-Za-z0-9_-]+$/ } as const;

/** Which events are asked for. */
export class EventFilter {
  @OneOf(EVENT_KINDS, { enumName: 'EventKind', optional: true, about: 'Only events of this kind' }) type?: EventKind;
  @Uuid({ optional: true, about: 'Only events of this document' }) document_id?: string;
}

/** Query of `GET /events`. */
export class EventListQuery extends EventFilter {
  @Text({ ...CURSOR, about: '`next_cursor` of the page before; without it from the oldest event that is kept' }) cursor?: string;
  @Integer({ min: 1, max: 100, fromText: true, default: 50, about: 'Most events of a page; with large events a page ends behind about 1 MB of them, and `has_more` says that there is more' }) limit: number = 50;
}

/** Query of `GET /events/stream`. */
export class EventStreamQuery extends EventFilter {
  @Text({ ...CURSOR, about: 'Where to go on; without it, and without `Last-Event-ID`, what happens from now on' }) cursor?: string;
}
