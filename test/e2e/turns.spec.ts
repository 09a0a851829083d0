import { setTimeout as sleep } from 'node:timers/promises';
import { Business } from '../support/business.js';
import { inTransaction, lockAwaited } from '../support/held-transaction.js';
import type { Answer } from '../support/http.js';
import { type Stack, startStack } from '../support/stack.js';

interface Refused extends Record<string, unknown> {
  error: { code: string; detail: object };
}

describe('calls that are much work, of one tenant', () => {
  let stack: Stack;
  let business: Business;
  let other: Business;

  beforeAll(async () => {
    stack = await startStack({ workers: 0, simulator: false, env: { DATABASE_POOL_SIZE: '4', SRI_RECEPTION_URL: 'http://127.0.0.1:9/r', SRI_AUTHORIZATION_URL: 'http://127.0.0.1:9/a' } });
    business = await Business.open(stack);
    other = await Business.open(stack);
  });
  afterAll(() => stack.stop());

  /**
   * Has so many calls begin that the statement holds up, has others do what they want once so many are refused, and then lets go.
   * @returns how many had which status, and the refusals
   */
  async function heldUp(statement: string, many: number, refused: number, begin: () => Promise<Answer<Refused>>, others: () => Promise<unknown>): Promise<{ statuses: Record<number, number>; refusals: object[] }> {
    const calls: Promise<Answer<Refused>>[] = [];
    let answered = 0;
    await inTransaction(stack.database, async (client) => {
      await client.query(statement);
      calls.push(...Array.from({ length: many }, () => begin().finally(() => (answered += 1))));
      await lockAwaited(stack.database);
      while (answered < refused) await sleep(20);
      await others();
      await client.query('commit');
    });
    const answers = await Promise.all(calls);
    const statuses: Record<number, number> = {};
    for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
    return { statuses, refusals: answers.filter(({ status }) => status >= 400).map(({ body }) => body.error.detail) };
  }

  const ofOthers = async (): Promise<void> => {
    for (const path of ['/issuers', '/buyers', '/documents']) expect([path, (await other.call('GET', path)).status]).toEqual([path, 200]);
  };

  it('lists leave connections to others, wait for their turn, and are refused where too many wait', async () => {
    const list = (): Promise<Answer<Refused>> => business.call<Refused>('GET', '/products?q=nothing');
    const { statuses, refusals } = await heldUp('lock table products in access exclusive mode', 44, 3, list, ofOthers);
    expect([statuses, refusals[0]]).toEqual([{ 200: 41, 429: 3 }, { limit: 41, limits: 'lists', retry_after_seconds: 2 }]);
  });

  it('a caller who leaves while the call waits is no fault of the service', async () => {
    const list = (): Promise<Answer<Refused>> => business.call<Refused>('GET', '/products?q=nothing');
    const gone = new AbortController();
    const { statuses } = await heldUp('lock table products in access exclusive mode', 1, 0, list, async () => {
      const left = fetch(`${stack.apiUrl}/products?q=left`, { headers: { 'x-api-key': business.apiKey }, signal: gone.signal });
      await sleep(300);
      gone.abort();
      await expect(left).rejects.toThrow('aborted');
    });
    // Behind the one that was left.
    expect([statuses, (await list()).status]).toEqual([{ 200: 1 }, 200]);
    expect(stack.logs()).not.toContain('a request failed unexpectedly');
  });

  it('changes of a draft are made one after the other', async () => {
    const draft = (await business.call('POST', '/documents/drafts', business.invoice())).body['id'] as string;
    let nth = 0;
    const change = (): Promise<Answer<Refused>> => business.call<Refused>('PATCH', `/documents/${draft}`, { buyer_name: `Compradora ${(nth += 1)}` });
    const { statuses } = await heldUp(`select 1 from documents where id = '${draft}' for update`, 20, 0, change, ofOthers);
    expect(statuses).toEqual({ 200: 20 });
    expect((await stack.database.query<{ version: number }>('select version from documents where id = $1', [draft]))[0]?.version).toBe(21);
  });

  it('large drafts and dry runs wait for their turn, small ones do not', async () => {
    const lines = Array.from({ length: 600 }, (_, index) => ({ ...(business.invoice()['lines'] as object[])[0], line_number: index + 1 }));
    const content = (own: object): object => ({ ...business.invoice(), subtotal: undefined, total_tax: undefined, total: undefined, taxes: undefined, ...own });
    const large = (): Promise<Answer<Refused>> => business.call<Refused>('POST', '/documents/drafts', content({ lines }));
    const { statuses } = await heldUp('lock table documents in access exclusive mode', 3, 0, large, async () => {
      for (let small = 0; small < 3; small += 1) expect((await business.call('POST', '/documents/validate', content({}))).status).toBe(200);
      // Time enough for the others, if they did not wait for their turn: behind the large one that waits for the table none begins.
      await sleep(1_000);
      expect(await stack.database.query(`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)).toHaveLength(1);
    });
    expect(statuses).toEqual({ 201: 3 });
  });
});
