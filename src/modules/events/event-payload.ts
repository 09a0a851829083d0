import type { EventKind } from '../../shared/event-catalogue.js';
import type { DocumentContent } from '../../sri/document-types/content.js';
import { documentRecord, type RecordRow } from '../documents/public.js';
import type { EventRecord } from './events.responses.js';

/** An event as the SQL function `event_card` shows it. */
export interface EventCard {
  readonly id: string;
  readonly type: EventKind;
  readonly created_at: string;
  readonly tenant_id: string;
  /** Version of the document that was read with the event, whether the event is about it or not. */
  readonly version: number | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly content: DocumentContent | null;
}

/** An event as it leaves the service, over the API and to webhooks alike. */
export function eventPayload({ id, type, created_at, tenant_id, version, data, content }: EventCard): EventRecord {
  const parts = Object.entries(data).map(([name, part]) => [name, name === 'document' && content !== null ? recordOf(part as Snapshot, content) : withInstants(part)]);
  return { id, type, created_at: isoOf(created_at), tenant_id, data: Object.fromEntries(parts) as EventRecord['data'], version: 'document' in data ? version : null };
}

type Snapshot = RecordRow & { readonly content_revision: number };

/** Without a caller whose language it could be: in Spanish. */
const recordOf = ({ content_revision: _revision, ...columns }: Snapshot, content: DocumentContent): unknown => documentRecord(withInstants(columns) as RecordRow, content, 'es');

const INSTANT_NAME = /_(?:at|date|since|from|to)$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]+\+00:00$/;

/** PostgreSQL's instants in JSON, as JavaScript writes them. */
function withInstants(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(Object.entries(part).map(([name, value]: [string, unknown]) => [name, INSTANT_NAME.test(name) && typeof value === 'string' && INSTANT.test(value) ? isoOf(value) : value]));
}

const isoOf = (instant: string): string => new Date(instant).toISOString();
