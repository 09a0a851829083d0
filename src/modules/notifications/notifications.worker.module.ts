import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { MailModule } from '../../platform/mail/mail.module.js';
import { DocumentMailWriter } from './dispatch/document-mail.js';
import { MailCourier } from './dispatch/mail-courier.js';
import { MailDispatcher } from './dispatch/mail-dispatcher.js';
import { NoticeMailWriter } from './dispatch/notice-mail.js';
import { DocumentFactsStore } from './persistence/document-facts.store.js';
import { MailWork } from './persistence/mail-work.js';
import { NoticesRepository } from './persistence/notices.repository.js';

/** Mail to buyers and admins, for the worker process: sends. */
@Module({ imports: [CqrsModule, MailModule], providers: [MailWork, DocumentFactsStore, NoticesRepository, DocumentMailWriter, NoticeMailWriter, MailCourier, MailDispatcher] })
export class NotificationsWorkerModule {}
