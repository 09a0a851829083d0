import { randomUUID } from 'node:crypto';
import pino from 'pino';
import type { Settings } from '../../src/config/settings.js';
import { Mailbox } from '../../src/local/mailbox.js';
import { Mailer } from '../../src/platform/mail/mailer.js';
import { Meters } from '../../src/platform/observability/meters.js';
import type { Sleeper } from '../../src/shared/ports.js';
import { awaitMail } from '../support/await-mail.js';

const LINK = 'https://panel.example/reset-password#token=secret-of-the-link';
const LETTER = { subject: 'New password', text: `Here: ${LINK}` };

/** Waits as long as a test wants it to. */
class HeldSleeper implements Sleeper {
  readonly asked: number[] = [];
  constructor(private readonly isEndless: boolean) {}

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    this.asked.push(milliseconds);
    if (!this.isEndless) return Promise.resolve();
    return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))));
  }
}

describe('a letter that the mail server does not take at once', () => {
  let mailbox: Mailbox;
  let log: string[];

  beforeAll(async () => {
    mailbox = await Mailbox.start();
  });
  beforeEach(() => {
    mailbox.answering = () => null;
    log = [];
  });
  afterAll(() => mailbox.stop());

  const mailer = (sleeper: Sleeper, url: string | undefined = mailbox.smtpUrl, from = 'Sello <no-reply@sello.local>'): Mailer => {
    const settings = { SMTP_URL: url, MAIL_FROM: from, MAIL_CONCURRENCY: 1, LETTER_LADDER: [5, 30, 120] } as Partial<Settings> as Settings;
    return new Mailer(settings, pino({}, { write: (line) => void log.push(line) }), new Meters(), sleeper);
  };
  const send = (by: Mailer, address: string): void => by.inBackground('reset_password', () => Promise.resolve({ to: { address }, letter: LETTER }));
  const until = async (holds: () => boolean): Promise<void> => {
    for (let tries = 0; !holds(); tries += 1) {
      if (tries === 3_600) throw new Error('it never came true');
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  };
  /** What a server says that repeats the mail, as filters of spam do. */
  const answers = (reply: string): { tries: number } => {
    const seen = { tries: 0 };
    mailbox.answering = (said) => (said === 'RCPT' && (seen.tries += 1) > 0 ? reply : null);
    return seen;
  };

  it.each(['Andina, S.A. <no-reply@sello.local>', 'Andina (Ecuador) <no-reply@sello.local>', 'Andina: facturas; avisos <no-reply@sello.local>', 'Compañía Andina <no-reply@sello.local>'])('comes from the whole name of the sender: %s', async (from) => {
    const by = mailer(new HeldSleeper(false), mailbox.smtpUrl, from);
    const address = `${randomUUID()}@example.com`;
    send(by, address);
    const mail = await awaitMail(mailbox, address);
    await by.onApplicationShutdown();
    // With quotation marks around a name that needs them.
    expect([mail.headers.get('from')?.map((sender) => sender.replaceAll('"', '')), log]).toEqual([[from], []]);
  });

  it('is tried again in steps, and arrives', async () => {
    const sleeper = new HeldSleeper(false);
    const by = mailer(sleeper);
    let refusals = 0;
    mailbox.answering = (said) => (said === 'RCPT' && (refusals += 1) <= 2 ? '451 later' : null);
    send(by, 'late@example.com');
    expect((await awaitMail(mailbox, 'late@example.com')).text).toContain(LINK);
    await by.onApplicationShutdown();
    expect([sleeper.asked, log]).toEqual([[5_000, 30_000], []]);
  });

  it('is given up behind the last step, and the log tells that without the link', async () => {
    const sleeper = new HeldSleeper(false);
    const by = mailer(sleeper);
    const seen = answers(`451 4.7.1 ${LINK} is suspicious`);
    send(by, 'never@example.com');
    await until(() => log.length > 0);
    await by.onApplicationShutdown();
    expect([seen.tries, sleeper.asked]).toEqual([4, [5_000, 30_000, 120_000]]);
    expect(log.map((line) => JSON.parse(line) as object)).toMatchObject([{ msg: 'a mail was not sent', mail: 'reset_password', outcome: 'put_off', code: '451' }]);
    expect(log.join()).not.toContain('token');
  });

  it('is tried again when nobody answers at all', async () => {
    const sleeper = new HeldSleeper(false);
    const by = mailer(sleeper, 'smtp://127.0.0.1:1');
    send(by, 'nobody@example.com');
    await until(() => log.length > 0);
    expect([sleeper.asked.length, log.length]).toEqual([3, 1]);
  });

  it.each([['550 5.1.1 no such mailbox', 'bounced'], ['552 5.3.4 too large', 'bounced']])('is not tried again after a refusal for good: %s', async (reply, outcome) => {
    const sleeper = new HeldSleeper(false);
    const by = mailer(sleeper);
    answers(reply);
    send(by, 'gone@example.com');
    await until(() => log.length > 0);
    await by.onApplicationShutdown();
    expect([sleeper.asked, JSON.parse(log[0] ?? '')]).toMatchObject([[], { outcome, code: reply.slice(0, 3) }]);
  });

  it('is given up when the process ends, which does not wait for it', async () => {
    const sleeper = new HeldSleeper(true);
    const by = mailer(sleeper);
    const seen = answers('451 later');
    send(by, 'stopped@example.com');
    await until(() => sleeper.asked.length > 0);
    await by.onApplicationShutdown();
    expect([seen.tries, log.length]).toEqual([1, 1]);
  });

  it('is not waited for where no mail server is set', async () => {
    const sleeper = new HeldSleeper(false);
    const by = new Mailer({ MAIL_FROM: 'a@b.co', LETTER_LADDER: [5] } as Partial<Settings> as Settings, pino({}, { write: (line) => void log.push(line) }), new Meters(), sleeper);
    send(by, 'x@example.com');
    await by.onApplicationShutdown();
    expect([sleeper.asked, JSON.parse(log[0] ?? '')]).toMatchObject([[], { code: 'SMTP_URL is not set' }]);
  });
});
