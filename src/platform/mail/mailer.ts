import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { createTransport, type Transporter } from 'nodemailer';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { type Logger, LOGGER } from '../observability/logger.js';
import type { Letter } from './letters.js';

const TIMEOUT_MS = 15_000;

/** Sends letters through the mail server of the settings. */
@Injectable()
export class Mailer implements OnApplicationShutdown {
  private readonly transport: Transporter | null;
  private readonly underway = new Set<Promise<void>>();

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const { SMTP_URL: url } = settings;
    this.transport = url === undefined ? null : createTransport(withTimeouts(url));
  }

  /**
   * Sends one letter to one person. The address goes as a value of its own, never as text that could hold more of them.
   * @throws Error when no mail server is set or it does not take the letter
   */
  async send(to: { readonly name?: string; readonly address: string }, letter: Letter): Promise<void> {
    if (this.transport === null) throw new Error('SMTP_URL is not set: the mail was not sent');
    await this.transport.sendMail({
      from: this.settings.MAIL_FROM,
      to: { name: to.name ?? '', address: to.address },
      subject: letter.subject,
      text: letter.text,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  /**
   * Runs work that ends in a mail, while the caller is answered: how long it takes tells nothing then. A failure is
   * logged; whoever misses the mail asks again.
   */
  inBackground(what: string, work: () => Promise<void>): void {
    const running = work()
      .catch((error: unknown) => this.logger.error({ err: error, mail: what }, 'a mail was not sent'))
      .finally(() => this.underway.delete(running));
    this.underway.add(running);
  }

  /** What is under way is finished first. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.underway);
    this.transport?.close();
  }
}

/** Waits for the server as long as we choose, unless the address says otherwise. */
function withTimeouts(address: string): string {
  const url = new URL(address);
  for (const name of ['connectionTimeout', 'greetingTimeout', 'socketTimeout']) {
    if (!url.searchParams.has(name)) url.searchParams.set(name, String(TIMEOUT_MS));
  }
  return url.href;
}
