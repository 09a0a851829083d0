import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { type Api, refusal } from './api.js';
import { numberOf } from './document.js';
import { CliFailure } from './failure.js';

/** An event as the API and webhooks carry it. */
export interface SelloEvent {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly data: { readonly document?: { readonly id: string; readonly document_type: string; readonly access_key: string | null; readonly status: string } } & Readonly<Record<string, unknown>>;
}

/** An event in one line. */
export function eventLine({ created_at, type, data }: SelloEvent): string {
  const about = data.document === undefined ? JSON.stringify(data) : `${data.document.document_type} ${numberOf(data.document.access_key)} ${data.document.status} ${data.document.id}`;
  return `${created_at}  ${type}  ${about}`;
}

/**
 * One connection to the live stream; ends when the service or the signal ends it. Yields events with the position to go on from,
 * and a position alone where the service tells one without an event: first once nothing that happens from now on is missed.
 * @throws CliFailure when the stream is refused, or spoilt on its way
 */
export async function* streamed(api: Pick<Api, 'open'>, query: string, cursor: string | null, signal: AbortSignal): AsyncGenerator<{ event: SelloEvent | null; cursor: string | null }> {
  const headers = { Accept: 'text/event-stream', ...(cursor === null ? {} : { 'Last-Event-ID': cursor }) };
  const response = await api.open('GET', `/events/stream${query}`, headers, undefined, signal);
  if (!response.ok || response.body === null) throw await refusal(response);
  const messages: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (message) => messages.push(message),
    onError: (error) => {
      throw new CliFailure('unanswered', `the stream is spoilt: ${error.message}`);
    },
  });
  let position: string | null = cursor;
  if (position !== null) yield { event: null, cursor: position };
  const decoder = new TextDecoder();
  let unread = '';
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    unread += decoder.decode(chunk, { stream: true });
    // Block by block: the id of one that is not complete is not reached yet, and one without an event the parser keeps to itself.
    const blocks = unread.split(/(?<=\n\n)/);
    unread = blocks.at(-1)?.endsWith('\n\n') === false ? (blocks.pop() ?? '') : '';
    for (const block of blocks) {
      parser.feed(block);
      const [message] = messages.splice(0);
      const told = /^id: (\S+)$/m.exec(block)?.[1];
      position = told ?? position;
      if (message !== undefined) yield { event: JSON.parse(message.data) as SelloEvent, cursor: position };
      else if (told !== undefined) yield { event: null, cursor: position };
    }
  }
}

/** All events after a place, oldest first, page by page. */
export async function* pastEvents(api: Api, filter: URLSearchParams): AsyncGenerator<SelloEvent> {
  let cursor: string | null = null;
  for (;;) {
    const query = new URLSearchParams(filter);
    query.set('limit', '100');
    if (cursor !== null) query.set('cursor', cursor);
    const page: { items: SelloEvent[]; next_cursor: string; has_more: boolean } = await api.get(`/events?${query.toString()}`);
    yield* page.items;
    if (!page.has_more) return;
    cursor = page.next_cursor;
  }
}
