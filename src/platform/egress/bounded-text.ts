/**
 * The body of an answer as text. No more of it is read than was expected at the most: a compressed one may unpack to any size. Leaving
 * it ends the connection.
 * @throws Error when it is larger
 */
export async function boundedText(body: AsyncIterable<unknown> | null, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
