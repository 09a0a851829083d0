import type { INestApplication } from '@nestjs/common';
import type { Settings } from './config/settings.js';
import { buildOpenApi } from './platform/openapi/build-openapi.js';
import type { Description } from './platform/openapi/description.js';
import type { DescribedEvent } from './platform/openapi/event-hooks.js';
import { EVENT_CATALOGUE, type EventEntry } from './shared/event-catalogue.js';

/** The description of the whole interface: what the application's routes say, and what only settings and modules know. */
export function describeInterface(app: INestApplication, settings: Settings): Description {
  return buildOpenApi(app, {
    limits: {
      issue: settings.RATE_LIMIT_ISSUE_PER_MINUTE,
      read: settings.RATE_LIMIT_READ_PER_MINUTE,
      auth: settings.RATE_LIMIT_AUTH_PER_MINUTE,
      rename: settings.RATE_LIMIT_RENAME_PER_HOUR,
      other: settings.RATE_LIMIT_OTHER_PER_MINUTE,
    },
    events: EVENTS,
  });
}

const SCHEMAS: Readonly<Record<EventEntry['about'], string>> = {
  document: 'Document', certificate: 'EventCertificate', pause: 'EventPause', sequence: 'EventSequence', webhook: 'EventWebhook',
};

const EVENTS: readonly DescribedEvent[] = Object.entries<EventEntry>(EVENT_CATALOGUE).map(([kind, { about, en }]) => ({ kind, meaning: en, data: { [about]: SCHEMAS[about] } }));
