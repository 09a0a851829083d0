import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { createTransport, type Transporter } from 'nodemailer';
import { smtpTimeouts } from '../../config/mail-lease.js';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { type Logger, LOGGER } from '../observability/logger.js';
import { Meters } from '../observability/meters.js';
import { traced } from '../tracing/spans.js';
import { type Sleeper, SLEEPER } from '../../shared/ports.js';
import { BounceAddress } from './bounce-address.js';
import { codeOf, type Delivery, notTaken } from './delivery.js';
import type { Letter } from './letters.js';
import { shownName } from './shown-name.js';
import { domainOf, mailboxOf } from './sender.js';

/** A letter to a person, who may be none of ours yet. */
export interface PersonalLetter {
  readonly to: { readonly name?: string; readonly address: string };
  readonly letter: Letter;
}

/** Why a letter was not taken, in no word that could repeat it. */
interface LetterRefusal {
  readonly outcome: Exclude<Delivery['outcome'], 'taken'>;
  readonly code: string;
}

/** A letter that is kept until it is known what became of it. */
export interface TrackedMail {
  /** Names the mail wherever it turns up: a repetition after a crash is known by it. */
  readonly id: string;
  readonly to: { readonly name: string; readonly address: string };
  /** In whose name it is written; null: in that of the service. */
  readonly senderName: string | null;
  readonly replyTo: string | null;
  readonly letter: Letter;
}

/** Sends letters through the mail server of the settings. */
@Injectable()
export class Mailer implements OnApplicationShutdown {
  private readonly transport: Transporter | null;
  private readonly sender: { readonly name: string; readonly address: string };
  private readonly bounces: BounceAddress | null;
  private readonly underway = new Set<Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly meters: Meters,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
  ) {
    const { SMTP_URL: url, MAIL_BOUNCE_ADDRESS: bounces, MAIL_BOUNCE_SECRET: secret } = settings;
    this.transport = url === undefined ? null : createTransport(pooled(url, settings.MAIL_CONCURRENCY));
    this.sender = mailboxOf(settings.MAIL_FROM);
    this.bounces = bounces === undefined || secret === undefined ? null : new BounceAddress(bounces, secret);
  }

  /** False: no mail server is set. */
  get isReady(): boolean {
    return this.transport !== null;
  }

  /**
   * Hands one letter to the mail server and returns what became of it. Every name and address goes as a value of its own.
   * @param signal gives up; the mail is put off then
   */
  async deliver(mail: TrackedMail, signal: AbortSignal): Promise<Delivery> {
    const delivery = await this.handOver(mail, signal);
    this.meters.count('mails', { kind: 'tracked', outcome: delivery.outcome });
    return delivery;
  }

  private async handOver({ id, to, senderName, replyTo, letter }: TrackedMail, signal: AbortSignal): Promise<Delivery> {
    if (this.transport === null) return { outcome: 'put_off', reason: 'no mail server is set: SMTP_URL' };
    const messageId = `<${id}@${domainOf(this.sender.address)}>`;
    const { name, address } = this.sender;
    const recipient = { name: to.name, address: to.address };
    try {
      await this.transport.sendMail({
        from: { name: senderName ?? name, address },
        to: recipient,
        ...(replyTo === null ? {} : { replyTo: { name: senderName ?? '', address: replyTo } }),
        ...(this.bounces === null ? {} : { envelope: { from: this.bounces.of(id), to: [recipient] } }),
        messageId,
        // Nobody's machine should answer a machine (RFC 3834).
        headers: { 'Auto-Submitted': 'auto-generated' },
        subject: letter.subject,
        text: letter.text,
        ...(letter.html === undefined ? {} : { html: letter.html }),
        attachments: (letter.attachments ?? []).map(({ fileName, type, bytes }) => ({ filename: fileName, contentType: type, content: bytes })),
        disableFileAccess: true,
        disableUrlAccess: true,
        signal,
      });
      return { outcome: 'taken', messageId };
    } catch (error) {
      return notTaken(error);
    }
  }

  /**
   * Writes a letter and sends it while the caller is answered, so that the time of the answer gives nothing away. While the mail server puts
   * it off it is tried again for minutes (LETTER_LADDER), by this process alone: what is in a letter is stored nowhere. One that
   * was not sent is logged; whoever misses it asks again.
   * @param write null: there is nobody to write to
   */
  inBackground(what: string, write: () => Promise<PersonalLetter | null>): void {
    const running = this.writeAndSend(what, write)
      .catch((error: unknown) => this.logger.error({ err: error, mail: what }, 'a mail was not sent'))
      .finally(() => this.underway.delete(running));
    this.underway.add(running);
  }

  /** What is under way is finished first; what waits for another attempt is given up. */
  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.underway);
    this.transport?.close();
  }

  private async writeAndSend(what: string, write: () => Promise<PersonalLetter | null>): Promise<void> {
    const mail = await write();
    const refusal = mail === null ? null : await this.insist(mail);
    if (refusal !== null) this.logger.error({ mail: what, ...refusal }, 'a mail was not sent');
  }

  /** Null: the mail server has taken the letter. */
  private async insist(mail: PersonalLetter): Promise<LetterRefusal | null> {
    const { transport } = this;
    if (transport === null) return { outcome: 'refused', code: 'SMTP_URL is not set' };
    let refusal = await this.send(transport, mail);
    for (const seconds of this.settings.LETTER_LADDER) {
      if (refusal?.outcome !== 'put_off' || !(await this.paused(seconds))) break;
      refusal = await this.send(transport, mail);
    }
    return refusal;
  }

  /** False: the process ends first. */
  private paused(seconds: number): Promise<boolean> {
    return this.sleeper.sleep(seconds * 1_000, this.stopping.signal).then(() => true, () => false);
  }

  /** Sends one letter to one person. The address goes as a value of its own, never as text that could hold more of them. */
  private async send(transport: Transporter, { to, letter }: PersonalLetter): Promise<LetterRefusal | null> {
    const mail = {
      from: this.sender,
      to: { name: shownName(to.name ?? ''), address: to.address },
      subject: letter.subject,
      text: letter.text,
      disableFileAccess: true,
      disableUrlAccess: true,
    };
    const refusal = await traced({ name: 'mail', kind: 'client' }, () => transport.sendMail(mail)).then(() => null, refusalOf);
    this.meters.count('mails', { kind: 'letter', outcome: refusal?.outcome ?? 'taken' });
    return refusal;
  }
}

function refusalOf(error: unknown): LetterRefusal {
  const { outcome } = notTaken(error);
  return { outcome: outcome === 'taken' ? 'put_off' : outcome, code: codeOf(error) };
}

/**
 * Keeps connections, and waits for the server as long as we choose, unless the address says otherwise. Mails that a broken
 * connection left undone are repeated by us, not by the library.
 */
function pooled(address: string, connections: number): string {
  const url = new URL(address);
  const wanted = { pool: true, maxConnections: connections, maxRequeues: 0 };
  for (const [name, value] of Object.entries(wanted)) {
    if (!url.searchParams.has(name)) url.searchParams.set(name, String(value));
  }
  for (const [name, milliseconds] of Object.entries(smtpTimeouts(address))) url.searchParams.set(name, String(milliseconds));
  return url.href;
}
