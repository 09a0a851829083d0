import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Mailbox } from '../../src/local/mailbox.js';
import type { Mail } from '../../src/local/mail-reader.js';
import { guayaquilDay } from '../../src/shared/guayaquil.js';
import { documentTypes } from '../../src/sri/document-types/registry.js';
import { awaitMail } from '../support/await-mail.js';
import { Business, type Invoice } from '../support/business.js';
import { issuerFields, requestOf } from '../support/example-requests.js';
import { type Stack, startStack } from '../support/stack.js';

interface Sent {
  id: string;
  cause: string;
  recipient: string;
  language: string;
  status: string;
  attempts: number;
  failure: string | null;
  requested_by: string | null;
  sent_at: string | null;
}

/** How each type is spoken of, and what its total is called. */
const SPOKEN: Readonly<Record<string, readonly [es: string, en: string, total: string | null, totalEn: string | null]>> = {
  '01': ['Factura', 'Invoice', 'Valor total', 'Total'],
  '03': ['Liquidación de compra', 'Purchase settlement', 'Valor total', 'Total'],
  '04': ['Nota de crédito', 'Credit note', 'Valor acreditado', 'Amount credited'],
  '05': ['Nota de débito', 'Debit note', 'Valor debitado', 'Amount debited'],
  '06': ['Guía de remisión', 'Delivery guide', null, null],
  '07': ['Comprobante de retención', 'Withholding certificate', 'Total retenido', 'Total withheld'],
};

