import type { EventEntry } from '../shared/event-catalogue.js';
import { generatedFrom, table } from './markdown.js';

/** The parts of the API's description that this page reads. */
export interface DescribedEvents {
  readonly components: { readonly schemas: Readonly<Record<string, DescribedPart>> };
}

interface DescribedPart {
  readonly properties?: Readonly<Record<string, { readonly $ref?: string }>>;
  readonly required?: readonly string[];
}

const DOCUMENT = 'the record that `GET /documents/{id}` shows, as it was at `version`, in Spanish and without `email`';
/** Before the fields that a part does not always have: where it has them. */
const SOMETIMES = 'where it was switched off also';

/** `docs/events.md`: every kind of event and what it carries. */
export function eventsPage(catalogue: Readonly<Record<string, EventEntry>>, api: DescribedEvents): string {
  const entries = Object.entries(catalogue);
  const used = [...new Set(entries.map(([, { about }]) => about))];
  return [
    generatedFrom('Events', '`src/shared/event-catalogue.ts` and `src/modules/events/events.responses.ts`'),
    'An event is `{"id", "type", "created_at", "tenant_id", "data", "version"}`, in `GET /events`, in `GET /events/stream` and',
    'in the body of a webhook alike. It commits with the change that it reports: there is no state that a caller can see and whose',
    'event is missing. `version` is that of the document and grows strictly from one of its events to the next, but after a',
    '[restore](webhooks.md#after-a-restore) it may go back; it is null where an event is about no document. How they are delivered',
    'and verified: [webhooks](webhooks.md).',
    '',
    table(['type', '`data`', 'English', 'Spanish'], entries.map(([kind, { about, en, es }]) => [`\`${kind}\``, `\`${about}\``, `${en}.`, `${es}.`])),
    '',
    '## What `data` holds',
    '',
    table(['part', 'content'], used.map((part) => [`\`data.${part}\``, part === 'document' ? DOCUMENT : fieldsOf(part, api)])),
    '',
  ].join('\n');
}

/** The fields of a part as the API's description has them, those first that it always has. */
function fieldsOf(part: string, { components: { schemas } }: DescribedEvents): string {
  const name = schemas['EventData']?.properties?.[part]?.$ref?.split('/').at(-1) ?? '';
  const { properties, required = [] } = schemas[name] ?? {};
  if (properties === undefined) throw new Error(`the API does not describe data.${part}`);
  const names = Object.keys(properties);
  const told = (some: readonly string[]): string => some.map((field) => `\`${field}\``).join(', ');
  const others = names.filter((field) => !required.includes(field));
  return [told(names.filter((field) => required.includes(field))), ...(others.length === 0 ? [] : [`${SOMETIMES} ${told(others)}`])].join('; ');
}
