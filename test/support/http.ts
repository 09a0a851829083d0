/** JSON of which a test names no type. */
export type Json = ReturnType<typeof JSON.parse>;

export interface Answer<Body = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON; what is none as text. */
  readonly body: Body;
  readonly text: string;
}

export interface CallOptions {
  readonly token?: string;
  readonly apiKey?: string;
  readonly cookie?: string;
  /** Replace those of the same name that the other options make. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A text and bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
}

/** One HTTP call, whatever it answers. Redirects are not followed. */
export async function call<Body = Json>(base: string, method: string, path: string, options: CallOptions = {}): Promise<Answer<Body>> {
  const { body } = options;
  const response = await fetch(base + path, {
    method,
    redirect: 'manual',
    headers: headersOf(options),
    ...(body === undefined ? {} : { body: sent(body) }),
  });
  const { status, headers } = response;
  const type = headers.get('content-type') ?? '';
  // A stream has no end to wait for.
  if (type.startsWith('text/event-stream')) {
    await response.body?.cancel();
    return { status, headers, body: '' as Body, text: '' };
  }
  const text = await response.text();
  return { status, headers, body: (text !== '' && type.includes('json') ? JSON.parse(text) : text) as Body, text };
}

function sent(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (ArrayBuffer.isView(body)) return Uint8Array.from(body as Uint8Array);
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function headersOf({ token, apiKey, cookie, headers = {}, body }: CallOptions): Headers {
  const all = new Headers();
  if (token !== undefined) all.set('authorization', `Bearer ${token}`);
  if (apiKey !== undefined) all.set('x-api-key', apiKey);
  if (cookie !== undefined) all.set('cookie', cookie);
  if (body !== undefined) all.set('content-type', 'application/json');
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  return all;
}