describe('an authorized document', () => {
  let mailbox: Mailbox;
  let stack: Stack;
  let business: Business;
  let addresses = 0;

  const MAIL = { MAIL_INTERVAL_MS: '100', MAIL_LADDER: '1,1', MAIL_RESENDS_PER_HOUR: '3', SHUTDOWN_SECONDS: '2' };
  /** Of a worker that is lost with a mail; so short a lease has no room for a mail server that takes its usual time. */
  const shortLease = (): Record<string, string> => ({ MAIL_LEASE_SECONDS: '5', SMTP_URL: `${mailbox.smtpUrl}?connectionTimeout=1000&greetingTimeout=1000&socketTimeout=2000` });
  beforeAll(async () => {
    mailbox = await Mailbox.start();
    stack = await startStack({ env: { ...MAIL, SMTP_URL: mailbox.smtpUrl, MAIL_FROM: 'Sello <documentos@sello.example>' } });
    business = await Business.open(stack);
  });
  afterAll(async () => {
    await stack.stop();
    await mailbox.stop();
  });
  afterEach(() => {
    mailbox.answering = () => null;
  });

  const newAddress = (): string => `buyer-${(addresses += 1)}@example.com`;
  const authorized = async (change: Invoice = {}, by = business): Promise<string> => {
    const { document_id } = await by.accepted(change);
    expect((await by.settled(document_id)).status).toBe('AUTHORIZED');
    return document_id;
  };
  const mailsOf = async (documentId: string, by = business): Promise<Sent[]> => (await by.call<{ items: Sent[] }>('GET', `/documents/${documentId}/emails`)).body.items;
  const settledMail = async (documentId: string, by = business): Promise<Sent> => {
    for (let waited = 0; waited < 1_200; waited += 1) {
      const [latest] = await mailsOf(documentId, by);
      if (latest !== undefined && latest.status !== 'queued') return latest;
      await sleep(50);
    }
    throw new Error(`the mail of ${documentId} is still queued\n${stack.logs()}`);
  };
  const send = (documentId: string, body: unknown = {}, by = business) => by.call<Sent & { error?: { code: string; detail: unknown } }>('POST', `/documents/${documentId}/email`, body);
  const header = (mail: Mail, name: string): readonly string[] => mail.headers.get(name) ?? [];

  it.each(documentTypes.map((type) => [type.code, type] as const))('of type %s is mailed to its buyer in Spanish, and in English on request, with XML and RIDE', async (code, type) => {
    const example = type.examples.find(({ content }) => content.modifiedDocumentId === null)!;
    const isPerson = Number(example.issuer.ruc[2]) < 6;
    const issuing = await Business.open(stack, { issuer: issuerFields(example.issuer), ...(isPerson ? { ruc: example.issuer.ruc } : {}) });
    const [buyer, reader] = [newAddress(), newAddress()];
    const place = { issuer_id: issuing.issuerId, establishment_id: issuing.establishmentId, emission_point_id: issuing.emissionPointId };
    const body = { ...requestOf(example, guayaquilDay(new Date())), ...place, buyer_id_type: '05', buyer_id: '1710034065', buyer_name: 'Ana "Ñandú" <b>', buyer_email: buyer };
    const answer = await issuing.call<{ document_id: string }>('POST', '/documents', body);
    expect([answer.status, answer.body]).toEqual([202, expect.anything()]);
    const id = answer.body.document_id;
    await issuing.settled(id);
    expect((await send(id, { to: reader, language: 'en' }, issuing)).status).toBe(202);
    const { body: xml } = await issuing.call<string>('GET', `/documents/${id}/xml?kind=authorized`);
    const document = await issuing.document(id);
    for (const [address, at, language] of [[buyer, 0, 'es'], [reader, 1, 'en']] as const) {
      const mail = await awaitMail(mailbox, address);
      const [name, total] = [SPOKEN[code]![at], SPOKEN[code]![at === 0 ? 2 : 3]];
      expect(mail.subject).toBe(`${name} 001-001-000000001 ${language === 'es' ? 'de' : 'from'} ${example.issuer.tradeName ?? example.issuer.legalName}`);
      expect(mail.text).toContain(language === 'es' ? 'Hola, Ana "Ñandú" <b>:' : 'Hello, Ana "Ñandú" <b>:');
      expect(mail.text).toContain(document['access_key']);
      if (total === null) expect(mail.text).not.toContain('$');
      else expect(mail.text).toContain(`${total}: $ ${String(document['total'])}`);
      expect(mail.text).toContain(language === 'es' ? 'no tiene validez tributaria' : 'it has no fiscal effect');
      expect(mail.html).toContain('Ana &quot;Ñandú&quot; &lt;b&gt;');
      expect(mail.html).not.toMatch(/<b>|<script|src=|url\(|https?:/);
      expect(mail.attachments.map(({ fileName, type: kind }) => [fileName, kind])).toEqual([
        [`${String(document['access_key'])}.xml`, 'application/xml'], [`${String(document['access_key'])}.pdf`, 'application/pdf'],
      ]);
      expect(mail.attachments[0]!.bytes.toString('utf8')).toBe(xml);
      expect(mail.attachments[1]!.bytes.subarray(0, 5).toString()).toBe('%PDF-');
      expect([mail.sender, mail.to, header(mail, 'auto-submitted')]).toEqual(['documentos@sello.example', [address], ['auto-generated']]);
    }
  });

  it('of a sale to nobody in particular greets a customer, in either language', async () => {
    const [buyer, reader] = [newAddress(), newAddress()];
    const id = await authorized({
      buyer_id_type: '07', buyer_id: '9999999999999', buyer_name: 'CONSUMIDOR FINAL', buyer_email: buyer, payments: undefined,
      subtotal: '10', total_tax: '1.50', total: '11.50',
      lines: [{ line_number: 1, description: 'Café', quantity: 2, unit_price: 5, subtotal: 10, tax_rate_code: '4' }],
      taxes: [{ tax_code: '2', tax_rate_code: '4', taxable_base: 10, rate: 0.15, tax_amount: 1.5 }],
    });
    expect((await send(id, { to: reader, language: 'en' })).status).toBe(202);
    expect((await awaitMail(mailbox, buyer)).text).toContain('Hola, cliente:');
    expect((await awaitMail(mailbox, reader)).text).toContain('Hello, customer:');
  });

  it('says on its record what became of the mail', async () => {
    const buyer = newAddress();
    const id = await authorized({ buyer_email: buyer });
    const sent = await settledMail(id);
    expect(sent).toMatchObject({ cause: 'authorized', recipient: buyer, language: 'es', status: 'sent', attempts: 1, failure: null, requested_by: null });
    expect((await business.document(id))['email']).toEqual({ id: sent.id, status: 'sent', recipient: buyer, sent_at: sent.sent_at, failure: null });
    expect(header(await awaitMail(mailbox, buyer), 'message-id')).toEqual([`<${sent.id}@sello.example>`]);
    expect(mailbox.mailsTo(buyer)).toHaveLength(1);
  });

  it('is mailed to nobody without an address, or where document or issuer say so; asked for, it is', async () => {
    const draft = await business.call<{ id: string }>('POST', '/documents/drafts', business.invoice({ send_email: false, buyer_email: newAddress() }));
    expect((await business.document(draft.body.id))['send_email']).toBe(false);
    await business.call('POST', `/documents/${draft.body.id}/issue`);
    await business.settled(draft.body.id);
    const silent = await Business.open(stack, { issuer: { email_buyers: false } });
    const quiet = [await authorized({ send_email: false }), await authorized({ buyer_email: null }), draft.body.id];
    const unasked = await authorized({ buyer_email: newAddress() }, silent);
    for (const id of quiet) expect([await mailsOf(id), (await business.document(id))['email']]).toEqual([[], null]);
    expect(await mailsOf(unasked, silent)).toEqual([]);
    expect((await business.call<string>('GET', `/documents/${quiet[0]!}/xml`)).body).not.toMatch(/send_?email/i);

    expect((await send(quiet[0]!, {})).status).toBe(202);
    expect(await settledMail(quiet[0]!)).toMatchObject({ cause: 'requested', recipient: 'maria@example.com', status: 'sent', requested_by: business.apiKeyId });
    const unknown = await send(quiet[1]!, { to: null });
    expect([unknown.status, unknown.body.error]).toMatchObject([422, { code: 'VALIDATION_FAILED', detail: [{ loc: ['body', 'to'], type: 'mail_recipient' }] }]);
    // From now on; what was authorized before stays unmailed.
    expect((await silent.call('PATCH', `/issuers/${silent.issuerId}`, { email_buyers: true })).body).toMatchObject({ email_buyers: true });
    await silent.call('POST', `/documents/${unasked}/cancel`, { reason: 'Error' });
    await silent.call('DELETE', `/documents/${unasked}/cancel`);
    expect([(await silent.document(unasked)).status, await mailsOf(unasked, silent)]).toEqual(['AUTHORIZED', []]);
    expect((await settledMail(await authorized({ buyer_email: newAddress() }, silent), silent)).status).toBe('sent');
  });

  it('is mailed again so often an hour, and not at all in other states', async () => {
    const id = await authorized({ buyer_email: null });
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(id, { to: newAddress() })));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 202, 429, 429]);
    const refused = answers.find(({ status }) => status === 429)!;
    expect(refused.body.error).toMatchObject({ code: 'RATE_LIMITED', detail: { limit: 3, window_seconds: 3_600 } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_500);
    const other = await business.accepted({ additional_info: [{ name: 'Simulador', value: 'refuse:52' }] });
    await business.settled(other.document_id);
    expect((await send(other.document_id)).body.error).toMatchObject({ code: 'INVALID_STATE', detail: { reason: 'not_valid', status: 'REJECTED', required: ['AUTHORIZED', 'CANCELLATION_REQUESTED', 'VOIDED_BY_NC'] } });
    expect((await send(randomUUID())).status).toBe(404);
    expect((await business.call('GET', `/documents/${randomUUID()}/emails`)).status).toBe(404);
    const { body } = await business.call<{ items: Sent[]; total: number }>('GET', `/documents/${id}/emails?page=2&page_size=2`);
    expect([body.items.length, body.total]).toEqual([1, 3]);
  });

  it("is mailed so often a day to one address that is not its buyer's, of whatever document and by whatever process", async () => {
    const limit = { MAIL_RESENDS_PER_RECIPIENT_PER_DAY: '4' };
    const apis = [await stack.startApi(limit), await stack.startApi(limit)] as const;
    const local = `stranger-${randomUUID()}`;
    const [stranger, ...others] = [`${local}@example.com`, `${local.toUpperCase()}@EXAMPLE.com`, `${local}@\uFF45xample.com`] as const;
    const mail = async (id: string, to?: string, api: string = apis[0], by = business) => {
      const answer = await by.call<{ error?: { detail: Record<string, unknown> } }>('POST', `/documents/${id}/email`, { to }, {}, api);
      return { status: answer.status, detail: answer.body.error?.detail, retryAfter: Number(answer.headers.get('retry-after')) };
    };
    const ids = await Promise.all(Array.from({ length: 6 }, () => authorized({ buyer_email: null })));
    const atOnce = await Promise.all(ids.map((id, at) => mail(id, [stranger, ...others][at % 3], apis[at % 2])));
    expect(atOnce.map(({ status }) => status).sort()).toEqual([202, 202, 202, 202, 429, 429]);
    const late = atOnce.findIndex(({ status }) => status === 429);
    expect(atOnce[late]?.detail).toEqual({ limit: 4, limits: 'mail_recipient', window_seconds: 86_400, retry_after_seconds: atOnce[late]?.retryAfter });
    expect(atOnce[late]?.retryAfter).toBeGreaterThan(86_000);
    // What was refused has left no trace, and is open to others.
    const refused = ids[late]!;
    expect(await mailsOf(refused)).toEqual([]);
    for (let more = 0; more < 3; more += 1) expect((await mail(refused, newAddress())).status).toBe(202);
    // The bound of the document is judged first.
    expect((await mail(refused, stranger)).detail).toMatchObject({ limit: 3, limits: 'mail_resends' });
    // The buyer's own address is free, however it is written, and so is another tenant.
    const own = await authorized({ buyer_email: others[0] });
    for (const to of [undefined, stranger, others[1]]) expect((await mail(own, to)).status).toBe(202);
    const neighbour = await Business.open(stack);
    expect((await mail(await authorized({ buyer_email: null }, neighbour), stranger, apis[1], neighbour)).status).toBe(202);

    // As the oldest leaves the window there is room for one, and what is over is cleared away.
    const next = ids[atOnce.findIndex(({ status }) => status === 202)]!;
    const age = (hours: number): Promise<unknown> => stack.database.query(
      `update mails_to_strangers set mailed_at = mailed_at - $3 * interval '1 hour'
       where mail_id = (select mail_id from mails_to_strangers where tenant_id = $1 and address_hash = sha256($2) order by mailed_at limit 1)`,
      [business.tenantId, Buffer.from(stranger), hours]);
    await age(23);
    const soon = (await mail(next, stranger)).retryAfter;
    expect([soon > 3_000, soon <= 3_600]).toEqual([true, true]);
    await age(1);
    expect((await mail(next, stranger)).status).toBe(202);
    expect((await mail(next, stranger, apis[1])).detail).toMatchObject({ limits: 'mail_recipient' });
    expect(await stack.database.query(`select from mails_to_strangers where mailed_at < now() - interval '1 day'`)).toEqual([]);
  });

  it.each([
    ['an unknown mailbox', 'RCPT', '550 5.1.1 No such\tuser here', { status: 'bounced', attempts: 1, failure: '550 5.1.1 No such user here' }],
    ['a refused letter', 'BODY', '554 5.6.0 cannot be read', { status: 'failed', attempts: 1, failure: '554 5.6.0 cannot be read' }],
    ['a filter that takes us for spam', 'BODY', '554 5.7.1 looks like spam', { status: 'failed', attempts: 3, failure: '554 5.7.1 looks like spam' }],
    ['a server that refuses everything without a reason', 'BODY', '554 Transaction failed', { status: 'failed', attempts: 3, failure: '554 Transaction failed' }],
    ['a full mailbox, for ever', 'RCPT', '452 4.2.2 mailbox full', { status: 'failed', attempts: 3, failure: '452 4.2.2 mailbox full' }],
    ['a domain that is mistyped', 'RCPT', '550 5.4.1 Recipient address rejected', { status: 'bounced', attempts: 1, failure: '550 5.4.1 Recipient address rejected' }],
    ['a relay that does not know us any more', 'RCPT', '554 5.7.1 Relay access denied', { status: 'failed', attempts: 3, failure: '554 5.7.1 Relay access denied' }],
    ['a quota that is used up', 'BODY', '550 5.4.5 Daily sending quota exceeded', { status: 'failed', attempts: 3, failure: '550 5.4.5 Daily sending quota exceeded' }],
    ['a server that takes nobody', 'MAIL', '550 5.7.0 sign in first', { status: 'failed', attempts: 3, failure: 'the mail server does not serve us now (EENVELOPE)' }],
    ['a server that breaks off, for ever', 'RCPT', 'drop', { status: 'failed', attempts: 3, failure: expect.stringContaining('the mail server does not serve us now') }],
  ])('stays authorized whatever the mail server says: %s', async (_name, verb, reply, outcome) => {
    mailbox.answering = (said) => (said === verb ? reply : null);
    const id = await authorized({ buyer_email: newAddress() });
    expect(await settledMail(id)).toMatchObject({ ...outcome, sent_at: null });
    expect(await business.document(id)).toMatchObject({ status: 'AUTHORIZED', email: { status: outcome.status, failure: outcome.failure } });
    mailbox.answering = () => null;
    expect((await send(id)).status).toBe(202);
    expect(await settledMail(id)).toMatchObject({ status: 'sent' });
  });

  it('leaves one line in the log when its mail is lost, which does not name the mailbox', async () => {
    const buyer = newAddress();
    mailbox.answering = (said) => (said === 'RCPT' ? `550 5.1.1 <${buyer}>: unknown` : null);
    const { id } = await settledMail(await authorized({ buyer_email: buyer }));
    const written = (): string[] => stack.logs().split('\n').filter((line) => line.includes(id));
    // The worker writes it once the outcome is on record.
    while (written().length === 0) await sleep(20);
    const lines = written();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('"level":"warn"');
    expect(lines[0]).toContain('bounced, not tried again: 550 5.1.1 <…@example.com>: unknown');
  });

  it.each([
    ['that puts it off', 'RCPT', '451 4.7.1 come back later'],
    ['that breaks off', 'DATA', 'drop'],
    ['that is shutting down', 'MAIL', '421 4.3.2 closing'],
  ])('reaches its buyer over a mail server %s', async (_name, verb, reply) => {
    let refusals = 0;
    mailbox.answering = (said) => (said === verb && (refusals += 1) === 1 ? reply : null);
    const buyer = newAddress();
    const id = await authorized({ buyer_email: buyer });
    const sent = await settledMail(id);
    expect(sent).toMatchObject({ status: 'sent', attempts: 2, failure: null });
    expect(mailbox.mailsTo(buyer)).toHaveLength(1);
  });

  it('is mailed twice under one Message-ID rather than not at all when the answer is lost', async () => {
    let lost = 0;
    mailbox.answering = (said) => (said === 'BODY' && (lost += 1) === 1 ? 'drop' : null);
    const buyer = newAddress();
    const id = await authorized({ buyer_email: buyer });
    expect(await settledMail(id)).toMatchObject({ status: 'sent', attempts: 2 });
    const [first, second] = mailbox.mailsTo(buyer);
    expect(header(second!, 'message-id')).toEqual(header(first!, 'message-id'));
  });

  it('is mailed once though what the mail server said cannot be put on record at first', async () => {
    const buyer = newAddress();
    const id = await authorized({ buyer_email: null });
    await stack.database.query('revoke update on mails from sello_app');
    try {
      await send(id, { to: buyer });
      await awaitMail(mailbox, buyer);
      for (let waited = 0; waited < 3_000 && !stack.logs().includes('it is put on record again'); waited += 1) await sleep(20);
      await stack.database.query('grant update on mails to sello_app');
      expect(await settledMail(id)).toMatchObject({ status: 'sent', attempts: 1 });
      expect(mailbox.mailsTo(buyer)).toHaveLength(1);
    } finally {
      await stack.database.query('grant update on mails to sello_app');
    }
  });

  it.each(['before-mail', 'after-mail'])('is mailed though a worker is killed with kill -9 %s', async (point) => {
    await stack.killWorker(0, 'SIGTERM').catch(() => undefined);
    const doomed = await stack.startWorker({ ...shortLease(), FAULTS: `${point}:1:kill9` });
    const buyer = newAddress();
    const { document_id } = await business.accepted({ buyer_email: buyer });
    await doomed.worker.ended;
    const healthy = await stack.startWorker();
    expect(await settledMail(document_id)).toMatchObject({ status: 'sent', attempts: 1 });
    const mails = mailbox.mailsTo(buyer);
    expect(mails).toHaveLength(point === 'before-mail' ? 1 : 2);
    expect(new Set(mails.map((mail) => header(mail, 'message-id')[0])).size).toBe(1);
    await stack.killWorker(healthy.index, 'SIGTERM');
  });

  it('is mailed once though a worker took longer than its lease to write the mail', async () => {
    await stack.killWorker(0, 'SIGTERM').catch(() => undefined);
    const slow = await stack.startWorker({ ...shortLease(), FAULTS: 'before-mail:1:sleep:7000', SHUTDOWN_SECONDS: '20' });
    const buyer = newAddress();
    const { document_id } = await business.accepted({ buyer_email: buyer });
    for (let waited = 0; waited < 1_200 && !stack.logs().includes('fault before-mail sleep'); waited += 1) await sleep(50);
    const healthy = await stack.startWorker();
    expect(await settledMail(document_id)).toMatchObject({ status: 'sent', attempts: 1 });
    // It waits for the mail that it has at hand.
    await stack.killWorker(slow.index, 'SIGTERM');
    expect(mailbox.mailsTo(buyer)).toHaveLength(1);
    await stack.killWorker(healthy.index, 'SIGTERM');
  });

  it('is given back by a worker that ends while the mail is written', async () => {
    await stack.killWorker(0, 'SIGTERM').catch(() => undefined);
    const writing = await stack.startWorker({ FAULTS: 'before-mail:1:hang' });
    const id = await authorized({ buyer_email: newAddress() });
    while (!stack.logs().includes('fault before-mail hang')) await sleep(20);
    await stack.killWorker(writing.index, 'SIGTERM');
    expect(await stack.database.query('select o.lease_token from mail_outbox o join mails m on m.tenant_id = o.tenant_id and m.id = o.id where m.document_id = $1', [id])).toEqual([{ lease_token: null }]);
    const healthy = await stack.startWorker();
    expect(await settledMail(id)).toMatchObject({ status: 'sent', attempts: 1 });
    await stack.killWorker(healthy.index, 'SIGTERM');
  });

  it('is given back by a worker that ends while the mail server keeps it waiting', async () => {
    const server = { isWaiting: false };
    mailbox.answering = (said) => {
      if (said === 'DATA') server.isWaiting = true;
      return said === 'BODY' ? '451 not kept' : said === 'DATA' ? 'hang' : null;
    };
    const waiting = await stack.startWorker();
    const buyer = newAddress();
    const id = await authorized({ buyer_email: buyer });
    while (!server.isWaiting) await sleep(20);
    await stack.killWorker(waiting.index, 'SIGTERM');
    mailbox.answering = () => null;
    const healthy = await stack.startWorker();
    expect(await settledMail(id)).toMatchObject({ status: 'sent', attempts: 1 });
    await stack.killWorker(healthy.index, 'SIGTERM');
  });

  it('whose mail has nowhere to go says so and waits for a mail server, as long as the ladder lasts', async () => {
    const mute = await stack.startWorker({ SMTP_URL: '', MAIL_LADDER: '600' });
    const buyer = newAddress();
    const [hopeless, patient] = [await authorized({ buyer_email: newAddress() }), await authorized({ buyer_email: buyer })];
    const failure = 'no mail server is set: SMTP_URL';
    for (const id of [hopeless, patient]) {
      for (let waited = 0; waited < 1_200 && (await mailsOf(id))[0]?.attempts !== 1; waited += 1) await sleep(50);
      expect(await mailsOf(id)).toMatchObject([{ status: 'queued', attempts: 1, failure, sent_at: null }]);
    }
    const hurry = (id: string): Promise<unknown> => stack.database.query('update mail_outbox o set due_at = now() from mails m where m.tenant_id = o.tenant_id and m.id = o.id and m.document_id = $1', [id]);
    await hurry(hopeless);
    expect(await settledMail(hopeless)).toMatchObject({ status: 'failed', attempts: 2, failure });
    await stack.killWorker(mute.index, 'SIGTERM');
    const healthy = await stack.startWorker();
    await hurry(patient);
    expect(await settledMail(patient)).toMatchObject({ status: 'sent', attempts: 2, failure: null });
    expect((await awaitMail(mailbox, buyer)).subject).toMatch(/^Factura /);
    await stack.killWorker(healthy.index, 'SIGTERM');
  });
});
