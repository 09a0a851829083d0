import { Injectable } from '@nestjs/common';
import { Prepared, TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { printedNumberOf } from '../../../sri/access-key.js';
import type { DocumentContent, IssuerSnapshot } from '../../../sri/document-types/content.js';
import { FINAL_CONSUMER } from '../../../sri/tables/documents.js';
import type { DocumentStatus } from '../../documents/public.js';
import type { DocumentFacts } from '../domain/document-letter.js';
import type { Language } from '../../../shared/language.js';
import { DEFAULT_MAIL_SETTINGS, type MailSettings } from './mail-settings.repository.js';

/** A queued mail with all that is needed to write it. */
export interface DocumentMail {
  readonly documentId: string;
  readonly status: DocumentStatus;
  readonly recipient: string;
  readonly language: Language;
  readonly attempts: number;
  readonly facts: DocumentFacts;
  readonly settings: MailSettings;
}

const MAIL_OF_DOCUMENT = new Prepared('mail-of-document', 'select * from mail_of_document($1, $2)');

interface Row {
  document_id: string;
  document_status: DocumentStatus;
  recipient: string;
  language: Language;
  attempts: number;
  sequential: number;
  access_key: string;
  authorization_date: Date | null;
  content: DocumentContent;
  issuer: IssuerSnapshot;
  settings: MailSettings | null;
}

/** Reads what a mail says about its document, as it was issued. */
@Injectable()
export class DocumentFactsRepository {
  constructor(private readonly transaction: TenantTransaction) {}

  /** Null when there is no such mail, or it is about no document. */
  async find(tenantId: string, mailId: string): Promise<DocumentMail | null> {
    const [row] = await this.transaction.call<Row>(tenantId, MAIL_OF_DOCUMENT, [mailId]);
    if (row === undefined) return null;
    const { document_id: documentId, document_status: status, recipient, language, attempts } = row;
    return { documentId, status, recipient, language, attempts, facts: factsOf(row), settings: row.settings ?? DEFAULT_MAIL_SETTINGS };
  }
}

function factsOf({ content, issuer, sequential, access_key: accessKey, authorization_date: authorizationDate }: Row): DocumentFacts {
  const { modifiedDocumentType, modifiedDocumentNumber, transport } = content;
  const isNote = content.documentType === '04' || content.documentType === '05';
  return {
    documentType: content.documentType,
    number: printedNumberOf({ establishment: issuer.establishmentCode, emissionPoint: issuer.emissionPointCode, sequential }),
    issueDate: content.issueDate,
    total: content.total,
    accessKey,
    authorizationDate,
    // Nobody is called so: it stands for a buyer without a name.
    buyerName: content.buyerIdType === FINAL_CONSUMER.idType ? null : content.buyerName,
    issuer: { name: issuer.tradeName ?? issuer.legalName, legalName: issuer.legalName, ruc: issuer.ruc },
    modified: isNote && modifiedDocumentType !== null && modifiedDocumentNumber !== null ? { documentType: modifiedDocumentType, number: modifiedDocumentNumber } : null,
    trip: transport === null ? null : { startDate: transport.startDate, endDate: transport.endDate, plate: transport.plate },
    isTest: issuer.environment === '1',
  };
}
