import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../../platform/audit/audit-trail.js';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { DomainError } from '../../../shared/domain-error.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { DocumentStatus } from '../../documents/public.js';
import type { Language } from '../../../shared/language.js';
import { tooManyMails } from '../domain/mail-bounds.js';
import type { MailRecord } from '../notifications.responses.js';

const COLUMNS = 'id, tenant_id, document_id, cause, recipient, language, status, attempts, failure, requested_by, created_at, sent_at, updated_at';

/** A document as somebody wants it mailed. */
export interface MailableDocument {
  readonly status: DocumentStatus;
  readonly buyer_email: string | null;
  /** Language of the tenant's mails. */
  readonly language: Language;
  /** When the oldest of the last `perHour` requested mails was; null while there were fewer. */
  readonly crowded_since: Date | null;
}

export interface RequestedMail {
  readonly id: string;
  readonly documentId: string;
  readonly recipient: string;
  /** Normal form of a recipient's address that is not the buyer's; null where it is. */
  readonly stranger: string | null;
  readonly language: Language;
}

/** How many mails may be asked for. */
export interface MailBounds {
  /** Of one document. */
  readonly perHour: number;
  /** Of a tenant, to one address that is not the buyer's of what is mailed. */
  readonly toStrangerPerDay: number;
}

/** Mails of documents as callers see and ask for them. */
@Injectable()
export class MailsRepository {
  constructor(
    private readonly database: TenantTransaction,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Queues a mail that somebody asked for. Requests for the same document wait for each other, so that its limit holds;
   * so do those of a tenant to one address.
   * @param decide looks at the document and says what is mailed; what it throws queues nothing
   * @throws DomainError NOT_FOUND; RATE_LIMITED where the tenant has mailed too much to a stranger
   */
  async request(tenant: TenantContext, documentId: string, { perHour, toStrangerPerDay }: MailBounds, now: Date, decide: (document: MailableDocument) => RequestedMail): Promise<MailRecord> {
    const { tenantId } = tenant;
    return this.database.run(tenantId, async (manager) => {
      await manager.query('select from documents where tenant_id = $1 and id = $2 for no key update', [tenantId, documentId]);
      // A statement of its own: it sees what whoever held the row before has left.
      const [document] = await manager.query<MailableDocument[]>(
        `select d.status, d.buyer_email, coalesce(s.language, 'es') as language,
           (select m.created_at from mails m where m.tenant_id = $1 and m.document_id = $2 and m.cause = 'requested'
            order by m.created_at desc offset $3::integer - 1 limit 1) as crowded_since
         from documents d left join mail_settings s on s.tenant_id = d.tenant_id
         where d.tenant_id = $1 and d.id = $2`,
        [tenantId, documentId, perHour],
      );
      if (document === undefined) throw new DomainError('NOT_FOUND');
      const mail = decide(document);
      if (mail.stranger !== null) {
        const [noted] = await manager.query<{ wait: number | null }[]>('select note_mail_to_stranger($1, $2, $3, $4) as wait', [tenantId, mail.id, mail.stranger, toStrangerPerDay]);
        if (typeof noted?.wait === 'number') throw tooManyMails('mail_recipient', toStrangerPerDay, noted.wait);
      }
      const [row] = await manager.query<MailRecord[]>(
        `insert into mails (tenant_id, id, cause, document_id, recipient, language, requested_by, created_at, updated_at)
         values ($1, $2, 'requested', $3, $4, $5, $6, $7, $7) returning ${COLUMNS}`,
        [tenantId, mail.id, mail.documentId, mail.recipient, mail.language, tenant.principal.id, now],
      );
      if (row === undefined) throw new Error('an insert returned no row');
      await manager.query(`insert into mail_outbox (tenant_id, id, kind, due_at) values ($1, $2, 'mail', least($3, clock_timestamp()))`, [tenantId, mail.id, now]);
      const detail = { mail_id: mail.id, recipient: mail.recipient, language: mail.language };
      await this.audit.record(manager, tenant, { action: 'document.email_requested', target: { kind: 'document', id: documentId }, detail }, now);
      return row;
    });
  }

  /**
   * The mails of a document, newest first.
   * @throws DomainError NOT_FOUND
   */
  async list(tenantId: string, documentId: string, limit: number, offset: number): Promise<{ rows: MailRecord[]; total: number }> {
    return this.database.run(tenantId, async (manager) => {
      const [counted] = await manager.query<{ total: number }[]>(
        `select (select count(*)::int from mails m where m.tenant_id = d.tenant_id and m.document_id = d.id) as total
         from documents d where d.tenant_id = $1 and d.id = $2`,
        [tenantId, documentId],
      );
      if (counted === undefined) throw new DomainError('NOT_FOUND');
      const rows = await manager.query<MailRecord[]>(
        `select ${COLUMNS} from mails where tenant_id = $1 and document_id = $2 order by created_at desc, id limit $3 offset $4`,
        [tenantId, documentId, limit, offset],
      );
      return { rows, total: counted.total };
    });
  }
}
