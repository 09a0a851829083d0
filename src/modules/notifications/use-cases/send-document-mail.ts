import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { accountAddress } from '../../../platform/http/email-address.js';
import { ValidationFailure } from '../../../platform/http/validation-failure.js';
import { DomainError } from '../../../shared/domain-error.js';
import { CLOCK, type Clock, IDS, type Ids } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { isValid, VALID_STATUSES } from '../../documents/public.js';
import { tooManyMails } from '../domain/mail-bounds.js';
import type { DocumentMailDto } from '../notifications.dto.js';
import type { MailRecord } from '../notifications.responses.js';
import { MailsRepository } from '../persistence/mails.repository.js';

/** Mails an authorized document to its buyer again, or to somebody else. */
export class SendDocumentMail extends Command<MailRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly documentId: string,
    readonly input: DocumentMailDto,
  ) {
    super();
  }
}

const HOUR_MS = 3_600_000;

@CommandHandler(SendDocumentMail)
export class SendDocumentMailHandler implements ICommandHandler<SendDocumentMail> {
  constructor(
    private readonly mails: MailsRepository,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  async execute({ tenant, documentId, input }: SendDocumentMail): Promise<MailRecord> {
    const now = this.clock.now();
    const bounds = { perHour: this.settings.MAIL_RESENDS_PER_HOUR, toStrangerPerDay: this.settings.MAIL_RESENDS_PER_RECIPIENT_PER_DAY };
    return this.mails.request(tenant, documentId, bounds, now, (document) => {
      if (!isValid(document.status)) throw new DomainError('INVALID_STATE', { reason: 'not_valid', status: document.status, required: VALID_STATUSES });
      const recipient = input.to ?? document.buyer_email;
      if (recipient === null) throw new ValidationFailure([{ loc: ['body', 'to'], type: 'mail_recipient', input: null, ctx: {} }]);
      const freeAt = document.crowded_since === null ? 0 : document.crowded_since.getTime() + HOUR_MS;
      if (freeAt > now.getTime()) throw tooManyMails('mail_resends', bounds.perHour, Math.ceil((freeAt - now.getTime()) / 1_000));
      const address = accountAddress(recipient);
      const isBuyers = document.buyer_email !== null && accountAddress(document.buyer_email) === address;
      return { id: this.ids.uuid(), documentId, recipient, stranger: isBuyers ? null : address, language: input.language ?? document.language };
    });
  }
}
