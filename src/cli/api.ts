import { fetch, type Response } from 'undici';
import type { CliConnection } from '../config/cli-connection.js';
import { CliFailure } from './failure.js';

const TIMEOUT_MS = 60_000;
const LONGEST_PAUSE_MS = 60_000;
/** Characters of an answer that is not the service's. */
const SHOWN = 500;

interface Refusal {
  readonly error?: { readonly code: string; readonly message: string; readonly detail: unknown; readonly request_id: string };
}

/** The public API, as every caller sees it. */
export class Api {
  constructor(readonly connection: CliConnection) {}

  get<Answer>(path: string): Promise<Answer> {
    return this.call('GET', path);
  }

  post<Answer>(path: string, body?: unknown): Promise<Answer> {
    return this.call('POST', path, body);
  }

  async remove(path: string): Promise<void> {
    await this.call('DELETE', path);
  }

  /**
   * One call, whatever comes back.
   * @throws CliFailure when the address is none, there is no key, or nobody answers
   */
  async open(method: string, path: string, headers: Readonly<Record<string, string>> = {}, body?: string, signal: AbortSignal = AbortSignal.timeout(TIMEOUT_MS)): Promise<Response> {
    const { url, apiKey } = this.connection;
    if (!isHttp(url)) throw new CliFailure('usage', `--url or SELLO_URL: ${JSON.stringify(url)} is no address; one begins with http:// or https://`);
    if (apiKey === null) throw new CliFailure('usage', 'no API key: set SELLO_API_KEY, pass --key, or run this where `npm start` was run');
    try {
      return await fetch(url + path, { method, headers: { 'X-API-Key': apiKey, 'Accept-Language': 'en', ...headers }, ...(body === undefined ? {} : { body }), signal });
    } catch (error) {
      if (error instanceof Error && error.name === 'AbortError') throw error;
      throw new CliFailure('unanswered', `${url} does not answer: ${causeOf(error)}. Is the service running there (npm start)? --url or SELLO_URL names another address.`);
    }
  }

  private async call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const typed: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const response = await this.open(method, path, typed, body === undefined ? undefined : JSON.stringify(body));
    if (!response.ok) throw await refusal(response);
    const text = await bodyOf(response);
    try {
      return (text === '' ? null : JSON.parse(text)) as Answer;
    } catch {
      throw new CliFailure('unanswered', `${response.status}, but no answer of this service: ${text.slice(0, SHOWN)}`);
    }
  }
}

export const isHttp = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

/** @throws CliFailure when the connection breaks before the body is whole */
export async function bodyOf(response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    throw new CliFailure('unanswered', `the answer (${response.status}) broke off: ${causeOf(error)}`);
  }
}

/**
 * What a call that was not done says to a person: the message, and each finding on a line. A failure of the service or of what
 * stands before it leaves open what was done.
 */
export async function refusal(response: Response): Promise<CliFailure> {
  const { status } = response;
  const text = await bodyOf(response);
  const exit = status >= 500 ? 'unanswered' : 'refused';
  const retryAfterMs = status >= 500 || status === 429 ? retryAfterMsOf(response) : null;
  const error = errorOf(text);
  if (error === null) return new CliFailure(exit, `${status}: ${text.slice(0, SHOWN)}`, null, retryAfterMs);
  const findings = Array.isArray(error.detail) ? error.detail.map(findingLine) : error.detail === null ? [] : [`  ${JSON.stringify(error.detail)}`];
  return new CliFailure(exit, [`${error.code}: ${error.message}`, ...findings, `request ${error.request_id}`].join('\n'), error, retryAfterMs);
}

/** Not only the service answers: a proxy may leave it out, name a date, or an hour that nobody waits for in silence. */
function retryAfterMsOf(response: Response): number {
  const seconds = Number(response.headers.get('retry-after') ?? 0);
  return Number.isFinite(seconds) ? Math.min(seconds * 1_000, LONGEST_PAUSE_MS) : 0;
}

/** The service's own word; a proxy answers with a page of its own. */
function errorOf(text: string): Exclude<Refusal['error'], undefined> | null {
  try {
    const error = (JSON.parse(text) as Refusal | null)?.error;
    return typeof error?.code === 'string' ? error : null;
  } catch {
    return null;
  }
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
