import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { json } from 'node:stream/consumers';
import { Business } from '../support/business.js';
import { type RunningStack, sharedStack } from '../support/stack.js';

describe('idempotency and numbers over HTTP', () => {
  let stack: RunningStack;
  let apiUrls: readonly string[];
  beforeAll(async () => {
    stack = await sharedStack();
    apiUrls = [stack.apiUrl, await stack.startApi()];
  });
  afterAll(() => stack.stop());

  it('gives 200 parallel POSTs over two processes on one emission point 200 consecutive numbers, each authorized once', async () => {
    const business = await Business.open(stack, { initialSequential: 500 });
    const answers = await Promise.all(Array.from({ length: 200 }, (_unused, index) => business.issue({}, apiUrls[index % 2])));
    expect(answers.map((answer) => answer.status)).toEqual(Array<number>(200).fill(202));
    const numbers = answers.map((answer) => Number(answer.body.access_key.slice(30, 39))).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 200 }, (_unused, index) => 500 + index));
    for (const answer of answers) expect((await business.settled(answer.body.document_id)).status).toBe('AUTHORIZED');
    const order = await stack.database.query<{ sequential: number }>(
      'select sequential from documents where tenant_id = $1 order by first_sent_at, sequential', [business.tenantId]);
    expect(order.map((row) => row.sequential)).toEqual(numbers);
  });

  it('answers 50 parallel POSTs with one key alike and creates one document', async () => {
    const business = await Business.open(stack);
    const answers = await Promise.all(Array.from({ length: 50 }, (_unused, index) => business.issue({ idempotency_key: 'order-7' }, apiUrls[index % 2])));
    expect(new Set(answers.map((answer) => `${answer.status} ${JSON.stringify(answer.body)}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(202);
    expect(answers.filter((answer) => answer.headers.get('idempotent-replayed') === 'true')).toHaveLength(49);
    expect(await business.lastNumber()).toBe(1);
  });

  it('replays the answer of a document that retention has removed, waited for or not', async () => {
    const business = await Business.open(stack);
    // Without an address, for a mail that nobody has sent keeps its document.
    const sale = { idempotency_key: 'long-ago', buyer_email: undefined };
    const first = await business.issue(sale);
    const { id, version } = await business.settled(first.body.document_id) as unknown as { id: string; version: number };
    await stack.database.query(`set local session_replication_role = replica; update documents set issue_date = '2015-06-01' where id = '${id}'`);
    expect(await stack.database.query(`select remove_archived_documents($1, array[$2::uuid], array[$3::int], '2016-01-01', now()) as removed`, [business.tenantId, id, version])).toEqual([{ removed: 1 }]);
    expect(await business.call('GET', `/documents/${id}`)).toMatchObject({ status: 404 });
    for (const headers of [undefined, { prefer: 'wait=2' }]) {
      const again = await business.call('POST', '/documents', business.invoice(sale), headers);
      expect([again.status, again.headers.get('idempotent-replayed'), again.body]).toEqual([202, 'true', first.body]);
    }
  });

  it('refuses another body under the key, and takes equal content in another form for the same', async () => {
    const business = await Business.open(stack);
    const first = await business.issue({ idempotency_key: 'k' });
    const other = await business.issue({ idempotency_key: 'k', buyer_name: 'Otra Persona' });
    expect([other.status, (other.body as { error?: { code: string } }).error?.code]).toEqual([409, 'DUPLICATE_IDEMPOTENCY_KEY']);
    const reordered = Object.fromEntries(Object.entries(business.invoice({ subtotal: 100, total: '115.0', total_discount: 0 })).reverse());
    const same = await business.call('POST', '/documents', reordered, { 'idempotency-key': 'k' });
    expect([same.status, same.body]).toEqual([202, first.body]);
    expect(await business.lastNumber()).toBe(1);
  });

  it('refuses a header that differs from the field', async () => {
    const business = await Business.open(stack);
    const answer = await business.call('POST', '/documents', business.invoice({ idempotency_key: 'a' }), { 'idempotency-key': 'b' });
    expect(answer.status).toBe(422);
  });

  it('refuses headers of which two keys could become one: not UTF-8, or several', async () => {
    const business = await Business.open(stack);
    // fetch sends text of a header as Latin-1.
    const latin1 = await business.call<{ detail: unknown }>('POST', '/documents', business.invoice(), { 'idempotency-key': 'caja-ñ-1' });
    expect([latin1.status, latin1.body.detail]).toEqual([422, [expect.objectContaining({ loc: ['header', 'idempotency-key'], type: 'header_not_utf8' })]]);
    const utf8 = await business.call('POST', '/documents', business.invoice(), { 'idempotency-key': Buffer.from('caja-ñ-1').toString('latin1') });
    expect(utf8.status).toBe(202);

    const several = httpRequest(new URL('/documents', apiUrls[0]), { method: 'POST', headers: { 'x-api-key': business.apiKey, 'content-type': 'application/json', 'idempotency-key': ['k1', 'k2'] } });
    several.end(JSON.stringify(business.invoice()));
    const [answer] = (await once(several, 'response')) as [IncomingMessage];
    expect([answer.statusCode, await json(answer)]).toEqual([422, expect.objectContaining({ detail: [expect.objectContaining({ type: 'header_repeated' })] })]);
  });

  it('does not consume a key with a refusal, and replays when the certificate has expired since', async () => {
    const business = await Business.open(stack);
    expect((await business.issue({ idempotency_key: 'k', total: '1.00' })).status).toBe(400);
    const first = await business.issue({ idempotency_key: 'k' });
    expect(first.status).toBe(202);
    await stack.database.query(`update certificates set valid_to = now() - interval '1 hour' where tenant_id = $1`, [business.tenantId]);
    const again = await business.issue({ idempotency_key: 'k' });
    expect([again.status, again.body]).toEqual([202, first.body]);
  });
});
