import type { EventEntry } from '../shared/event-catalogue.js';
import { generatedFrom, table } from './markdown.js';

/** What each part of `data` holds. */
const PARTS: Readonly<Record<EventEntry['about'], string>> = {
  document: 'the record that `GET /documents/{id}` shows, as it was at `version`',
  certificate: 'the certificate as its issuer lists it',
  pause: 'what is paused: `id`, `scope`, `issuer_id`, `establishment_id`, `emission_point_id`, `document_type`, `sri_code`, `document_id`',
  sequence: '`issuer_id`, `establishment_id`, `emission_point_id`, `document_type`, `sri_environment`, `next_number`, `remaining`, `threshold`',
  webhook: '`id`, `url`; where it was switched off also `disabled_reason` (`gone`, `failing`), `disabled_at`, `failing_since`',
};

/** `docs/events.md`: every kind of event and what it carries. */
export function eventsPage(catalogue: Readonly<Record<string, EventEntry>>): string {
  const entries = Object.entries(catalogue);
  const used = [...new Set(entries.map(([, { about }]) => about))];
  return [
    generatedFrom('Events', '`src/shared/event-catalogue.ts`'),
    'An event is `{"id", "type", "created_at", "tenant_id", "data", "version"}`, in `GET /events`, in `GET /events/stream` and',
    'in the body of a webhook alike. It commits with what it tells of: there is no state that a caller can see and whose event',
    'is missing. `version` is that of the document and grows strictly from one of its events to the next; it is null where an',
    'event is about no document. How they are delivered and verified: [webhooks](webhooks.md).',
    '',
    table(['type', '`data`', 'English', 'Spanish'], entries.map(([kind, { about, en, es }]) => [`\`${kind}\``, `\`${about}\``, `${en}.`, `${es}.`])),
    '',
    '## What `data` holds',
    '',
    table(['part', 'content'], used.map((part) => [`\`data.${part}\``, PARTS[part]])),
    '',
  ].join('\n');
}
