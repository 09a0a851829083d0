import type { CliConnection } from '../config/cli-connection.js';
import { CliFailure } from './failure.js';

const TIMEOUT_MS = 60_000;

interface Refusal {
  readonly error?: { readonly code: string; readonly message: string; readonly detail: unknown; readonly request_id: string };
}

/** The public API, as every caller sees it. */
export class Api {
  constructor(readonly connection: CliConnection) {}

  get<Answer>(path: string): Promise<Answer> {
    return this.call('GET', path);
  }

  post<Answer>(path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.call('POST', path, body, headers);
  }

  async remove(path: string): Promise<void> {
    await this.call('DELETE', path);
  }

  /**
   * One call, whatever comes back.
   * @throws CliFailure when there is no key, or nobody answers
   */
  async open(method: string, path: string, headers: Readonly<Record<string, string>> = {}, body?: string, signal: AbortSignal = AbortSignal.timeout(TIMEOUT_MS)): Promise<Response> {
    const { url, apiKey } = this.connection;
    if (apiKey === null) throw new CliFailure('usage', 'no API key: set SELLO_API_KEY, pass --key, or run this where `npm start` was run');
    try {
      return await fetch(url + path, { method, headers: { 'X-API-Key': apiKey, 'Accept-Language': 'en', ...headers }, ...(body === undefined ? {} : { body }), signal });
    } catch (error) {
      if (error instanceof Error && error.name === 'AbortError') throw error;
      throw new CliFailure('unreachable', `${url} does not answer: ${causeOf(error)}. Is the service running there (npm start)? --url or SELLO_URL names another address.`);
    }
  }

  private async call<Answer>(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const typed = body === undefined ? headers : { 'Content-Type': 'application/json', ...headers };
    const response = await this.open(method, path, typed, body === undefined ? undefined : JSON.stringify(body));
    const text = await response.text();
    if (!response.ok) throw refusal(response.status, text);
    return (text === '' ? null : JSON.parse(text)) as Answer;
  }
}

/** What a refused call says to a person: the message, and each finding on a line. */
export function refusal(status: number, text: string): CliFailure {
  let parsed: Refusal;
  try {
    parsed = JSON.parse(text) as Refusal;
  } catch {
    return new CliFailure('refused', `${status}: ${text.slice(0, 500)}`);
  }
  const { error } = parsed;
  if (error === undefined) return new CliFailure('refused', `${status}: ${text.slice(0, 500)}`);
  const findings = Array.isArray(error.detail) ? error.detail.map(findingLine) : error.detail === null ? [] : [`  ${JSON.stringify(error.detail)}`];
  return new CliFailure('refused', [`${error.code}: ${error.message}`, ...findings, `request ${error.request_id}`].join('\n'), error);
}

/** A finding about a field, or about a fiscal rule. */
export function findingLine(finding: unknown): string {
  const { loc, msg, pointer, rule, message, expected, actual } = finding as Record<string, unknown>;
  if (Array.isArray(loc)) return `  ${loc.slice(1).join('.')}: ${String(msg)}`;
  const compared = expected === undefined || expected === null ? '' : ` (expected ${JSON.stringify(expected)}, is ${JSON.stringify(actual)})`;
  return `  ${String(pointer)} [${String(rule)}]: ${String(message)}${compared}`;
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? (cause.message || cause.name) : String(cause);
}
