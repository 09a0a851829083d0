import { Inject, Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { isStoreOutage } from '../../../platform/database/store-outage.js';
import type { Attachment } from '../../../platform/mail/letters.js';
import { Mailer, type TrackedMail } from '../../../platform/mail/mailer.js';
import { type Logger, LOGGER } from '../../../platform/observability/logger.js';
import { DomainError } from '../../../shared/domain-error.js';
import { GetDocumentRide, GetDocumentXml, isValid } from '../../documents/public.js';
import { documentLetter, oneLine } from '../domain/document-letter.js';
import { DocumentFactsRepository, type DocumentMail } from '../persistence/document-facts.repository.js';
import type { Written } from './written.js';

/** Writes the mail that brings a document to its reader: the letter, the authorized XML and the printed representation. */
@Injectable()
export class DocumentMailWriter {
  constructor(
    private readonly documentFacts: DocumentFactsRepository,
    private readonly queries: QueryBus,
    private readonly mailer: Mailer,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Null when there is no such mail of a document. */
  async write(tenantId: string, mailId: string): Promise<Written | null> {
    const mail = await this.documentFacts.find(tenantId, mailId);
    if (mail === null) return null;
    const { status, attempts, documentId } = mail;
    if (!isValid(status)) return { attempts, documentId, outcome: { outcome: 'refused', reason: `the document is ${status}` } };
    try {
      // Nothing is drawn for a mail that no server will take.
      const attachments = this.mailer.isReady ? await this.attachments(tenantId, mail) : [];
      return { attempts, documentId, mail: this.tracked(mailId, mail, attachments) };
    } catch (error) {
      // The database will be back, and those before it will be printed: that is no fault of the mail.
      if (isStoreOutage(error) || isBusy(error)) throw error;
      this.logger.error({ err: error, tenant_id: tenantId, document_id: documentId, mail_id: mailId }, 'a mail could not be written');
      return { attempts, documentId, outcome: { outcome: 'put_off', reason: 'the attachments could not be made' } };
    }
  }

  private tracked(id: string, { recipient, language, facts, settings }: DocumentMail, attachments: readonly Attachment[]): TrackedMail {
    const { sender_name, reply_to: replyTo, subject, message } = settings;
    const letter = documentLetter(facts, { language, replyTo, subject, message });
    // The buyer's name belongs to the buyer's address only, and either may have been chosen by anybody.
    return { id, to: { name: '', address: recipient }, senderName: sender_name ?? oneLine(facts.issuer.name), replyTo, letter: { ...letter, attachments } };
  }

  private async attachments(tenantId: string, { documentId, facts }: DocumentMail): Promise<readonly Attachment[]> {
    const tenant = { tenantId };
    const xml = await this.queries.execute(new GetDocumentXml(tenant, documentId, 'authorized'));
    const ride = await this.queries.execute(new GetDocumentRide(tenant, documentId));
    return [
      { fileName: `${facts.accessKey}.xml`, type: 'application/xml', bytes: xml.bytes },
      { fileName: `${facts.accessKey}.pdf`, type: 'application/pdf', bytes: ride.bytes },
    ];
  }
}

/** Others are printed, or this process stops; where the machine lacks the room, the mail loses a try. */
const isBusy = (error: unknown): boolean =>
  error instanceof DomainError && error.code === 'SERVICE_UNAVAILABLE' && (error.detail as { reason?: string } | null)?.reason === 'printing_busy';
