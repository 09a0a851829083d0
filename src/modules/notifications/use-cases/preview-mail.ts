import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { CLOCK, type Clock } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { documentLetter } from '../domain/document-letter.js';
import { exampleFacts } from '../domain/example-facts.js';
import type { MailPreviewDto } from '../notifications.dto.js';
import type { MailPreview } from '../notifications.responses.js';
import { DEFAULT_MAIL_SETTINGS, MailSettingsRepository, namedFields } from '../persistence/mail-settings.repository.js';

/** The mail of an example document as the tenant's settings write it, with changes that are not saved yet. */
export class PreviewMail extends Query<MailPreview> {
  constructor(
    readonly tenant: TenantContext,
    readonly input: MailPreviewDto,
  ) {
    super();
  }
}

@QueryHandler(PreviewMail)
export class PreviewMailHandler implements IQueryHandler<PreviewMail> {
  constructor(
    private readonly settings: MailSettingsRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, input: { document_type, ...changes } }: PreviewMail): Promise<MailPreview> {
    const stored = (await this.settings.find(tenant.tenantId)) ?? DEFAULT_MAIL_SETTINGS;
    const { language, sender_name, reply_to, subject, message } = { ...stored, ...namedFields(changes) };
    const facts = exampleFacts(document_type, tenant.environment, this.clock.now());
    return { from: sender_name ?? facts.issuer.name, reply_to, ...documentLetter(facts, { language, replyTo: reply_to, subject, message }) };
  }
}
