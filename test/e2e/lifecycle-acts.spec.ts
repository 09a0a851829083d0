import { buildAccessKey, parseAccessKey } from '../../src/sri/access-key.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { DOCUMENT_STATUSES, LIFECYCLE } from '../../src/modules/documents/domain/lifecycle.js';
import { addDays } from '../../src/shared/guayaquil.js';
import { addFaults, Business, clearFaults, simulatorAccount } from '../support/business.js';
import type { Answer } from '../support/http.js';
import { POPPLER, wordsOf } from '../support/pdf.js';
import { type Stack, startStack } from '../support/stack.js';

interface Act extends Record<string, unknown> {
  status: string;
  error: { code: string; detail: { status?: string; allowed_actions?: string[]; reason?: string } };
}

const magic = (value: string): Record<string, unknown> => ({ additional_info: [{ name: 'Simulador', value }] });

describe('acts on issued documents', () => {
  let stack: Stack;
  let business: Business;

  beforeAll(async () => {
    stack = await startStack({ env: { LEASE_SECONDS: '10', SRI_TIMEOUT_SECONDS: '9', CANCELLATION_LADDER: '1', RECHECK_SECONDS: '4' } });
    business = await Business.open(stack);
  });
  afterAll(() => stack.stop());

  const act = (id: string, name: string, body?: unknown, method = 'POST'): Promise<Answer<Act>> => business.call<Act>(method, `/documents/${id}/${name}`, body);
  const portal = async (name: 'annul' | 'accept', accessKey: string): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${stack.simulatorUrl}/control/portal/${accessKey}`, { method: 'POST', headers, body: JSON.stringify({ act: name }) });
    if (!response.ok) throw new Error(`portal ${name}: ${response.status} ${await response.text()}`);
  };
  const until = async (id: string, status: string): Promise<Record<string, unknown>> => {
    for (const end = Date.now() + 60_000; Date.now() < end; ) {
      const document = await business.document(id);
      if (document.status === status) return document;
      await sleep(100);
    }
    throw new Error(`document ${id} did not become ${status}: ${(await business.document(id)).status}\n${stack.logs()}`);
  };
  /** Puts off what the worker does next with a document, as soon as it has nothing of it at hand, or brings it forward. */
  const dueIn = async (id: string, interval: string): Promise<void> => {
    const put = (): Promise<object[]> => stack.database.query('update outbox set due_at = now() + $2::interval, announced_at = null where document_id = $1 and lease_token is null returning due_at', [id, interval]);
    while ((await put()).length === 0) await sleep(50);
  };
  const triggers = async (id: string): Promise<string[]> =>
    (await stack.database.query<{ trigger: string }>('select trigger from document_history where document_id = $1 order by version', [id])).map((row) => row.trigger);

  it('a document refused for its signature is signed again by a retry and authorized under the same number', async () => {
    const { document_id, access_key } = await business.accepted();
    await until(document_id, 'AUTHORIZED');
    const again = await Business.open(stack);
    await addFaults(stack, { match: { ruc: again.ruc, service: 'reception' }, times: 1, action: { kind: 'refuse', code: '39', at: 'authorization' } });
    const refused = await again.accepted();
    expect((await again.settled(refused.document_id)).status).toBe('REJECTED');
    const answer = await again.call<Act>('POST', `/documents/${refused.document_id}/retry`);
    expect([answer.status, answer.body.status, answer.body['document_id']]).toEqual([202, 'RECEPTION_RETRY_SCHEDULED', refused.document_id]);
    expect(Date.parse(answer.body['retry_scheduled_at'] as string)).not.toBeNaN();
    expect(await again.settled(refused.document_id)).toMatchObject({ status: 'AUTHORIZED', sequential: 1, access_key: refused.access_key, error: null });
    const account = await simulatorAccount(stack, refused.access_key);
    expect({ authorized: account.authorized, digests: account.digests.length }).toEqual({ authorized: 1, digests: 2 });
    expect(access_key).not.toBe(refused.access_key);
  });

  /** The one that runs. */
  let worker = 0;
  describe('a correction that was never signed', () => {
    /** Refused, corrected while no worker runs, and handed to a person because three workers were lost on it. */
    async function lost(mine: Business, at: 'reception' | 'authorization', change: Record<string, unknown> = {}): Promise<{ id: string; key: string }> {
      await addFaults(stack, { match: { ruc: mine.ruc, service: 'reception' }, times: 1, action: { kind: 'refuse', code: at === 'reception' ? '35' : '52', at } });
      const { document_id: id } = await mine.accepted({ buyer_name: 'Con error' });
      expect((await mine.settled(id)).status).toBe('REJECTED');
      await stack.killWorker(worker);
      const corrected = await mine.call<Act>('POST', `/documents/${id}/correct`, mine.invoice({ buyer_name: 'Corregida', ...change }));
      expect([corrected.status, corrected.body.status]).toEqual([202, 'NUMBER_RESERVED']);
      await stack.database.query('update outbox set lost_leases = 3 where document_id = $1', [id]);
      worker = (await stack.startWorker()).index;
      const { status, error, access_key: key } = await mine.settled(id);
      expect([status, error]).toMatchObject(['MANUAL_REVIEW_REQUIRED', { code: 'ATTEMPTS_EXHAUSTED' }]);
      return { id, key: key as string };
    }
    const signings = (id: string): Promise<object[]> =>
      stack.database.query('select signing_no, content_revision, access_key from signed_documents where document_id = $1 order by signing_no', [id]);

    it.each(['reception', 'authorization'] as const)('is signed by the retry, refused at %s or not: the former bytes are not sent again', async (at) => {
      const mine = await Business.open(stack);
      const { id, key } = await lost(mine, at);
      expect((await mine.call<Act>('POST', `/documents/${id}/retry`)).status).toBe(202);
      expect(await mine.settled(id)).toMatchObject({ status: 'AUTHORIZED', buyer_name: 'Corregida' });
      expect((await mine.call<string>('GET', `/documents/${id}/xml`)).body).toContain('Corregida');
      expect(await signings(id)).toEqual([{ signing_no: 1, content_revision: 1, access_key: key }, { signing_no: 2, content_revision: 2, access_key: key }]);
    });

    it('is signed by the retry, when the refused bytes come from a version that did not say of what they are', async () => {
      const mine = await Business.open(stack);
      const { id } = await lost(mine, 'reception');
      await stack.database.query('update signed_documents set content_revision = null where document_id = $1', [id]);
      expect((await mine.call<Act>('POST', `/documents/${id}/retry`)).status).toBe(202);
      expect(await mine.settled(id)).toMatchObject({ status: 'AUTHORIZED', buyer_name: 'Corregida' });
      expect((await mine.call<string>('GET', `/documents/${id}/xml`)).body).toContain('Corregida');
    });

    it('is signed under the key of its new day', async () => {
      const mine = await Business.open(stack);
      const yesterday = new Date(Date.now() - 29 * 3_600_000).toISOString().slice(0, 10);
      const { id, key } = await lost(mine, 'reception', { issue_date: yesterday });
      expect((await mine.call<Act>('POST', `/documents/${id}/retry`)).status).toBe(202);
      expect(await mine.settled(id)).toMatchObject({ status: 'AUTHORIZED', access_key: key, issue_date: yesterday });
      const [first, second] = (await signings(id)) as { access_key: string }[];
      expect([first!.access_key === key, second!.access_key]).toEqual([false, key]);
      expect((await simulatorAccount(stack, first!.access_key)).authorized).toBe(0);
    });
  });

  it('a document that was corrected under another day tells its new key to who repeats the first call and waits', async () => {
    const mine = await Business.open(stack);
    await addFaults(stack, { match: { ruc: mine.ruc, service: 'reception' }, times: 1, action: { kind: 'refuse', code: '35', at: 'reception' } });
    const body = mine.invoice({ idempotency_key: 'order-7' });
    const { document_id: id, access_key: first } = await mine.accepted(body);
    expect((await mine.settled(id)).status).toBe('REJECTED');
    const yesterday = new Date(Date.now() - 29 * 3_600_000).toISOString().slice(0, 10);
    const corrected = await mine.call<Act>('POST', `/documents/${id}/correct`, mine.invoice({ issue_date: yesterday }));
    const key = corrected.body['new_access_key'];
    expect(await mine.settled(id)).toMatchObject({ status: 'AUTHORIZED', access_key: key });
    const repeated = (headers: Record<string, string>) => mine.call<Act>('POST', '/documents', body, headers);
    expect((await repeated({})).body).toEqual({ document_id: id, status: 'NUMBER_RESERVED', access_key: first });
    expect((await repeated({ prefer: 'wait=5' })).body).toMatchObject({ action_taken: 'replayed', status: 'AUTHORIZED', authorization_number: key, new_access_key: key });
  });

  it('a document that was corrected under another day is found by the key that it had', async () => {
    const mine = await Business.open(stack);
    await addFaults(stack, { match: { ruc: mine.ruc, service: 'reception' }, times: 1, action: { kind: 'refuse', code: '35', at: 'reception' } });
    const { document_id: id, access_key: former } = await mine.accepted();
    expect((await mine.settled(id)).status).toBe('REJECTED');
    const { access_key: other } = await mine.accepted();
    const yesterday = new Date(Date.now() - 29 * 3_600_000).toISOString().slice(0, 10);
    const corrected = await mine.call<Act>('POST', `/documents/${id}/correct`, mine.invoice({ issue_date: yesterday, buyer_name: 'Corregida' }));
    const key = corrected.body['new_access_key'] as string;

    const found = async (query: string) => {
      const { status, body } = await mine.call<{ items: { id: string; access_key: string }[]; total: number }>('GET', `/documents?${query}`);
      return [status, body.total, ...body.items.map((item) => [item.id, item.access_key])];
    };
    const wanted = [200, 1, [id, key]];
    expect(former).not.toBe(key);
    for (const query of [`access_key=${former}`, `access_key=${key}`, `q=${former}`, `q=${key}`, `access_key=${former}&q=corregida`]) expect([query, await found(query)]).toEqual([query, wanted]);
    // The same number with another numeric code was never this document's key.
    const stranger = `${former.slice(0, 39)}${String((Number(former.slice(39, 47)) + 1) % 100_000_000).padStart(8, '0')}${former.slice(47)}`;
    // Nor was one of a day on which it was never dated, nor the right one with another check digit.
    const parts = parseAccessKey(former)!;
    const undated = buildAccessKey({ ...parts, issueDate: '2019-01-01', environment: '1' });
    const mistyped = former.slice(0, 48) + String((Number(former.slice(48)) + 1) % 10);
    for (const query of [`access_key=${undated}`, `q=${mistyped}`, `access_key=${stranger}`, `q=${stranger}`, `access_key=${former}&q=nadie`, `access_key=${former}&q=${other}`]) expect([query, await found(query)]).toEqual([query, [200, 0]]);
    const exported = await fetch(`${stack.apiUrl}/documents/export.csv?access_key=${former}`, { headers: { 'x-api-key': mine.apiKey } });
    expect((await exported.text()).trim().split('\r\n').slice(1).map((row) => row.split(',')[0])).toEqual([id]);
  });

  it('a document that is corrected under another day says which of the others name it by the former one, until it has that again', async () => {
    const mine = await Business.open(stack);
    const today = mine.invoice()['issue_date'] as string;
    const yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10);
    const { document_id: id, access_key: former } = await mine.accepted(magic('slow:6, 65'));
    const line = { line_number: 1, description: 'Café', quantity: '1', unit_price: '0', subtotal: '0.00', tax_rate_code: '0' };
    const guide = {
      document_type: '06', modified_document_id: id, buyer_address: 'Av. Loja 12, Cuenca', reason: 'Venta', payments: undefined, lines: [line],
      subtotal: '0.00', total_tax: '0.00', total: '0.00', taxes: [{ tax_code: '2', tax_rate_code: '0', taxable_base: '0.00', rate: '0', tax_amount: '0.00' }],
      transport: { origin_address: 'Quito', carrier: { id_type: '05', id: '1710034065', name: 'Pedro Torres' }, start_date: today, end_date: today, plate: 'PBA1234' },
    };
    const { document_id: carried } = await mine.accepted(guide);
    const { document_id: charged } = await mine.accepted({ document_type: '05', modified_document_id: id });
    expect((await mine.call('POST', '/documents/drafts', mine.invoice(guide))).status).toBe(201);
    for (const other of [carried, charged]) expect((await mine.settled(other)).status).toBe('AUTHORIZED');
    expect((await mine.call<string>('GET', `/documents/${carried}/xml`)).body).toContain(`<numAutDocSustento>${former}</numAutDocSustento>`);

    const corrected = async (change: Record<string, unknown>): Promise<unknown> => {
      expect((await mine.settled(id)).status).toBe('REJECTED');
      expect((await mine.call('POST', `/documents/${id}/correct`, mine.invoice(change))).status).toBe(202);
      const { warnings } = await mine.document(id);
      return (warnings as { rule: string }[]).filter(({ rule }) => rule === 'correction.referred_to');
    };
    const told = [{ severity: 'warning', pointer: '/issue_date', actual: `06 001-001-000000001 (${carried}), 05 001-001-000000001 (${charged})` }];
    expect(await corrected({ ...magic('65'), issue_date: yesterday })).toMatchObject(told);
    expect(await corrected({ ...magic('35'), issue_date: yesterday, buyer_name: 'Corregida' })).toMatchObject(told);
    expect(await corrected({ issue_date: today })).toEqual([]);
    expect(await mine.settled(id)).toMatchObject({ status: 'AUTHORIZED', access_key: former });
  });

  const KEPT_THOUGH_REFUSED = { kind: 'refuse', code: '35', at: 'reception', stored: true } as const;
  /** The next daily comparison with the SRI, which the stack makes every four seconds. */
  const compare = (id: string, when: 'in an hour' | 'now'): Promise<unknown> =>
    stack.database.query(`update outbox set due_at = now() + $2::interval, announced_at = null where document_id = $1`, [id, when === 'now' ? '0 s' : '1 h']);

  describe('authorized as it was before its correction', () => {
    it.each(['under the key of its former day', 'under its key'])('%s, a document is that version again, and says so', async (how) => {
      const mine = await Business.open(stack);
      const today = mine.invoice()['issue_date'];
      await addFaults(stack, { match: { ruc: mine.ruc, service: 'reception' }, times: 1, action: KEPT_THOUGH_REFUSED });
      const { document_id: id, access_key: key } = await mine.accepted({ buyer_name: 'Con error' });
      expect((await mine.settled(id)).status).toBe('REJECTED');
      await compare(id, 'in an hour');
      const yesterday = new Date(Date.now() - 29 * 3_600_000).toISOString().slice(0, 10);
      const redated = how.includes('former');
      const corrected = await mine.call<Act>('POST', `/documents/${id}/correct`, mine.invoice({ buyer_name: 'Corregida', ...(redated && { issue_date: yesterday }) }));
      expect([corrected.status, corrected.body['new_access_key'] === null]).toEqual([202, !redated]);
      expect(await mine.settled(id)).toMatchObject({
        status: 'AUTHORIZED', access_key: key, authorization_number: key, issue_date: today, buyer_name: 'Con error', error: null,
        warnings: [{ rule: 'authorization.former_content', severity: 'warning' }],
      });
      for (const kind of ['signed', 'authorized']) expect((await mine.call<string>('GET', `/documents/${id}/xml?kind=${kind}`)).body).toContain('Con error');
      const { body: list } = await mine.call<{ items: { buyer_name: string }[] }>('GET', '/documents');
      expect(list.items.map(({ buyer_name }) => buyer_name)).toEqual(['Con error']);
      const [last] = await stack.database.query<{ detail: object }>('select detail from document_history where document_id = $1 order by version desc limit 1', [id]);
      expect(last!.detail).toEqual({ reason: 'former_content' });
      expect(await simulatorAccount(stack, key)).toMatchObject({ authorized: 1 });
    });
  });

  describe('a correction that waits for a certificate', () => {
    async function waiting(mine: Business, stored: boolean): Promise<{ id: string; key: string }> {
      await addFaults(stack, { match: { ruc: mine.ruc, service: 'reception' }, times: 1, action: { ...KEPT_THOUGH_REFUSED, stored } });
      const { document_id: id, access_key: key } = await mine.accepted({ buyer_name: 'Con error' });
      expect((await mine.settled(id)).status).toBe('REJECTED');
      await compare(id, 'in an hour');
      await stack.killWorker(worker);
      expect((await mine.call<Act>('POST', `/documents/${id}/correct`, mine.invoice({ buyer_name: 'Corregida' }))).status).toBe(202);
      const [certificate] = (await mine.call<{ items: { id: string }[] }>('GET', `/issuers/${mine.issuerId}/certificates`)).body.items;
      expect((await mine.call('DELETE', `/issuers/${mine.issuerId}/certificates/${certificate!.id}`)).status).toBe(204);
      worker = (await stack.startWorker()).index;
      return { id, key };
    }
    const authorized = async (mine: Business, id: string): Promise<object> => {
      for (const end = Date.now() + 60_000; (await mine.document(id)).status !== 'AUTHORIZED' && Date.now() < end; ) await sleep(100);
      return mine.document(id);
    };

    it('is compared with the SRI meanwhile, and is what it was when that is authorized', async () => {
      const mine = await Business.open(stack);
      const { id, key } = await waiting(mine, true);
      expect(await authorized(mine, id)).toMatchObject({ status: 'AUTHORIZED', authorization_number: key, buyer_name: 'Con error' });
    });

    it('goes on with the next one', async () => {
      const mine = await Business.open(stack);
      const { id } = await waiting(mine, false);
      const questions = (): Promise<object[]> => stack.database.query(`select 1 from sri_attempts where document_id = $1 and service = 'authorization'`, [id]);
      for (const end = Date.now() + 60_000; (await questions()).length < 2 && Date.now() < end; ) await sleep(100);
      expect((await questions()).length).toBeGreaterThan(1);
      // After the question a certificate is looked for once more.
      for (const end = Date.now() + 60_000; (await mine.document(id))['next_attempt_at'] !== null && Date.now() < end; ) await sleep(100);
      expect(await mine.document(id)).toMatchObject({ status: 'NUMBER_RESERVED', error: { code: 'CERTIFICATE_NOT_FOUND' }, next_attempt_at: null });
      await mine.uploadCertificate();
      expect(await authorized(mine, id)).toMatchObject({ status: 'AUTHORIZED', buyer_name: 'Corregida', error: null });
    });
  });

  it('an invoice that was credited in full while its annulment was asked for is void once that is taken back', async () => {
    const seller = await Business.open(stack);
    const original = await seller.accepted();
    expect((await seller.settled(original.document_id)).status).toBe('AUTHORIZED');
    await addFaults(stack, { match: { ruc: seller.ruc, service: 'reception' }, times: 1, action: KEPT_THOUGH_REFUSED });
    const note = await seller.accepted({ document_type: '04', modified_document_id: original.document_id, reason: 'all of it', payments: [] });
    expect((await seller.settled(note.document_id)).status).toBe('REJECTED');
    expect((await seller.call<Act>('POST', `/documents/${note.document_id}/abandon`, { reason: 'not needed' })).body.status).toBe('FAILED_PERMANENT');
    await compare(note.document_id, 'in an hour');
    expect((await seller.call<Act>('POST', `/documents/${original.document_id}/cancel`, { reason: 'issued twice' })).status).toBe(202);
    await compare(note.document_id, 'now');
    for (const end = Date.now() + 60_000; (await seller.document(note.document_id)).status !== 'AUTHORIZED' && Date.now() < end; ) await sleep(100);
    expect((await seller.document(original.document_id)).status).toBe('CANCELLATION_REQUESTED');
    expect((await seller.call<Act>('DELETE', `/documents/${original.document_id}/cancel`)).status).toBe(204);
    expect((await seller.document(original.document_id)).status).toBe('VOIDED_BY_NC');
    const events = await stack.database.query<{ type: string }>('select type from events where document_id = $1 order by position', [original.document_id]);
    expect(events.map(({ type }) => type).slice(-2)).toEqual(['document.authorized', 'document.voided']);
  });

  it('a document refused for its content is not retried: what is allowed is named', async () => {
    const { document_id } = await business.accepted(magic('52'));
    expect((await business.settled(document_id)).status).toBe('REJECTED');
    const answer = await act(document_id, 'retry');
    expect([answer.status, answer.body.error.code, answer.body.error.detail]).toEqual([
      409, 'INVALID_STATE', { status: 'REJECTED', allowed_actions: ['reconcile', 'correct', 'abandon'], reason: 'CONTENT_REFUSED' },
    ]);
    // Nor is it offered to whoever asked for something else.
    for (const [other, suggestion] of [[await act(document_id, 'cancel', { reason: 'wrong' }), { suggested_action: 'correct' }], [await act(document_id, 'issue'), {}]] as const) {
      expect([other.status, other.body.error.detail]).toEqual([409, { status: 'REJECTED', allowed_actions: ['reconcile', 'correct', 'abandon'], ...suggestion }]);
    }
  });

  it('a blocked taxpayer pauses his issuer once; the others wait, and one act lets them go', async () => {
    const blocked = await Business.open(stack);
    await addFaults(stack, { match: { ruc: blocked.ruc, service: 'reception' }, times: 1, action: { kind: 'refuse', code: '57', at: 'authorization' } });
    const first = await blocked.accepted();
    expect((await blocked.settled(first.document_id)).status).toBe('REJECTED');
    const waiting = await Promise.all([1, 2, 3].map(() => blocked.accepted()));
    const stand = async (): Promise<string[]> => (await Promise.all(waiting.map(({ document_id }) => blocked.document(document_id)))).map(({ status }) => status);
    while ((await stand()).some((status) => status !== 'RECEPTION_PENDING')) await sleep(100);
    await sleep(1_000);
    expect(await stand()).toEqual(waiting.map(() => 'RECEPTION_PENDING'));
    const { body } = await blocked.call<{ items: { id: string; resumed_at: string | null }[] }>('GET', `/issuers/${blocked.issuerId}/pauses?page=1&page_size=100`);
    expect(body).toMatchObject({ items: [{ scope: 'issuer', sri_code: '57', document_id: first.document_id, resumed_at: null }], total: 1, page: 1, page_size: 100 });
    expect((await blocked.call('GET', `/issuers/${blocked.issuerId}/pauses?page_size=101`)).status).toBe(422);
    const told = async (): Promise<unknown> => (await blocked.call('POST', '/documents/validate', blocked.invoice())).body;
    const warning = { rule: 'pause.open', severity: 'warning', actual: `${body.items[0]?.id} (issuer, 57)` };
    expect(await told()).toMatchObject({ valid: true, findings: [warning] });
    const events = await blocked.listed('type=issuer.paused');
    expect(events).toMatchObject([{ type: 'issuer.paused', version: null, data: { pause: { document_id: first.document_id } } }]);
    const resumed = await blocked.call('POST', `/issuers/${blocked.issuerId}/pauses/${body.items[0]?.id}/resume`);
    expect(resumed.status).toBe(200);
    expect(await told()).toMatchObject({ valid: true, findings: [] });
    for (const { document_id } of waiting) expect((await blocked.settled(document_id)).status).toBe('AUTHORIZED');
    expect((await blocked.call('POST', `/documents/${first.document_id}/retry`)).status).toBe(202);
    expect((await blocked.settled(first.document_id)).status).toBe('AUTHORIZED');
    expect((await business.call('GET', `/issuers/${blocked.issuerId}/pauses`)).status).toBe(404);
  });

  it('three numbers in a row that the SRI gave to others pause the emission point', async () => {
    const taken = await Business.open(stack);
    const results = [];
    for (let i = 0; i < 3; i += 1) {
      const { document_id } = await taken.accepted(magic('45'));
      results.push((await taken.settled(document_id)).status);
    }
    expect(results).toEqual(['MANUAL_REVIEW_REQUIRED', 'MANUAL_REVIEW_REQUIRED', 'MANUAL_REVIEW_REQUIRED']);
    const { body } = await taken.call<{ items: unknown[] }>('GET', `/issuers/${taken.issuerId}/pauses`);
    expect(body.items).toMatchObject([{ scope: 'emission_point', document_type: '01', sri_code: '45' }]);
  });

  it('a taken number is not retried; abandoned, it is explained and final', async () => {
    const { document_id } = await business.accepted(magic('45'));
    expect((await business.settled(document_id)).status).toBe('MANUAL_REVIEW_REQUIRED');
    expect((await act(document_id, 'retry')).body.error.detail).toMatchObject({ reason: 'SEQUENTIAL_TAKEN', allowed_actions: ['reconcile', 'abandon'] });
    const answer = await act(document_id, 'abandon', { reason: 'the number was used on paper' });
    expect([answer.status, answer.body.status]).toEqual([200, 'FAILED_PERMANENT']);
    const history = (await business.call<{ items: Record<string, unknown>[] }>('GET', `/documents/${document_id}/history`)).body.items;
    expect(history.at(-1)).toMatchObject({ kind: 'move', trigger: 'abandoned', to_status: 'FAILED_PERMANENT', detail: { reason: 'the number was used on paper' } });
    expect((await business.document(document_id))['error']).toEqual({
      code: 'SEQUENTIAL_TAKEN', message: expect.stringContaining('se abandonó'), detail: { abandoned: 'the number was used on paper' },
    });
    expect((await act(document_id, 'abandon', { reason: 'again' })).status).toBe(409);
  });

  it('what the SRI has authorized after all is not given up, nor anything that was sent while it does not answer', async () => {
    const mine = await Business.open(stack);
    await addFaults(
      stack,
      { match: { ruc: mine.ruc, service: 'reception' }, times: 1, action: { kind: 'refuse', code: '45', at: 'reception', stored: true } },
      { match: { ruc: mine.ruc, service: 'authorization' }, times: 1, action: { kind: 'empty' } },
    );
    const { document_id, access_key } = await mine.accepted();
    expect(await mine.settled(document_id)).toMatchObject({ status: 'MANUAL_REVIEW_REQUIRED', error: { code: 'SEQUENTIAL_TAKEN' } });
    while ((await simulatorAccount(stack, access_key)).state !== 'authorized') await sleep(20);
    const abandon = (): Promise<Answer<Act>> => mine.call<Act>('POST', `/documents/${document_id}/abandon`, { reason: 'sold on paper' });
    await addFaults(stack, { match: { ruc: mine.ruc, service: 'authorization' }, times: 1, action: { kind: 'http', status: 503 } });
    const unanswered = await abandon();
    expect([unanswered.status, unanswered.body.error.code, (await mine.document(document_id)).status]).toEqual([503, 'SRI_UNAVAILABLE', 'MANUAL_REVIEW_REQUIRED']);
    const decided = await abandon();
    expect([decided.status, decided.body.error]).toMatchObject([409, { code: 'INVALID_STATE', detail: { status: 'AUTHORIZED', reason: 'DECIDED_AT_SRI', allowed_actions: ['cancel', 'credit'] } }]);
    expect((await mine.document(document_id)).status).toBe('AUTHORIZED');
    const line = await mine.call<{ items: unknown[] }>('GET', '/tenant/audit-log?action=document.reconciled');
    expect(line.body.items).toMatchObject([{ target_kind: 'document', target_id: document_id }]);
  });

  it('history shows every move and every exchange in order, with the words of the SRI', async () => {
    const { document_id } = await business.accepted(magic('50'));
    await until(document_id, 'AUTHORIZED');
    const { status, body } = await business.call<{ items: Record<string, unknown>[] }>('GET', `/documents/${document_id}/history`);
    expect(status).toBe(200);
    const moves = body.items.filter(({ kind }) => kind === 'move');
    expect(moves.map(({ version }) => version)).toEqual(moves.map((_, index) => index + 1));
    expect(moves.map(({ trigger }) => trigger)).toEqual(['number_taken', 'xml_built', 'signed', 'queued', 'sending', 'transient', 'sending', 'received', 'awaiting', ...(moves.length > 10 ? ['undecided'] : []), 'authorized']);
    const calls = body.items.filter(({ kind }) => kind === 'sri_call');
    expect(calls.slice(0, 2)).toMatchObject([
      { service: 'reception', outcome: 'returned', signing_no: 1, sri_messages: [{ identifier: '50' }] },
      { service: 'reception', outcome: 'received', signing_no: 1 },
    ]);
    expect(calls.at(-1)).toMatchObject({ service: 'authorization', outcome: 'AUTORIZADO' });
  });

  it('reconcile follows a verdict at once and changes nothing without one', async () => {
    const slow = await Business.open(stack);
    await addFaults(stack, { match: { ruc: slow.ruc, service: 'authorization' }, times: null, action: { kind: 'in_process' } });
    const { document_id, access_key } = await slow.accepted();
    while (!(await slow.document(document_id)).status.startsWith('AUTHORIZATION')) await sleep(100);
    const first = await slow.call<Act>('POST', `/documents/${document_id}/reconcile`);
    expect([first.status, ['AUTHORIZATION_PENDING', 'AUTHORIZATION_RETRY_SCHEDULED'].includes(first.body.status)]).toEqual([200, true]);
    expect(Date.parse(first.body['reconciled_at'] as string)).not.toBeNaN();
    await dueIn(document_id, '1 hour');
    await clearFaults(stack);
    // Without the fault it takes its time, too.
    while ((await simulatorAccount(stack, access_key)).state !== 'authorized') await sleep(20);
    expect((await slow.call<Act>('POST', `/documents/${document_id}/reconcile`)).body.status).toBe('AUTHORIZED');
    expect((await slow.settled(document_id)).status).toBe('AUTHORIZED');
  });

  it('the authority away: reconcile answers 503 with Retry-After and leaves the document alone', async () => {
    const away = await startStack({ workers: 0, simulator: false, env: { SRI_RECEPTION_URL: 'http://127.0.0.1:1/r', SRI_AUTHORIZATION_URL: 'http://127.0.0.1:1/a', SRI_CONSULTATION_URL: 'http://127.0.0.1:1/c' } });
    try {
      const lonely = await Business.open(away);
      const { document_id } = await lonely.accepted();
      await away.startWorker();
      for (const end = Date.now() + 60_000; (await lonely.document(document_id)).status !== 'RECEPTION_RETRY_SCHEDULED' && Date.now() < end; ) await sleep(100);
      await away.killWorker(0, 'SIGTERM');
      const before = await lonely.document(document_id);
      const answer = await lonely.call<Act>('POST', `/documents/${document_id}/reconcile`);
      expect([answer.status, answer.body.error.code, Number(answer.headers.get('retry-after')) > 0]).toEqual([503, 'SRI_UNAVAILABLE', true]);
      expect(await lonely.document(document_id)).toEqual(before);
    } finally {
      await away.stop();
    }
  });

  it('a cancellation waits for the portal, and only the SRI’s ANULADO ends it', async () => {
    const { document_id, access_key } = await business.accepted();
    await until(document_id, 'AUTHORIZED');
    const answer = await act(document_id, 'cancel', { reason: 'issued twice' });
    expect([answer.status, answer.body.status]).toEqual([202, 'CANCELLATION_REQUESTED']);
    expect(answer.body['deadline']).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(answer.body['instructions']).toContain('SRI en línea');
    await sleep(2_500);
    // Asked in an hour, and whoever asks meanwhile puts nothing off.
    await dueIn(document_id, '1 hour');
    const before = await business.document(document_id);
    expect(before).toMatchObject({ status: 'CANCELLATION_REQUESTED', cancellation: { reason: 'issued twice', pending_at_sri: false }, next_attempt_at: expect.any(String) });
    for (let times = 0; times < 2; times += 1) expect((await act(document_id, 'reconcile')).body).toMatchObject({ status: 'CANCELLATION_REQUESTED' });
    expect((await business.document(document_id)).next_attempt_at).toBe(before.next_attempt_at);
    await dueIn(document_id, '0');
    await portal('annul', access_key);
    await until(document_id, 'CANCELLED');
    expect((await triggers(document_id)).slice(-2)).toEqual(['cancellation_requested', 'annulled']);
  });

  it('a cancellation can be taken back, and a credited invoice cannot be cancelled', async () => {
    const { document_id } = await business.accepted();
    await until(document_id, 'AUTHORIZED');
    const requested = await business.call('POST', `/documents/${document_id}/cancel`, { reason: 'by mistake' }, { 'accept-language': 'en' });
    expect([requested.status, requested.body['instructions']]).toEqual([202, expect.stringMatching(/^Annul the document in SRI en línea/)]);
    expect((await business.call('POST', `/documents/${document_id}/credit-note`, { reason: 'x', lines: business.invoice()['lines'], taxes: business.invoice()['taxes'], subtotal: '100.00', total_tax: '15.00', total: '115.00' })).status).toBe(409);
    expect((await act(document_id, 'cancel', undefined, 'DELETE')).status).toBe(204);
    expect(await business.document(document_id)).toMatchObject({ status: 'AUTHORIZED', cancellation: null });
    const note = await business.accepted({
      document_type: '04', modified_document_id: document_id, reason: 'half', payments: [],
      subtotal: '50.00', total_tax: '7.50', total: '57.50',
      lines: [{ line_number: 1, description: 'Servicio', quantity: '1', unit_price: '50.00', subtotal: '50.00', tax_rate_code: '4' }],
      taxes: [{ tax_code: '2', tax_rate_code: '4', taxable_base: '50.00', rate: '0.15', tax_amount: '7.50' }],
    });
    await until(note.document_id, 'AUTHORIZED');
    const refused = await act(document_id, 'cancel', { reason: 'too late' });
    const number = /^.{24}(...)(...)(.{9})/.exec(note.access_key)!.slice(1).join('-');
    expect([refused.status, refused.body.error.code]).toEqual([400, 'FISCAL_RULE_VIOLATED']);
    expect(refused.body.error.detail).toMatchObject([{ rule: 'cancellation.credited', actual: number }]);
    expect(refused.body.error).toMatchObject({ message: 'El documento no se puede anular; detail dice por qué.' });
  });

  it('an invoice that was annulled in the portal although it was credited is cancelled once that is asked for', async () => {
    const { document_id, access_key } = await business.accepted();
    await until(document_id, 'AUTHORIZED');
    const half = {
      document_type: '04', modified_document_id: document_id, reason: 'half', payments: [],
      subtotal: '50.00', total_tax: '7.50', total: '57.50',
      lines: [{ line_number: 1, description: 'Servicio', quantity: '1', unit_price: '50.00', subtotal: '50.00', tax_rate_code: '4' }],
      taxes: [{ tax_code: '2', tax_rate_code: '4', taxable_base: '50.00', rate: '0.15', tax_amount: '7.50' }],
    };
    const note = await business.accepted(half);
    await until(note.document_id, 'AUTHORIZED');
    expect((await act(document_id, 'cancel', { reason: 'not yet' })).status).toBe(400);
    await portal('annul', access_key);
    const answer = await act(document_id, 'cancel', { reason: 'annulled in the portal' });
    expect([answer.status, answer.body.status, answer.body['instructions']]).toEqual([202, 'CANCELLED', expect.stringContaining('anulado')]);
    expect(await business.document(document_id)).toMatchObject({ status: 'CANCELLED', cancellation: { reason: 'annulled in the portal', pending_at_sri: false } });
    expect((await triggers(document_id)).slice(-2)).toEqual(['cancellation_requested', 'annulled']);
    const events = await stack.database.query<{ type: string }>('select type from events where document_id = $1 order by position', [document_id]);
    expect(events.map(({ type }) => type)).toEqual(['document.authorized', 'document.cancelled']);
    // Its credit note stands until that is annulled too; nothing is credited any more.
    expect((await business.document(note.document_id)).status).toBe('AUTHORIZED');
    expect((await business.call('POST', '/documents', business.invoice(half))).status).toBe(409);
    expect((await act(note.document_id, 'cancel', { reason: 'its invoice is no more' })).status).toBe(202);
    await portal('annul', note.access_key);
    await portal('accept', note.access_key);
    await until(note.document_id, 'CANCELLED');
    expect((await business.document(document_id)).status).toBe('CANCELLED');
  });

  it('a refused credit note is not sent again once its invoice was annulled', async () => {
    const { document_id, access_key } = await business.accepted();
    await until(document_id, 'AUTHORIZED');
    await addFaults(stack, { match: { ruc: business.ruc, service: 'reception' }, times: 1, action: { kind: 'refuse', code: '39', at: 'reception' } });
    const note = await business.accepted({ document_type: '04', modified_document_id: document_id, reason: 'all', payments: [] });
    await until(note.document_id, 'REJECTED');
    await portal('annul', access_key);
    expect((await act(document_id, 'cancel', { reason: 'annulled in the portal' })).body.status).toBe('CANCELLED');
    const refused = await act(note.document_id, 'retry');
    expect([refused.status, refused.body.error]).toMatchObject([409, { code: 'INVALID_STATE' }]);
    expect((await business.document(note.document_id)).status).toBe('REJECTED');
    expect((await act(note.document_id, 'abandon', { reason: 'its invoice is no more' })).status).toBe(200);
  });

  it('a document whose date is out of time is to be abandoned once a refusal at authorization has fixed it', async () => {
    const mine = await Business.open(stack);
    const refuse = (code: string, at: string): Promise<void> => addFaults(stack, { match: { ruc: mine.ruc, service: 'reception' }, times: 1, action: { kind: 'refuse', code, at } });
    await refuse('52', 'authorization');
    const { document_id } = await mine.accepted();
    expect(await mine.settled(document_id)).toMatchObject({ status: 'REJECTED', error: { detail: { suggested_action: 'correct' } } });
    await refuse('65', 'reception');
    expect((await mine.call('POST', `/documents/${document_id}/correct`, mine.invoice({ buyer_name: 'Otra Persona' }))).status).toBe(202);
    expect(await mine.settled(document_id)).toMatchObject({ status: 'REJECTED', error: { detail: { suggested_action: 'abandon', reason: 'date_is_fixed' } } });
  });

  describe('a refused document of a restored database', () => {
    /**
     * Refused, put by as a backup has it, corrected and authorized, and put back, so that the SRI shows what is not known here.
     * @param day that it is corrected to then, before anybody looks
     * @returns the key under which the SRI shows it
     */
    async function restored(mine: Business, change: Record<string, unknown> = {}, day: string | null = null): Promise<{ id: string; key: string }> {
      await addFaults(stack, { match: { ruc: mine.ruc, service: 'reception' }, times: 1, action: { kind: 'refuse', code: '52', at: 'reception' } });
      const { document_id: id, access_key: key } = await mine.accepted(change);
      expect((await mine.settled(id)).status).toBe('REJECTED');
      if (day !== null) await dueIn(id, '1 hour');
      const tables = ['documents', 'document_contents', 'document_history', 'signed_documents', 'outbox'];
      const ofIt = (table: string): string => `${table === 'documents' ? 'id' : 'document_id'} = '${id}'`;
      await stack.database.query(tables.map((table) => `create table backup_of_${table} as select * from ${table} where ${ofIt(table)}`).join(';'));
      expect((await mine.call('POST', `/documents/${id}/correct`, mine.invoice({ ...change, buyer_name: 'Otra Persona' }))).status).toBe(202);
      for (const end = Date.now() + 60_000; (await mine.document(id)).status !== 'AUTHORIZED' && Date.now() < end; ) await sleep(100);
      await stack.database.query(`begin; set local session_replication_role = replica;
        ${tables.map((table) => `delete from ${table} where ${ofIt(table)}; insert into ${table} select * from backup_of_${table}; drop table backup_of_${table};`).join('\n')}
        commit`);
      if (day !== null) expect((await mine.call('POST', `/documents/${id}/correct`, mine.invoice({ ...change, issue_date: day }))).status).toBe(202);
      for (const end = Date.now() + 60_000; (await mine.document(id)).status !== 'MANUAL_REVIEW_REQUIRED' && Date.now() < end; ) await sleep(100);
      return { id, key };
    }

    it('comes to a person when the SRI shows what it was corrected to since', async () => {
      const { id } = await restored(business);
      expect(await business.document(id)).toMatchObject({ status: 'MANUAL_REVIEW_REQUIRED', error: { code: 'ANSWER_MISMATCH', detail: { suggested_action: 'contact_support' } } });
      expect((await triggers(id)).slice(-2)).toEqual(['refused', 'mismatch']);
      // Known from now on: neither a question nor the daily look says it again.
      expect((await act(id, 'reconcile')).body.status).toBe('MANUAL_REVIEW_REQUIRED');
      expect((await triggers(id)).at(-2)).toBe('refused');
    });

    it('keeps what it credits when it is given up, until the SRI shows it annulled', async () => {
      const mine = await Business.open(stack);
      const original = await mine.accepted();
      expect((await mine.settled(original.document_id)).status).toBe('AUTHORIZED');
      const credits = { document_type: '04', modified_document_id: original.document_id, reason: 'Devolución', payments: [] };
      const half = {
        ...credits, subtotal: '50.00', total_tax: '7.50', total: '57.50',
        lines: [{ line_number: 1, description: 'Servicio', quantity: '1', unit_price: '50.00', subtotal: '50.00', tax_rate_code: '4' }],
        taxes: [{ tax_code: '2', tax_rate_code: '4', taxable_base: '50.00', rate: '0.15', tax_amount: '7.50' }],
      };
      const { id, key } = await restored(mine, half);
      const abandon = (): Promise<Answer<Act>> => mine.call<Act>('POST', `/documents/${id}/abandon`, { reason: 'está en el SRI' });
      const creditAll = (): Promise<Answer<Act>> => mine.call<Act>('POST', '/documents', mine.invoice(credits));
      const exceeds = [409, { code: 'CREDIT_EXCEEDS_ORIGINAL', detail: { available: '57.50', held_by: [{ document_id: id }] } }];
      const before = await creditAll();
      expect([before.status, before.body.error]).toMatchObject(exceeds);
      expect((await abandon()).status).toBe(200);
      const after = await creditAll();
      expect([after.status, after.body.error]).toMatchObject(exceeds);
      const cancelled = await mine.call<Act>('POST', `/documents/${original.document_id}/cancel`, { reason: 'x' });
      expect([cancelled.status, cancelled.body.error.code]).toEqual([400, 'FISCAL_RULE_VIOLATED']);
      const gaps = await mine.call('GET', `/emission-points/${mine.emissionPointId}/sequences/04/gaps`);
      expect(gaps.body).toMatchObject({ items: [{ from_number: 1, kind: 'authorized_elsewhere', reason: 'está en el SRI', document_id: id }] });

      const page = await mine.document(id);
      expect(page['error']).toMatchObject({ code: 'ANSWER_MISMATCH', message: expect.stringContaining('no emita la venta de nuevo') });

      await portal('annul', key);
      await portal('accept', key);
      // Whether it is annulled is asked when it is given up: so it is taken up and given up once more.
      expect((await mine.call<Act>('POST', `/documents/${id}/retry`)).status).toBe(202);
      expect(await mine.settled(id)).toMatchObject({ status: 'MANUAL_REVIEW_REQUIRED', error: { code: 'ANSWER_MISMATCH' } });
      expect((await abandon()).status).toBe(200);
      expect((await mine.document(id))['error']).toMatchObject({ code: 'ANSWER_MISMATCH', detail: { abandoned: 'está en el SRI', annulled: true } });
      expect((await creditAll()).status).toBe(202);
      const kinds = (await mine.call<{ items: { kind: string }[] }>('GET', `/emission-points/${mine.emissionPointId}/sequences/04/gaps`)).body.items.map(({ kind }) => kind);
      expect(kinds).toEqual(['not_authorized']);
    });

    it('is asked about under the key that it had before it was corrected to another day, too', async () => {
      const mine = await Business.open(stack);
      const { id, key } = await restored(mine, {}, addDays(mine.invoice()['issue_date'] as string, -1));
      const page = await mine.document(id);
      expect([page['error'], page['access_key']]).toMatchObject([{ code: 'ANSWER_MISMATCH', detail: { former_access_key: key } }, expect.not.stringContaining(key)]);
      const abandon = (body: object): Promise<Answer<Act>> => mine.call<Act>('POST', `/documents/${id}/abandon`, { reason: 'anulado en el portal', ...body });
      const refused = await abandon({ annulled: true });
      expect([refused.status, refused.body.error]).toMatchObject([409, { code: 'INVALID_STATE', detail: { reason: 'NOT_ANNULLED' } }]);
      await portal('annul', key);
      expect((await abandon({})).status).toBe(200);
      expect((await mine.document(id))['error']).toMatchObject({ code: 'ANSWER_MISMATCH', detail: { annulled: true } });
    });

    it('counts as annulled where the SRI no longer tells and the caller says so', async () => {
      const mine = await Business.open(stack);
      const { id } = await restored(mine);
      const abandon = (body: object): Promise<Answer<Act>> => mine.call<Act>('POST', `/documents/${id}/abandon`, { reason: 'anulado en el portal', ...body });
      const refused = await abandon({ annulled: true });
      expect([refused.status, refused.body.error]).toMatchObject([409, { code: 'INVALID_STATE', detail: { reason: 'NOT_ANNULLED', status: 'MANUAL_REVIEW_REQUIRED' } }]);
      await addFaults(stack, { match: { ruc: mine.ruc, service: 'consultation' }, times: 1, action: { kind: 'consult_refused' } });
      expect((await abandon({ annulled: true })).status).toBe(200);
      expect((await mine.document(id))['error']).toMatchObject({ detail: { annulled: true }, message: expect.stringContaining('se abandonó') });
      const line = await mine.call<{ items: { detail: unknown }[] }>('GET', '/tenant/audit-log?action=document.abandoned');
      expect(line.body.items[0]!.detail).toEqual({ reason: 'anulado en el portal', annulled: true });
    });

    it('is one issued elsewhere for notes that name its number, once it is given up', async () => {
      const mine = await Business.open(stack);
      const { id } = await restored(mine);
      const note = (type: string): Record<string, unknown> => ({
        document_type: type, reason: 'Cambio', payments: [], modified_document_type: '01', modified_document_number: '001-001-000000001', modified_document_issue_date: mine.invoice()['issue_date'],
      });
      const credited = (): Promise<Answer<Act>> => mine.call<Act>('POST', '/documents', mine.invoice(note('04')));
      expect((await credited()).status).toBe(409);
      expect((await mine.call<Act>('POST', `/documents/${id}/abandon`, { reason: 'está en el SRI' })).status).toBe(200);
      expect((await credited()).status).toBe(202);
      const page = await fetch(`${stack.apiUrl}/documents/${id}/ride`, { headers: { 'x-api-key': mine.apiKey } });
      if (POPPLER) expect(wordsOf(Buffer.from(await page.arrayBuffer()))).toContain('SIN AUTORIZACIÓN CONOCIDA');
    });
  });

  it('a credit note that was annulled in the portal gives its amount back, although its deadline has passed here', async () => {
    const original = await business.accepted();
    await until(original.document_id, 'AUTHORIZED');
    const note = await business.accepted({ document_type: '04', modified_document_id: original.document_id, reason: 'all of it', payments: [] });
    await until(note.document_id, 'AUTHORIZED');
    await until(original.document_id, 'VOIDED_BY_NC');
    await portal('annul', note.access_key);
    await portal('accept', note.access_key);
    // Months go by.
    await stack.database.query(`update document_contents set content = content || '{"issueDate": "2026-01-15"}' where document_id = $1`, [note.document_id]);
    expect((await act(note.document_id, 'cancel', { reason: 'annulled in the portal' })).body.status).toBe('CANCELLED');
    expect((await business.document(original.document_id)).status).toBe('AUTHORIZED');
  });

  it('a cancellation that was done in the portal is not taken back: the document is cancelled', async () => {
    const { document_id, access_key } = await business.accepted();
    await until(document_id, 'AUTHORIZED');
    expect((await act(document_id, 'cancel', { reason: 'issued twice' })).status).toBe(202);
    // The worker's next look is far away.
    await dueIn(document_id, '1 hour');
    await portal('annul', access_key);
    const refused = await act(document_id, 'cancel', undefined, 'DELETE');
    expect([refused.status, refused.body.error.code, refused.body.error.detail]).toEqual([409, 'INVALID_STATE', { status: 'CANCELLED', allowed_actions: [], reason: 'ANNULLED_AT_SRI' }]);
    expect((await business.document(document_id)).status).toBe('CANCELLED');
    expect((await triggers(document_id)).slice(-2)).toEqual(['cancellation_requested', 'annulled']);
  });

  it('an annulled credit note gives its amount back: the original it had voided is valid again', async () => {
    const original = await business.accepted();
    await until(original.document_id, 'AUTHORIZED');
    const asked = { document_type: '04', modified_document_id: original.document_id, reason: 'all of it', payments: [], buyer_id_type: '04', buyer_id: '1790012345001' };
    const dry = await business.call<{ valid: boolean; findings: { rule: string }[] }>('POST', '/documents/validate', business.invoice(asked));
    expect([dry.body.valid, dry.body.findings.map(({ rule }) => rule)]).toEqual([true, expect.arrayContaining(['modified.other_buyer'])]);
    const note = await business.accepted(asked);
    await until(note.document_id, 'AUTHORIZED');
    expect(await business.document(note.document_id)).toMatchObject({ warnings: expect.arrayContaining([expect.objectContaining({ rule: 'modified.other_buyer', expected: '1710034065' })]) });
    await until(original.document_id, 'VOIDED_BY_NC');
    expect((await act(note.document_id, 'cancel', { reason: 'it stands after all' })).status).toBe(202);
    await portal('annul', note.access_key);
    const isPending = async (): Promise<unknown> => ((await business.document(note.document_id))['cancellation'] as { pending_at_sri: boolean }).pending_at_sri;
    while (!(await isPending())) await sleep(100);
    expect((await business.document(note.document_id)).status).toBe('CANCELLATION_REQUESTED');
    expect((await act(note.document_id, 'cancel', undefined, 'DELETE')).body.error.detail.reason).toBe('PENDING_AT_SRI');
    await portal('accept', note.access_key);
    await until(note.document_id, 'CANCELLED');
    await until(original.document_id, 'AUTHORIZED');
  });

  it('an invoice is not credited by its number before it is authorized, nor twice after', async () => {
    const seller = await Business.open(stack);
    await addFaults(stack, { match: { ruc: seller.ruc, service: 'authorization' }, times: null, action: { kind: 'in_process' } });
    const { document_id, access_key } = await seller.accepted();
    const original = { modified_document_type: '01', modified_document_number: `001-001-${access_key.slice(30, 39)}`, modified_document_issue_date: seller.invoice()['issue_date'] };
    const credit = { document_type: '04', reason: 'all of it', payments: [] };
    const early = await seller.call<Act>('POST', '/documents', seller.invoice({ ...credit, ...original }));
    expect([early.status, early.body.error.code, early.body.error.detail.status]).toEqual([409, 'INVALID_STATE', expect.not.stringMatching(/^AUTHORIZED$/)]);
    await clearFaults(stack);
    expect((await seller.settled(document_id)).status).toBe('AUTHORIZED');
    const note = await seller.accepted({ ...credit, ...original });
    expect(await seller.settled(note.document_id)).toMatchObject({ status: 'AUTHORIZED', sequential: 1, modified_document_id: document_id });
    for (const named of [original, { modified_document_id: document_id }]) expect((await seller.issue({ ...credit, ...named })).status).toBe(409);
    expect((await seller.document(document_id)).status).toBe('VOIDED_BY_NC');
  });

  it('a note for more than an invoice has left is told which notes hold the balance, also one that was refused', async () => {
    const seller = await Business.open(stack);
    const { document_id: original } = await seller.accepted();
    expect((await seller.settled(original)).status).toBe('AUTHORIZED');
    const credit = (code: string) => seller.invoice({ document_type: '04', reason: 'all of it', payments: [], modified_document_id: original, numeric_code: code });
    await addFaults(stack, { match: { ruc: seller.ruc, service: 'reception' }, times: 1, action: { kind: 'refuse', code: '52', at: 'reception' } });
    const { document_id: first } = await seller.accepted(credit('11111111'));
    expect((await seller.settled(first)).status).toBe('REJECTED');

    const detail = { field: 'total', available: '0.00', held_by: [{ document_id: first, number: '001-001-000000001', status: 'REJECTED', total: '115.00' }] };
    const refused = { status: 409, body: { error: { code: 'CREDIT_EXCEEDS_ORIGINAL', message: expect.stringContaining('held_by'), detail } } };
    expect(await seller.call('POST', '/documents', credit('22222222'))).toMatchObject(refused);
    const draft = await seller.call<{ id: string }>('POST', '/documents/drafts', credit('33333333'));
    expect(await seller.call('POST', `/documents/${draft.body.id}/issue`)).toMatchObject(refused);
    const dryRun = async (code: string): Promise<unknown> => (await seller.call<{ findings: unknown[] }>('POST', '/documents/validate', credit(code))).body.findings;
    expect(await dryRun('44444444')).toMatchObject([{ rule: 'issuing.credit_exceeds_original', expected: '0.00', actual: '001-001-000000001 REJECTED' }, { rule: 'credit.tax_not_charged' }]);
    expect(await dryRun('11111111')).toEqual([]);

    expect((await seller.call('POST', `/documents/${first}/abandon`, { reason: 'not needed' })).status).toBe(200);
    expect((await seller.call('POST', '/documents', credit('22222222'))).status).toBe(202);
  });

  it('gives back a tip as a line without tax: without it the invoice stays, with it nothing is left, and what debits it then gets a warning', async () => {
    const seller = await Business.open(stack);
    const { document_id: original } = await seller.accepted({ tip: '10.00', total: '125.00', payments: [{ line_number: 1, payment_method_code: '20', total: '125.00' }] });
    expect((await seller.settled(original)).status).toBe('AUTHORIZED');
    const note = (lines: object[]) => ({ document_type: '04', reason: 'Devolución', payments: undefined, modified_document_id: original, lines, subtotal: undefined, total_tax: undefined, total: undefined, taxes: undefined });
    const credited = async (lines: object[]): Promise<unknown> => {
      const body = seller.invoice(note(lines));
      expect((await seller.call<{ findings: unknown[] }>('POST', '/documents/validate', body)).body).toMatchObject({ valid: true, findings: [] });
      const draft = await seller.call<{ id: string }>('POST', '/documents/drafts', body);
      expect((await seller.call('POST', `/documents/${draft.body.id}/issue`)).status).toBe(202);
      return (await seller.settled(draft.body.id))['total'];
    };
    const debit = async (named: object): Promise<unknown> => {
      const lines = [{ line_number: 1, description: 'Interés', quantity: '1', unit_price: '100.00', subtotal: '100.00', tax_rate_code: '4' }];
      return (await seller.call<{ findings: unknown[] }>('POST', '/documents/validate', seller.invoice({ document_type: '05', lines, ...named }))).body.findings;
    };
    expect(await credited(seller.invoice()['lines'] as object[])).toBe('115.00');
    expect([(await seller.document(original)).status, await debit({ modified_document_id: original })]).toEqual(['AUTHORIZED', []]);
    expect(await credited([{ line_number: 1, description: 'Propina', quantity: '1', unit_price: '10.00', subtotal: '10.00', tax_rate_code: '6' }])).toBe('10.00');
    expect((await seller.document(original)).status).toBe('VOIDED_BY_NC');
    expect(await debit({ modified_document_id: original })).toMatchObject([{ rule: 'modified.credited_in_full', pointer: '/modified_document_id', severity: 'warning', actual: 'VOIDED_BY_NC' }]);

    const elsewhere = (sequential: string) => ({ modified_document_type: '01', modified_document_number: `001-001-${sequential}`, modified_document_issue_date: seller.invoice()['issue_date'] });
    const slip = { rule: 'modified_document.number_not_issued', pointer: '/modified_document_number', severity: 'warning', expected: '≤ 001-001-000000001', actual: '001-001-000000002' };
    expect(await debit(elsewhere('000000002'))).toMatchObject([slip]);
    const slipped = seller.invoice({ document_type: '04', reason: 'Devolución', payments: undefined, ...elsewhere('000000002') });
    expect((await seller.call<{ findings: unknown[] }>('POST', '/documents/validate', slipped)).body).toMatchObject({ valid: true, findings: [slip] });
  });

  it('an invoice to the final consumer is not cancelled', async () => {
    const { document_id } = await business.accepted({ buyer_id_type: undefined, buyer_id: undefined, buyer_name: undefined, buyer_email: undefined, subtotal: '10.00', total_tax: '1.50', total: '11.50',
      lines: [{ line_number: 1, description: 'Pan', quantity: '1', unit_price: '10.00', subtotal: '10.00', tax_rate_code: '4' }],
      taxes: [{ tax_code: '2', tax_rate_code: '4', taxable_base: '10.00', rate: '0.15', tax_amount: '1.50' }], payments: [{ line_number: 1, payment_method_code: '01', total: '11.50' }] });
    await until(document_id, 'AUTHORIZED');
    const answer = await act(document_id, 'cancel', { reason: 'no' });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'FISCAL_RULE_VIOLATED']);
    expect((await business.document(document_id)).status).toBe('AUTHORIZED');
  });

  it('a refusal that the SRI takes back later is noticed by the daily comparison', async () => {
    const flipped = await Business.open(stack);
    await addFaults(stack, { match: { ruc: flipped.ruc, service: 'authorization' }, times: 1, action: { kind: 'state', estado: 'NO AUTORIZADO' } });
    const { document_id, access_key } = await flipped.accepted();
    for (const end = Date.now() + 60_000; (await flipped.document(document_id)).status !== 'AUTHORIZED' && Date.now() < end; ) await sleep(100);
    expect(await triggers(document_id)).toEqual(['number_taken', 'xml_built', 'signed', 'queued', 'sending', 'received', 'awaiting', 'refused', 'authorized']);
    expect(await flipped.document(document_id)).toMatchObject({ authorization_number: access_key, error: null });
    expect((await simulatorAccount(stack, access_key)).submissions).toBe(1);
  });

  it.each([
    ['an empty', 'cancel', { reason: '' }], ['too long a', 'cancel', { reason: 'x'.repeat(501) }], ['no', 'cancel', {}], ['a two-line', 'abandon', { reason: 'a\nb' }],
  ])('%s reason of %s is refused with the field named', async (_, name, body) => {
    const { document_id } = await business.accepted();
    const answer = await act(document_id, name, body);
    expect([400, 422]).toContain(answer.status);
    expect(JSON.stringify(answer.body)).toContain('reason');
  });

  it('a refusal tells what the document waits for, where that is a person', async () => {
    const mine = await Business.open(stack);
    const refusals = async (id: string): Promise<unknown[]> =>
      Promise.all(
        ([['retry'], ['abandon', { reason: 'x' }], ['cancel', { reason: 'x' }], ['correct', mine.invoice()]] as const).map(async ([name, body]) => {
          const { status, body: answer } = await mine.call<Act>('POST', `/documents/${id}/${name}`, body);
          return [status, answer.error.code, answer.error.detail];
        }),
      );
    const told = (detail: object): unknown[] => Array(4).fill([409, 'INVALID_STATE', { allowed_actions: [], ...detail }]);
    const waiting = async (id: string, suggested: string): Promise<void> => {
      for (const end = Date.now() + 60_000; Date.now() < end; ) {
        const { error } = (await mine.document(id)) as unknown as { error: { detail: { suggested_action: string } } | null };
        if (error?.detail.suggested_action === suggested) return;
        await sleep(100);
      }
      throw new Error(`document ${id} does not wait for ${suggested}\n${stack.logs()}`);
    };
    const { document_id: first } = await mine.accepted();
    expect((await mine.settled(first)).status).toBe('AUTHORIZED');
    const [pause] = await stack.database.query<{ id: string }>(
      `insert into issuing_pauses (tenant_id, id, scope, issuer_id, code, document_id, created_at)
       select tenant_id, gen_random_uuid(), 'issuer', issuer_id, '57', id, now() from documents where id = $1 returning id`, [first]);
    const { document_id: paused } = await mine.accepted();
    await waiting(paused, 'resume_pause');
    expect(await refusals(paused)).toEqual(told({ status: 'RECEPTION_PENDING', suggested_action: 'resume_pause', pause_id: pause!.id }));
    await mine.call('POST', `/issuers/${mine.issuerId}/pauses/${pause!.id}/resume`);
    expect((await mine.settled(paused)).status).toBe('AUTHORIZED');

    await stack.killWorker(worker);
    const { document_id: parked } = await mine.accepted();
    // Nothing is suggested of what goes on by itself.
    expect(await refusals(parked)).toEqual(told({ status: 'NUMBER_RESERVED' }));
    const { items } = (await mine.call<{ items: { id: string }[] }>('GET', `/issuers/${mine.issuerId}/certificates`)).body;
    for (const { id } of items) expect((await mine.call('DELETE', `/issuers/${mine.issuerId}/certificates/${id}`)).status).toBe(204);
    worker = (await stack.startWorker()).index;
    await waiting(parked, 'upload_certificate');
    expect(await refusals(parked)).toEqual(told({ status: 'NUMBER_RESERVED', suggested_action: 'upload_certificate' }));
  });

  it('each act is allowed exactly in the states that the lifecycle table lists; elsewhere 409 names state and actions', async () => {
    const { document_id } = await business.accepted();
    await until(document_id, 'AUTHORIZED');
    const put = (status: string): Promise<unknown> => stack.database.query(
      `do $$ begin
         alter table documents disable trigger guard_document; alter table documents disable trigger refuse_credited_cancellation;
         update documents set status = '${status}' where id = '${document_id}';
         alter table documents enable trigger guard_document; alter table documents enable trigger refuse_credited_cancellation;
       end $$`);
    const acts = [['retry', 'retry', undefined, 'POST'], ['reconcile', 'reconcile', undefined, 'POST'], ['abandon', 'abandon', { reason: 'x' }, 'POST'], ['cancel', 'cancel', { reason: 'x' }, 'POST'], ['withdraw_cancellation', 'cancel', undefined, 'DELETE']] as const;
    for (const status of DOCUMENT_STATUSES) {
      await put(status);
      for (const [action, path, body, method] of acts) {
        if ((LIFECYCLE[status].actions as readonly string[]).includes(action)) continue;
        const answer = await act(document_id, path, body, method);
        expect([status, action, answer.status, answer.body.error.detail]).toEqual([status, action, 409, { status, allowed_actions: [...LIFECYCLE[status].actions] }]);
      }
    }
    await put('AUTHORIZED');
  });
});
