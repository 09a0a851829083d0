import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Mailbox } from '../../src/local/mailbox.js';
import { BounceAddress } from '../../src/platform/mail/bounce-address.js';
import { awaitMail } from '../support/await-mail.js';
import { Business } from '../support/business.js';
import { member, type Somebody } from '../support/people.js';
import { type Stack, startStack } from '../support/stack.js';

const BOUNCES = { MAIL_BOUNCE_ADDRESS: 'bounces@mail.example', MAIL_BOUNCE_SECRET: 'a secret of some length' };
const DEFAULTS = { language: 'es', sender_name: null, reply_to: null, subject: null, message: null };

describe('what a tenant says of its mails', () => {
  let mailbox: Mailbox;
  let stack: Stack;
  let business: Business;
  let owner: Somebody;
  let documentId: string;

  beforeAll(async () => {
    mailbox = await Mailbox.start();
    stack = await startStack({ env: { SMTP_URL: mailbox.smtpUrl, MAIL_INTERVAL_MS: '50', MAIL_RESENDS_PER_HOUR: '1000', ...BOUNCES } });
    business = await Business.open(stack);
    owner = await member(stack, business.tenantId, 'tenant_owner');
    documentId = (await business.accepted({ buyer_name: 'Ana\u00a0"Ñ", <x@evil.example>; =?utf-8?q?x?=' })).document_id;
    await business.settled(documentId);
  });
  afterAll(async () => {
    await stack.stop();
    await mailbox.stop();
  });

  const change = (body: unknown) => owner.call<Record<string, unknown> & { detail?: { loc: string[]; type: string }[] }>('PATCH', '/tenant/mail-settings', body);
  const sendTo = async (to: string): Promise<string> => (await business.call<{ id: string }>('POST', `/documents/${documentId}/email`, { to })).body.id;
  const statusOf = async (mailId: string): Promise<unknown> => (await stack.database.query<{ status: string; failure: string | null }>('select status, failure from mails where id = $1', [mailId]))[0];

  it('is the service’s own until it is changed, and again after null', async () => {
    expect((await business.call('GET', '/tenant/mail-settings')).body).toMatchObject(DEFAULTS);
    const all = { language: 'en', sender_name: 'Ventas Andina', reply_to: 'ventas@andina.example', subject: '{{document_type}} {{document_number}}', message: 'Hola,\n\n{{buyer_name}}' };
    expect((await change({ ...all, message: '\r\n  Hola, \r\n\r\n{{buyer_name}}\n\n' })).body).toMatchObject(all);
    expect((await change({ subject: null, language: 'es' })).body).toMatchObject({ ...all, subject: null, language: 'es' });
    expect((await business.call('GET', '/tenant/mail-settings')).body).toMatchObject({ ...all, subject: null, language: 'es' });
    expect((await change(DEFAULTS)).body).toMatchObject(DEFAULTS);
  });

  it('is for owners to say, as all settings of a tenant', async () => {
    const admin = await member(stack, business.tenantId, 'tenant_admin');
    for (const caller of [admin, business]) {
      const refused = await caller.call('PATCH', '/tenant/mail-settings', { sender_name: 'Otra' });
      expect([refused.status, refused.body]).toMatchObject([403, { error: { code: 'FORBIDDEN', detail: { permission: 'tenant:write' } } }]);
      expect((await caller.call('GET', '/tenant/mail-settings')).body).toMatchObject(DEFAULTS);
    }
  });

  it.each([
    [{ subject: 'a {{price}}' }, 'subject', 'template_placeholder'],
    [{ message: '{{buyer_name' }, 'message', 'template_braces'],
    [{ subject: 'Factura {document_number}' }, 'subject', 'template_single_braces'],
    [{ message: 'Hola, {nombre}' }, 'message', 'template_single_braces'],
    [{ message: 'x'.repeat(2_001) }, 'message', 'string_too_long'],
    [{ message: 'a\u0000b' }, 'message', 'string_control_character'],
    [{ subject: 'a\r\nBcc: x@example.com' }, 'subject', 'string_line_break'],
    [{ sender_name: 'a\nb' }, 'sender_name', 'string_line_break'],
    [{ reply_to: 'a@b.co, c@d.co' }, 'reply_to', 'email'],
    [{ reply_to: 'a@b.co\r\nBcc: c@d.co' }, 'reply_to', 'string_line_break'],
    [{ language: 'fr' }, 'language', 'enum'],
    [{ colour: 'red' }, 'colour', 'extra_forbidden'],
  ])('is refused by name: %j', async (body, field, type) => {
    for (const answer of [await change(body), await business.call<{ detail: { loc: string[]; type: string }[] }>('POST', '/tenant/mail-settings/preview', body)]) {
      expect([answer.status, answer.body.detail?.map(({ loc, type: kind }) => [loc.join('.'), kind])]).toEqual([422, [[`body.${field}`, type]]]);
    }
    expect((await business.call('GET', '/tenant/mail-settings')).body).toMatchObject(DEFAULTS);
  });

  it.each([{ to: 'a@b.co, c@d.co' }, { to: 'Ana <a@b.co>' }, { to: 'a@b.co\r\nRCPT TO:<c@d.co>' }, { to: ['a@b.co'] }, { to: 'a b@c.co' }, { language: 'es-EC' }, { cc: 'a@b.co' }])(
    'leads no mail to %j', async (body) => {
      expect((await business.call('POST', `/documents/${documentId}/email`, body)).status).toBe(422);
    });

  it('can be looked at before it is saved', async () => {
    const { status, body } = await business.call<Record<string, string>>('POST', '/tenant/mail-settings/preview', { document_type: '07', language: 'en', sender_name: 'Andina', message: 'Dear {{buyer_name}} <b>' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ from: 'Andina', reply_to: null, subject: 'Withholding certificate 001-002-000000123 from Comercial Ejemplo', text: expect.stringContaining('Dear María Pérez <b>') });
    expect(body['html']).toContain('Dear María Pérez &lt;b&gt;');
    expect((await business.call('GET', '/tenant/mail-settings')).body).toMatchObject(DEFAULTS);
  });

  it('and what buyers are called makes one mail to one reader, whatever stands in it', async () => {
    const senderName = 'Bcc: "x@evil.example", <y@evil.example> =?utf-8?q?=0ABcc:_z?= Ñandú';
    await change({ sender_name: senderName, reply_to: 'ventas@andina.example', subject: 'X {{buyer_name}} To: <z@evil.example>' });
    const reader = `o'hara+{x}|=?utf-8?q?a?=@example.com`;
    await sendTo(reader);
    const mail = await awaitMail(mailbox, reader);
    expect(mail.to).toEqual([reader]);
    expect([...mail.headers.keys()].sort()).toEqual(['auto-submitted', 'content-type', 'date', 'from', 'message-id', 'mime-version', 'reply-to', 'subject', 'to']);
    for (const [name, values] of mail.headers) expect([name, values.length]).toEqual([name, 1]);
    expect(mail.headers.get('from')?.[0]).toMatch(/<no-reply@sello\.local>$/);
    expect(mail.headers.get('reply-to')?.[0]).toMatch(/<ventas@andina\.example>$/);
    expect(mail.subject).toBe('X Ana "Ñ", <x@evil.example>; =?utf-8?q?x?= To: <z@evil.example>');
    expect(mail.text).toContain('le contestará Comercial Ñandú & Compañía (ventas@andina.example)');
    await change(DEFAULTS);
  });

  /** As a mail server pipes what comes back. */
  const pipe = (recipient: string, notification: string): Promise<number | null> =>
    new Promise((resolve) => {
      const env = { PATH: process.env['PATH'] ?? '', APP_ENV: 'local', DATABASE_URL: stack.databaseUrl, REDIS_URL: stack.redisUrl, SRI_RECEPTION_URL: 'http://127.0.0.1:9/r', SRI_AUTHORIZATION_URL: 'http://127.0.0.1:9/a', ...BOUNCES };
      const program = spawn(process.execPath, [join(process.cwd(), 'dist/src/mail-bounce.js'), recipient], { env, stdio: ['pipe', 'ignore', 'inherit'] });
      program.once('close', resolve);
      program.stdin.end(notification);
    });
  const returned = (action: string): string =>
    `Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx\r\n\r\nFinal-Recipient: rfc822; a@b.co\r\nAction: ${action}\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1 user unknown\r\n\r\n--b--\r\n`;

  it('is told of a mail that comes back after it was taken', async () => {
    const reader = 'returned@example.com';
    const mailId = await sendTo(reader);
    const { sender } = await awaitMail(mailbox, reader);
    for (let waited = 0; waited < 1_200 && (await statusOf(mailId) as { status: string }).status !== 'sent'; waited += 1) await sleep(50);
    expect(await pipe(sender, returned('delayed'))).toBe(0);
    expect(await pipe(sender.replace(/\.[0-9a-f]{16}@/, '.0123456789abcdef@'), returned('failed'))).toBe(67);
    expect(await pipe(new BounceAddress(BOUNCES.MAIL_BOUNCE_ADDRESS, BOUNCES.MAIL_BOUNCE_SECRET).of(randomUUID()), returned('failed'))).toBe(67);
    expect(await statusOf(mailId)).toEqual({ status: 'sent', failure: null });
    expect(await pipe(sender, returned('failed'))).toBe(0);
    expect(await statusOf(mailId)).toEqual({ status: 'bounced', failure: '550 5.1.1 user unknown' });
    expect(await business.document(documentId)).toMatchObject({ status: 'AUTHORIZED', email: { status: 'bounced', recipient: reader, failure: '550 5.1.1 user unknown' } });
  });

  describe('news for admins', () => {
    /** Several at once are committed together: the worker sees all of them or none. */
    const tell = async (by: Business, ...types: string[]): Promise<string> => {
      const [row] = await stack.database.query<{ id: string }>(
        'insert into events (tenant_id, id, type, created_at) select $1, gen_random_uuid(), type, now() from unnest($2::text[]) type returning id', [by.tenantId, types]);
      return row!.id;
    };
    const noticesOf = (by: Business): Promise<{ recipient: string; notice: string; status: string }[]> =>
      stack.database.query(`select recipient, notice, status from mails where tenant_id = $1 and notice is not null order by notice, recipient`, [by.tenantId]);
    /** News that were put off until the mail before is an hour old. */
    const putOff = (by: Business): Promise<unknown[]> => stack.database.query(`select 1 from mail_outbox where tenant_id = $1 and kind = 'notice' and due_at > now() + interval '50 minutes'`, [by.tenantId]);

    it('go to active owners and admins of confirmed addresses in the tenant’s language, once, and tell how it stands', async () => {
      const told = await Business.open(stack);
      const [owner, admin] = [await member(stack, told.tenantId, 'tenant_owner'), await member(stack, told.tenantId, 'tenant_admin')];
      await owner.call('PATCH', '/tenant/mail-settings', { language: 'en' });
      for (const role of ['billing_operator', 'accountant', 'viewer'] as const) await member(stack, told.tenantId, role);
      const unconfirmed = await member(stack, told.tenantId, 'tenant_owner');
      await stack.database.query('update users set email_verified_at = null where id = $1', [unconfirmed.userId]);
      // At noon, so that no hour of the day makes another day of it.
      await stack.database.query(`update certificates set valid_to = ((now() at time zone 'America/Guayaquil')::date + 7 + time '12:00') at time zone 'America/Guayaquil' where tenant_id = $1`, [told.tenantId]);
      await tell(told, 'certificate.expiring', 'certificate.expiring', 'document.failed');
      for (const { email } of [owner, admin]) {
        const mail = await awaitMail(mailbox, email);
        expect(mail.subject).toBe('A signing certificate expires soon (Business)');
        expect(mail.text).toMatch(/Comercial Ñandú & Compañía: Expires on \d+ \w+ \d{4}, \d\d:\d\d \(7 days left\)/);
        expect([mail.headers.get('from'), mail.headers.get('reply-to'), mail.attachments]).toEqual([['Sello <no-reply@sello.local>'], undefined, []]);
      }
      await tell(told, 'certificate.expiring');
      // Soon after the first one: it waits, and is told later together with what else happens.
      for (let waited = 0; waited < 1_200 && (await putOff(told)).length === 0; waited += 1) await sleep(50);
      expect(await putOff(told)).toHaveLength(1);
      expect((await noticesOf(told)).map(({ recipient, notice }) => [notice, recipient])).toEqual([owner.email, admin.email].sort().map((email) => ['certificate.expiring', email]));
      expect(mailbox.mailsTo(owner.email)).toHaveLength(1);
    });

    it('are told by the next mail though they were committed late, or the mail that told them failed', async () => {
      const told = await Business.open(stack);
      const owner = await member(stack, told.tenantId, 'tenant_owner');
      const disabled = (address: string, hoursAgo: number): Promise<unknown> =>
        stack.database.query(
          `insert into events (tenant_id, id, type, data, created_at) values ($1, gen_random_uuid(), 'webhook.disabled', $2, now() - $3 * interval '1 hour')`,
          [told.tenantId, { webhook: { url: `https://${address}.example/` } }, hoursAgo]);
      const addresses = (text: string): string[] => [...text.matchAll(/https:\/\/(\w+)\.example\//g)].map(([, address]) => address!).sort();
      const quietIsOver = (): Promise<unknown> => stack.database.query(`update mails set created_at = created_at - interval '2 hours' where tenant_id = $1`, [told.tenantId]);

      await disabled('first', 0);
      expect(addresses((await awaitMail(mailbox, owner.email)).text)).toEqual(['first']);
      await quietIsOver();
      await disabled('late', 5);
      expect(addresses((await awaitMail(mailbox, owner.email, 1)).text)).toEqual(['late']);

      mailbox.answering = (said) => (said === 'BODY' ? '554 5.6.0 cannot be read' : null);
      await quietIsOver();
      await disabled('unlucky', 0);
      for (let waited = 0; waited < 1_200 && !(await noticesOf(told)).some(({ status }) => status === 'failed'); waited += 1) await sleep(50);
      expect((await noticesOf(told)).map(({ status }) => status).sort()).toEqual(['failed', 'sent', 'sent']);
      mailbox.answering = () => null;
      await quietIsOver();
      await disabled('next', 0);
      for (let waited = 0; waited < 1_200 && (await noticesOf(told)).filter(({ status }) => status === 'sent').length < 3; waited += 1) await sleep(50);
      expect(addresses(mailbox.mailsTo(owner.email).at(-1)!.text)).toEqual(['next', 'unlucky']);
      await quietIsOver();
      await disabled('last', 0);
      for (let waited = 0; waited < 1_200 && (await noticesOf(told)).filter(({ status }) => status === 'sent').length < 4; waited += 1) await sleep(50);
      expect(addresses(mailbox.mailsTo(owner.email).at(-1)!.text)).toEqual(['last']);
    });

    it.each<[string, (by: Business, admin: Awaited<ReturnType<typeof member>>) => Promise<unknown>]>([
      ['was removed', async (by, { memberId }) => expect((await by.call('DELETE', `/tenant/members/${memberId}`)).status).toBe(204)],
      ['has no open account any more', (_by, { email }) => stack.database.query('update users set disabled_at = now() where email = $1', [email])],
    ])('are not sent to an admin who %s while the mail was put off', async (_name, end) => {
      const told = await Business.open(stack);
      const [owner, admin] = [await member(stack, told.tenantId, 'tenant_owner'), await member(stack, told.tenantId, 'tenant_admin')];
      mailbox.answering = (said) => (said === 'RCPT' ? '451 later' : null);
      await stack.database.query(`insert into events (tenant_id, id, type, data, created_at) values ($1, gen_random_uuid(), 'webhook.disabled', '{"webhook": {"url": "https://x.example/"}}', now())`, [told.tenantId]);
      const putOffMails = (): Promise<unknown[]> => stack.database.query(`select 1 from mails where tenant_id = $1 and status = 'queued' and attempts = 1`, [told.tenantId]);
      for (let waited = 0; waited < 1_200 && (await putOffMails()).length < 2; waited += 1) await sleep(50);
      await end(told, admin);
      mailbox.answering = () => null;
      await stack.database.query('update mail_outbox set due_at = now() where tenant_id = $1', [told.tenantId]);
      expect((await awaitMail(mailbox, owner.email)).text).toContain('https://x.example/');
      for (let waited = 0; waited < 1_200 && (await noticesOf(told)).some(({ status }) => status === 'queued'); waited += 1) await sleep(50);
      const became = Object.fromEntries((await noticesOf(told)).map(({ recipient, status }) => [recipient, status]));
      expect([became, mailbox.mailsTo(admin.email)]).toEqual([{ [owner.email]: 'sent', [admin.email]: 'failed' }, []]);
    });

    it('are of pauses and of documents that wait for a person', async () => {
      const told = await Business.open(stack);
      const owner = await member(stack, told.tenantId, 'tenant_owner');
      const { document_id } = await told.accepted({ send_email: false });
      await told.settled(document_id);
      await stack.database.query(
        `insert into issuing_pauses (tenant_id, id, scope, issuer_id, document_type, code, document_id, created_at) values ($1, gen_random_uuid(), 'document_type', $2, '07', '34', $3, now())`,
        [told.tenantId, told.issuerId, document_id]);
      await tell(told, 'issuer.paused');
      const mail = await awaitMail(mailbox, owner.email);
      expect(mail.subject).toBe('El SRI bloqueó envíos: hay documentos en espera (Business)');
      expect(mail.text).toContain('Comercial Ñandú & Compañía, Comprobante de retención: Código 34 del SRI, desde el ');
      // Settled before anybody was told: nobody is.
      await tell(told, 'document.manual_review_required');
      for (let waited = 0; waited < 1_200 && !(await noticesOf(told)).some(({ status }) => status === 'failed'); waited += 1) await sleep(50);
      expect(await noticesOf(told)).toEqual([
        { recipient: owner.email, notice: 'document.manual_review_required', status: 'failed' }, { recipient: owner.email, notice: 'issuer.paused', status: 'sent' },
      ]);
      expect(mailbox.mailsTo(owner.email)).toHaveLength(1);
      // Nor does a mail that nobody got keep the next one waiting.
      await told.accepted({ send_email: false, additional_info: [{ name: 'Simulador', value: 'tampered' }] });
      expect((await awaitMail(mailbox, owner.email, 1)).text).toContain('Comercial Ñandú & Compañía');
    });
  });
});
