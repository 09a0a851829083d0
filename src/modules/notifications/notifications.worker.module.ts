import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { MailModule } from '../../platform/mail/mail.module.js';
import { DocumentMailWriter } from './dispatch/document-mail.js';
import { MailCourier } from './dispatch/mail-courier.js';
import { MailDispatcher } from './dispatch/mail-dispatcher.js';
import { NoticeMailWriter } from './dispatch/notice-mail.js';
import { DocumentFactsRepository } from './persistence/document-facts.repository.js';
import { MailWorkRepository } from './persistence/mail-work.repository.js';
import { NoticesRepository } from './persistence/notices.repository.js';

/** Mail to buyers and admins, for the worker process: sends. */
@Module({ imports: [CqrsModule, MailModule], providers: [MailWorkRepository, DocumentFactsRepository, NoticesRepository, DocumentMailWriter, NoticeMailWriter, MailCourier, MailDispatcher] })
export class NotificationsWorkerModule {}
