import { Business, type Invoice } from './business.js';
import { type Answer, call } from './http.js';
import type { RunningStack } from './stack.js';

/** The SRI is of no concern where nothing is issued. */
export const WITHOUT_SRI = { SRI_RECEPTION_URL: 'http://127.0.0.1:9/r', SRI_AUTHORIZATION_URL: 'http://127.0.0.1:9/a', SRI_CONSULTATION_URL: 'http://127.0.0.1:9/c' } as const;

export interface Call {
  readonly method?: string;
  /** Default `/documents`. */
  readonly path?: string;
  /** A text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the business's own. null: none. */
  readonly apiKey?: string | null;
}

/** One input that has to be refused; its name begins with the class of the catalogue, `B31`. */
export interface BadInput {
  readonly name: string;
  /** What differs from a valid invoice that is posted to be issued, */
  readonly change?: Invoice | ((business: Business) => Invoice | Promise<Invoice>);
  /** or how its JSON is rewritten, for what JavaScript cannot hold, */
  readonly rewrite?: (json: string) => string;
  /** or a call of any kind. */
  readonly call?: (business: Business) => Call | Promise<Call>;
  readonly refused: readonly [status: number, code: string];
  /** Field at fault as a JSON pointer, of the body, query, path or header. */
  readonly at?: string;
  /** Type of the field's finding, or rule that it breaks. */
  readonly because?: string;
}

interface Finding {
  readonly loc?: readonly string[];
  readonly pointer?: string;
  readonly type?: string;
  readonly rule?: string;
  readonly input?: unknown;
  readonly actual?: unknown;
}

export interface Refusal {
  readonly error: { readonly code: string; readonly message: string; readonly detail: unknown; readonly request_id: string };
  readonly detail?: readonly Finding[];
}

/** Longest echo of what was sent, in code points. */
const ECHO = 64;
/** An answer that takes longer hangs. */
const HANG_MS = 60_000;

export const findingsOf = ({ error }: Refusal): readonly Finding[] => (Array.isArray(error.detail) ? (error.detail as Finding[]) : []);
export const pointerOf = ({ pointer, loc }: Finding): string => pointer ?? `/${(loc ?? []).slice(1).join('/')}`;

/** What holds for every refusal: the envelope, the same request id twice, no long echo. */
export function expectEnvelope(answer: Answer<Refusal>): void {
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.status).toBeLessThan(500);
  const { error, detail } = answer.body;
  expect(Object.keys(error).sort()).toEqual(['code', 'detail', 'message', 'request_id']);
  expect(answer.headers.get('x-request-id')).toBe(error.request_id);
  if (detail !== undefined) expect(detail).toEqual(error.detail);
  for (const { input } of findingsOf(answer.body)) {
    if (typeof input === 'string') expect(Array.from(input).length).toBeLessThanOrEqual(ECHO);
  }
}

/** Sends an input and holds the answer against what is due. */
export async function expectRefused(stack: RunningStack, business: Business, input: BadInput, change: Invoice = {}): Promise<void> {
  const { method = 'POST', path = '/documents', body, headers = {}, apiKey = business.apiKey } = await callOf(business, input, change);
  const answer = await withinTime(call<Refusal>(stack.apiUrl, method, path, { ...(apiKey !== null && { apiKey }), body, headers }));
  if (answer.status < 400) throw new Error(`was taken with ${answer.status}: ${JSON.stringify(answer.body).slice(0, 300)}`);
  const told = findingsOf(answer.body).map((finding) => `${pointerOf(finding)} ${finding.type ?? finding.rule ?? ''}`);
  expect([answer.status, answer.body.error.code, told]).toEqual([...input.refused, expect.anything()]);
  expectEnvelope(answer);
  if (input.at !== undefined) expect(told.map((text) => text.split(' ')[0])).toContain(input.at);
  if (input.because !== undefined) expect(told).toContain(`${input.at ?? '/'} ${input.because}`);
}

async function callOf(business: Business, input: BadInput, change: Invoice): Promise<Call> {
  if (input.call !== undefined) return input.call(business);
  const own = typeof input.change === 'function' ? await input.change(business) : input.change;
  const body = { ...business.invoice(change), ...own };
  return { body: input.rewrite === undefined ? body : input.rewrite(JSON.stringify(body)) };
}

/** The same, or a failure in place of a test that hangs. */
export async function withinTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${HANG_MS} ms`)), HANG_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/**
 * A table of inputs that one business sends, each under an idempotency key of its own. Afterwards
 * no key is used, and the next invoice has the next number and is the first under the first key.
 */
export function refuses(title: string, stack: () => RunningStack, inputs: readonly BadInput[]): void {
  describe(title, () => {
    const key = (index: number): string => `${title} ${index}`;
    let business: Business;
    beforeAll(async () => {
      business = await Business.open(stack());
      await business.accepted();
    });

    it.each(inputs.map((input, index) => [input.name, input, key(index)] as const))('%s', (_name, input, idempotency_key) =>
      expectRefused(stack(), business, input, { idempotency_key }),
    );

    it('and all that cost neither number nor key', async () => {
      await expectUnspent(stack(), business, 1, key(0));
    });
  });
}

/** The next invoice of the business has the number after `taken` and is the first under the key. */
export async function expectUnspent(stack: RunningStack, business: Business, taken: number, key: string): Promise<void> {
  expect(await business.lastNumber()).toBe(taken);
  expect(await stack.database.query('select id from documents where tenant_id = $1', [business.tenantId])).toHaveLength(taken);
  expect(await stack.database.query('select key from idempotency_keys where tenant_id = $1', [business.tenantId])).toEqual([]);
  const next = await business.issue({ idempotency_key: key });
  expect([next.status, next.headers.get('idempotent-replayed'), Number(next.body.access_key.slice(30, 39))]).toEqual([202, null, taken + 1]);
}
