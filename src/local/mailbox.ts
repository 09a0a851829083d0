import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { mailboxPage } from './mailbox-page.js';
import { type Mail, readMail } from './mail-reader.js';

const MAX_MAIL_BYTES = 1_048_576;
const KEPT = 200;

/**
 * A mail server that keeps what it is sent instead of delivering it, for one machine and tests. Speaks as much SMTP
 * (RFC 5321) as a sender needs, and shows the mails on a page.
 */
export class Mailbox {
  private readonly mails: Mail[] = [];
  private readonly sockets = new Set<Socket>();
  private waiting: (() => void)[] = [];

  private constructor(
    private readonly smtp: Server,
    private readonly web: HttpServer,
  ) {}

  /** @param port of the page; 0 picks a free one */
  static async start(port = 0): Promise<Mailbox> {
    const smtp = createServer();
    const web = createHttpServer();
    const mailbox = new Mailbox(smtp, web);
    smtp.on('connection', (socket) => mailbox.converse(socket));
    web.on('request', (_request, response) => {
      response.setHeader('Content-Type', 'text/html; charset=utf-8').setHeader('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'");
      response.end(mailboxPage(mailbox.mails));
    });
    await Promise.all([listen(smtp, 0), listen(web, port)]);
    return mailbox;
  }

  /** For SMTP_URL. */
  get smtpUrl(): string {
    return `smtp://127.0.0.1:${portOf(this.smtp)}`;
  }

  /** Where the mails are shown. */
  get pageUrl(): string {
    return `http://127.0.0.1:${portOf(this.web)}`;
  }

  /** The mails to an address, oldest first. */
  mailsTo(address: string): readonly Mail[] {
    return this.mails.filter((mail) => mail.to.includes(address));
  }

  /**
   * The mail to an address that has this number among them (0 the first), as soon as it is there.
   * @throws Error when it does not come in time
   */
  async waitFor(address: string, index = 0, milliseconds = 10_000): Promise<Mail> {
    const until = performance.now() + milliseconds;
    for (;;) {
      const mail = this.mailsTo(address)[index];
      if (mail !== undefined) return mail;
      const left = until - performance.now();
      if (left <= 0) throw new Error(`no mail number ${index} to ${address} within ${milliseconds} ms`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.web.closeAllConnections();
    await Promise.all([closed(this.smtp), closed(this.web)]);
  }

  private converse(socket: Socket): void {
    this.sockets.add(socket);
    let [unread, to, isData] = ['', [] as string[], false];
    const say = (line: string): boolean => socket.write(`${line}\r\n`);
    socket.setEncoding('utf8');
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('data', (chunk: string) => {
      unread += chunk;
      if (unread.length > MAX_MAIL_BYTES) {
        say('552 too large');
        socket.destroy();
        return;
      }
      for (;;) {
        const end = unread.indexOf(isData ? '\r\n.\r\n' : '\r\n');
        if (end < 0) return;
        const text = unread.slice(0, end);
        unread = unread.slice(end + (isData ? 5 : 2));
        if (isData) {
          this.keep(text, to);
          [to, isData] = [[], false];
          say('250 kept');
          continue;
        }
        const verb = text.slice(0, 4).toUpperCase();
        if (verb === 'RCPT') to.push(/<([^<>]*)>/.exec(text)?.[1] ?? '');
        if (verb === 'RSET') to = [];
        isData = verb === 'DATA';
        say(ANSWERS[verb] ?? '502 not understood');
        if (verb === 'QUIT') socket.end();
      }
    });
    say('220 mailbox');
  }

  private keep(raw: string, to: readonly string[]): void {
    this.mails.push(readMail(raw, to, new Date()));
    if (this.mails.length > KEPT) this.mails.shift();
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

const ANSWERS: Readonly<Record<string, string>> = {
  EHLO: '250-mailbox\r\n250-8BITMIME\r\n250 SMTPUTF8',
  HELO: '250 mailbox',
  MAIL: '250 yes',
  RCPT: '250 yes',
  RSET: '250 yes',
  NOOP: '250 yes',
  DATA: '354 go on, end with a dot alone',
  QUIT: '221 bye',
};

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

const closed = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
