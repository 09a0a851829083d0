import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { mailboxAnswer } from './mailbox-page.js';
import { type Mail, readMail } from './mail-reader.js';
import { type Answering, converse } from './smtp-conversation.js';

const KEPT = 200;

/**
 * A mail server that keeps what it is sent instead of delivering it, for one machine and tests, and shows the mails on
 * a page.
 */
export class Mailbox {
  private readonly mails: Mail[] = [];
  private readonly sockets = new Set<Socket>();
  private received = 0;

  /** For tests: plays a server that refuses, is slow or breaks off. */
  answering: Answering = () => null;

  private constructor(
    private readonly smtp: Server,
    private readonly web: HttpServer,
  ) {}

  /** @param port of the page; 0 picks a free one */
  static async start(port = 0): Promise<Mailbox> {
    const smtp = createServer();
    const web = createHttpServer();
    const mailbox = new Mailbox(smtp, web);
    smtp.on('connection', (socket) => mailbox.receive(socket));
    web.on('request', (request, response) => {
      const answer = mailboxAnswer(request.url ?? '/', mailbox.mails);
      if (answer === null) {
        response.writeHead(404).end();
        return;
      }
      response.setHeader('Content-Type', answer.type).setHeader('Content-Security-Policy', answer.policy).setHeader('X-Content-Type-Options', 'nosniff').end(answer.body);
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

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.web.closeAllConnections();
    await Promise.all([closed(this.smtp), closed(this.web)]);
  }

  private receive(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.sockets.delete(socket));
    converse(socket, (verb, line) => this.answering(verb, line), (raw, sender, to) => this.keep(raw, sender, to)).catch(() => socket.destroy());
  }

  private keep(raw: string, sender: string, to: readonly string[]): void {
    this.received += 1;
    this.mails.push(readMail(raw, { number: this.received, sender, to, receivedAt: new Date() }));
    if (this.mails.length > KEPT) this.mails.shift();
  }
}

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

const closed = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
