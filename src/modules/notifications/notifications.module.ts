import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { DocumentMailsController } from './document-mails.controller.js';
import { MailSettingsController } from './mail-settings.controller.js';
import { MailSettingsRepository } from './persistence/mail-settings.repository.js';
import { MailsRepository } from './persistence/mails.repository.js';
import { GetMailSettingsHandler } from './use-cases/get-mail-settings.js';
import { ListDocumentMailsHandler } from './use-cases/list-document-mails.js';
import { PreviewMailHandler } from './use-cases/preview-mail.js';
import { SendDocumentMailHandler } from './use-cases/send-document-mail.js';
import { UpdateMailSettingsHandler } from './use-cases/update-mail-settings.js';

const HANDLERS = [SendDocumentMailHandler, ListDocumentMailsHandler, GetMailSettingsHandler, UpdateMailSettingsHandler, PreviewMailHandler];

/** Mail to buyers and admins, for the API process: takes wishes and shows what became of each mail. */
@Module({ imports: [CqrsModule], controllers: [DocumentMailsController, MailSettingsController], providers: [MailsRepository, MailSettingsRepository, ...HANDLERS] })
export class NotificationsModule {}
