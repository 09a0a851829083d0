import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';

/** What is sent, for whoever saves it. */
export interface SentFile {
  readonly type: string;
  readonly fileName: string;
}

/**
 * An answer that is written while it is made, as fast as its reader takes it. The first part is made before anything is
 * answered: a failure until then is refused like any other call. A later failure breaks the transfer off, so that no
 * part is taken for the whole. A reader who hangs up ends the making.
 */
export async function streamedAnswer(parts: AsyncIterable<string | Uint8Array>, { type, fileName }: SentFile): Promise<StreamableFile> {
  const making = parts[Symbol.asyncIterator]();
  let first: IteratorResult<string | Uint8Array> | null = await making.next();
  // By hand, not as a generator: one that was never begun would not pass the end on.
  const whole = {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const part = first ?? (await making.next());
        first = null;
        return part;
      },
      return: async () => {
        await making.return?.();
        return { done: true as const, value: undefined };
      },
    }),
  };
  return new StreamableFile(Readable.from(whole, { objectMode: false }), { type, disposition: `attachment; filename="${fileName}"` });
}
