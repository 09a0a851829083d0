import { Response } from 'undici';
import { streamed } from './events.js';

describe('the stream of events, as the command reads it', () => {
  const read = async (...chunks: readonly string[]): Promise<[string | null, string | null][]> => {
    const body = new ReadableStream({
      start: (controller) => {
        for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
        controller.close();
      },
    });
    const found: [string | null, string | null][] = [];
    const api = { open: () => Promise.resolve(new Response(body as never)) };
    for await (const { event, cursor } of streamed(api, '', null, new AbortController().signal)) found.push([event?.id ?? null, cursor]);
    return found;
  };

  it('goes on from a place that is told without an event, too, and from that of an event once all of it is there', async () => {
    expect(await read('retry: 2000\nid: a\n\n:\n\nid: b\n', ':\n\nid: c\nevent: ping\n', 'data: {"id": "1"}\n\nid: d\n:\n\nid: e\n', 'event: ping\ndata: {"id": "2')).toEqual([
      [null, 'a'], [null, 'b'], ['1', 'c'], [null, 'd'],
    ]);
  });
});
