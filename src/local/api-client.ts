import { fetch } from 'undici';

/** An answer of the API that is not the expected one. */
export class ApiError extends Error {
  constructor(
    readonly method: string,
    readonly path: string,
    readonly status: number,
    readonly body: string,
  ) {
    super(`${method} ${path} answered ${status}: ${body.slice(0, 2_000)}`);
  }
}

/** Only ends what hangs: a machine may be busy, or slow. */
const TIMEOUT_MS = 60_000;

/** The public HTTP API as a caller with an API key sees it. */
export class ApiClient {
  constructor(
    readonly baseUrl: string,
    private readonly apiKey: string,
  ) {}

  async get<T>(path: string): Promise<T> {
    return JSON.parse(await this.send('GET', path)) as T;
  }

  async getText(path: string): Promise<string> {
    return this.send('GET', path);
  }

  async getBytes(path: string): Promise<Buffer> {
    return this.exchange('GET', path);
  }

  async post<T>(path: string, body: unknown): Promise<T> {
    return JSON.parse(await this.send('POST', path, JSON.stringify(body), 'application/json')) as T;
  }

  private async send(method: string, path: string, body?: string, contentType?: string): Promise<string> {
    return (await this.exchange(method, path, body, contentType)).toString('utf8');
  }

  private async exchange(method: string, path: string, body?: string, contentType?: string): Promise<Buffer> {
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: {
        'X-API-Key': this.apiKey,
        'Accept-Language': 'en',
        ...(contentType === undefined ? {} : { 'Content-Type': contentType }),
      },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const content = Buffer.from(await response.arrayBuffer());
    if (!response.ok) throw new ApiError(method, path, response.status, content.toString('utf8'));
    return content;
  }
}
