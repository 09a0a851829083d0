import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { MailModule } from '../../platform/mail/mail.module.js';
import { DocumentMailWriter } from './dispatch/document-mail.js';
import { MailDispatcher } from './dispatch/mail-dispatcher.js';
import { NoticeMailWriter } from './dispatch/notice-mail.js';
import { DocumentMailsController } from './document-mails.controller.js';
import { MailSettingsController } from './mail-settings.controller.js';
import { DocumentFactsStore } from './persistence/document-facts.store.js';
import { MailSettingsRepository } from './persistence/mail-settings.repository.js';
import { MailWork } from './persistence/mail-work.js';
import { MailsRepository } from './persistence/mails.repository.js';
import { NoticesRepository } from './persistence/notices.repository.js';
import { GetMailSettingsHandler } from './use-cases/get-mail-settings.js';
import { ListDocumentMailsHandler } from './use-cases/list-document-mails.js';
import { PreviewMailHandler } from './use-cases/preview-mail.js';
import { SendDocumentMailHandler } from './use-cases/send-document-mail.js';
import { UpdateMailSettingsHandler } from './use-cases/update-mail-settings.js';

const HANDLERS = [SendDocumentMailHandler, ListDocumentMailsHandler, GetMailSettingsHandler, UpdateMailSettingsHandler, PreviewMailHandler];

/** Mail to buyers and admins: the HTTP half takes wishes, the worker half sends. */
@Module({})
export class NotificationsModule {
  /** For the API process. */
  static http(): DynamicModule {
    return { module: NotificationsModule, imports: [CqrsModule], controllers: [DocumentMailsController, MailSettingsController], providers: [MailsRepository, MailSettingsRepository, ...HANDLERS] };
  }

  /** For the worker process. */
  static worker(): DynamicModule {
    return { module: NotificationsModule, imports: [CqrsModule, MailModule], providers: [MailWork, DocumentFactsStore, NoticesRepository, DocumentMailWriter, NoticeMailWriter, MailDispatcher] };
  }
}
