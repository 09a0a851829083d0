import type { IncomingMessage } from 'node:http';

/** The body is larger than the server takes. */
export class BodyTooLarge extends Error {}

/** Reads a whole body. @throws BodyTooLarge as soon as the limit is passed */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const part = chunk as Buffer;
    size += part.length;
    if (size > maxBytes) throw new BodyTooLarge();
    chunks.push(part);
  }
  return Buffer.concat(chunks);
}
