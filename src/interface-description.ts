import type { INestApplication } from '@nestjs/common';
import type { Settings } from './config/settings.js';
import { EVENT_OF_STATE, LIFECYCLE, type DocumentStatus } from './modules/documents/domain/lifecycle.js';
import { buildOpenApi } from './platform/openapi/build-openapi.js';
import type { Description } from './platform/openapi/description.js';
import type { DescribedEvent } from './platform/openapi/event-hooks.js';

/** The description of the whole interface: what the application's routes say, and what only settings and modules know. */
export function describeInterface(app: INestApplication, settings: Settings): Description {
  return buildOpenApi(app, {
    limits: {
      issue: settings.RATE_LIMIT_ISSUE_PER_MINUTE,
      read: settings.RATE_LIMIT_READ_PER_MINUTE,
      auth: settings.RATE_LIMIT_AUTH_PER_MINUTE,
      other: settings.RATE_LIMIT_OTHER_PER_MINUTE,
    },
    events: EVENTS,
  });
}

const EVENTS: readonly DescribedEvent[] = (Object.entries(EVENT_OF_STATE) as [DocumentStatus, string][]).map(([status, kind]) => ({
  kind,
  meaning: `A document is ${status}: ${LIFECYCLE[status].meaning}`,
  data: { document: 'Document' },
}));
