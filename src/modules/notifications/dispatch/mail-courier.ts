import { Inject, Injectable, Logger } from '@nestjs/common';
import { SENDING_SHARE_OF_LEASE } from '../../../config/mail-lease.js';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { KillPoints } from '../../../platform/faults/kill-points.js';
import { withoutMailboxes } from '../../../platform/mail/delivery.js';
import { Mailer } from '../../../platform/mail/mailer.js';
import { ofDocument } from '../../../platform/tracing/document-trace.js';
import { failSpan, type NewSpan, noteSpan, traced } from '../../../platform/tracing/spans.js';
import { CLOCK, type Clock, SLEEPER, type Sleeper } from '../../../shared/ports.js';
import { type Outcome, type Standing, standingAfter } from '../domain/attempts.js';
import { type ClaimedWork, MailWorkRepository } from '../persistence/mail-work.repository.js';
import { NoticesRepository } from '../persistence/notices.repository.js';
import { DocumentMailWriter } from './document-mail.js';
import { NoticeMailWriter } from './notice-mail.js';
import type { Written } from './written.js';

/** Share of the lease that writing a mail may take before the lease is renewed for the sending. With that of the sending it is less than all of it. */
const SHARE_FOR_WRITING = 0.1;
/** Between tries to put on record what the mail server said; each pause is twice the one before. */
const FIRST_SETTLING_PAUSE_MS = 500;

/** Takes one claimed mail from its writing to the record of what became of it. */
@Injectable()
export class MailCourier {
  private readonly log = new Logger(MailCourier.name);
  private readonly givingUp = new AbortController();
  /** How each mail that is being written or sent is broken off. */
  private readonly cuts = new Set<() => void>();

  constructor(
    private readonly work: MailWorkRepository,
    private readonly notices: NoticesRepository,
    private readonly documentMails: DocumentMailWriter,
    private readonly noticeMails: NoticeMailWriter,
    private readonly mailer: Mailer,
    private readonly killPoints: KillPoints,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Breaks off what is being written or sent, for good: the process ends. Mails that the server has not taken are given back. */
  giveUp(): void {
    this.givingUp.abort();
    for (const cut of this.cuts) cut();
  }

  /** Writes and sends a claimed mail and puts on record what became of it; throws where its lease is to run out, so that it comes again. */
  async serve(row: ClaimedWork, token: string, claimedAt: Date): Promise<void> {
    if (row.kind === 'notice') {
      await this.notices.addressAdmins(row, token, this.clock.now());
      return;
    }
    const written = await this.unlessGivenUp(this.write(row));
    if (written === null) {
      await this.work.giveBack(row, token, this.clock.now());
      return;
    }
    const heldAt = await this.held(row, token, claimedAt);
    if (heldAt === null) return;
    const outcome = await traced(spanOf(row, written), () => this.noted(this.send(written)));
    await this.killPoints.pass('after-mail');
    const now = this.clock.now();
    if (outcome === null) {
      await this.work.giveBack(row, token, now);
      return;
    }
    await this.settle(row, token, standingAfter(outcome, written.attempts + 1, this.settings.MAIL_LADDER, now), heldAt.getTime() + this.leaseMs * (SHARE_FOR_WRITING + SENDING_SHARE_OF_LEASE));
  }

  private async write({ tenantId, id }: ClaimedWork): Promise<Written> {
    const written = (await this.documentMails.write(tenantId, id)) ?? (await this.noticeMails.write(tenantId, id));
    if (written === null) throw new Error('there is no such mail');
    await this.killPoints.pass('before-mail');
    return written;
  }

  /** Null: given up before it was done. Printing cannot be broken off, and may take longer than a process that ends has time. */
  private async unlessGivenUp<T>(work: Promise<T>): Promise<T | null> {
    let forget = (): void => undefined;
    const givenUp = new Promise<null>((resolve) => (forget = this.onGivingUp(() => resolve(null))));
    return Promise.race([work, givenUp]).finally(() => forget());
  }

  /** @returns what ends the wait: a listener for each mail would be too many for one signal */
  private onGivingUp(cut: () => void): () => void {
    this.cuts.add(cut);
    if (this.givingUp.signal.aborted) cut();
    return () => this.cuts.delete(cut);
  }

  /**
   * When the lease began under which the mail is sent; null: it was lost, or the mail removed, while attachments were drawn,
   * which may take its time. Soon after the claim nobody asks: a mail that is removed in that moment is sent.
   */
  private async held(row: ClaimedWork, token: string, claimedAt: Date): Promise<Date | null> {
    const now = this.clock.now();
    if (now.getTime() - claimedAt.getTime() <= this.leaseMs * SHARE_FOR_WRITING) return claimedAt;
    return (await this.work.renew(row, token, now, this.leaseMs)) ? now : null;
  }

  /** A mail that the server has taken is sent again unless that is put on record: worth patience with the database while the lease lasts. */
  private async settle(row: ClaimedWork, token: string, standing: Standing, until: number): Promise<void> {
    for (let pause = FIRST_SETTLING_PAUSE_MS; ; pause *= 2) {
      const now = this.clock.now();
      try {
        // Whoever holds the mail after us tells what becomes of it.
        if (await this.work.settle(row, token, standing, now)) this.tellIfLost(row, standing);
        return;
      } catch (error) {
        if (now.getTime() + pause > until || this.givingUp.signal.aborted) throw error;
        this.log.warn(`mail ${row.id}: ${(error as Error).message}; it is put on record again`);
        // A process that ends cuts the pause short and tries once more.
        await this.sleeper.sleep(pause, this.givingUp.signal).catch(() => undefined);
      }
    }
  }

  /** A mail that is never tried again leaves a line in the log: its tenant sees it on its record, an operator would not. */
  private tellIfLost({ tenantId, id }: ClaimedWork, { status, failure }: Standing): void {
    if (status !== 'failed' && status !== 'bounced') return;
    this.log.warn(`mail ${id} of tenant ${tenantId}: ${status}, not tried again: ${withoutMailboxes(failure ?? '')}`);
  }

  /** Null: given up because the process ends. */
  private async send(written: Written): Promise<Outcome | null> {
    if ('outcome' in written) return written.outcome;
    const settled = new AbortController();
    const cut = new AbortController();
    const forget = this.onGivingUp(() => cut.abort());
    const deadline = this.sleeper.sleep(this.leaseMs * SENDING_SHARE_OF_LEASE, settled.signal).then(
      () => cut.abort(),
      () => undefined,
    );
    const outcome = await this.mailer.deliver(written.mail, cut.signal).finally(() => {
      forget();
      settled.abort();
    });
    await deadline;
    return outcome.outcome === 'put_off' && this.givingUp.signal.aborted ? null : outcome;
  }

  private async noted(sending: Promise<Outcome | null>): Promise<Outcome | null> {
    const outcome = await sending;
    const name = outcome?.outcome ?? 'given_up';
    noteSpan({ 'sello.outcome': name });
    if (name !== 'taken') failSpan(name);
    return outcome;
  }

  private get leaseMs(): number {
    return this.settings.MAIL_LEASE_SECONDS * 1_000;
  }
}

/** A span in the trace of the document that the mail brings, if it brings one. It does not name the recipient. */
function spanOf({ tenantId, id }: ClaimedWork, { documentId, attempts }: Written): NewSpan {
  const attributes = { 'sello.mail_id': id, 'sello.attempt': attempts + 1 };
  const span = documentId === null ? { name: 'mail', attributes: { 'sello.tenant_id': tenantId, ...attributes } } : ofDocument('mail', { tenantId, documentId }, attributes);
  return { ...span, kind: 'client' };
}
