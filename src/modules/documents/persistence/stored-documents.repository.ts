import { Injectable } from '@nestjs/common';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { found } from '../../../shared/found.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { SriMessage } from '../../../sri/soap/message.js';
import type { DocumentContent } from '../../../sri/document-types/content.js';
import { requireAction } from '../domain/actions.js';
import type { Place } from '../domain/issuance.js';
import type { Action, DocumentStatus } from '../domain/lifecycle.js';
import type { OutdatedReference } from '../domain/outdated-reference.js';
import { AT_ITS_PLACE, PRINTED_NUMBER } from './printed-number.js';
import { fromWireMessage, type WireMessage } from './wire-message.js';

/** A document as the caller's actions on it need to see it. */
export interface StoredDocument {
  readonly id: string;
  readonly status: DocumentStatus;
  readonly errorCode: string | null;
  readonly sriMessages: readonly SriMessage[];
  readonly version: number;
  readonly accessKey: string | null;
  readonly place: Place;
  readonly content: DocumentContent;
}

/** References to one document that are looked at, so that correcting it does not slow down for one with very many. */
const REFERENCES_LOOKED_AT = 1_000;

/** A withholding in its full form takes nothing from the document that it names by id: its supporting documents say the day. */
const OUTDATED_REFERENCES = `
  select d.id, d.document_type as "documentType", ${PRINTED_NUMBER} as number
  from (select * from documents where tenant_id = $1 and modified_document_id = $2 limit ${REFERENCES_LOOKED_AT}) d
  ${AT_ITS_PLACE}
  join document_contents c on c.tenant_id = d.tenant_id and c.document_id = d.id and c.revision = d.content_revision
  where not came_to_nothing(d.status, d.error_code, d.error_detail) and exists (
    select from (
      select c.content ->> 'modifiedDocumentIssueDate' where c.content #> '{withholding,supportingDocuments}' is null
      union all
      select s ->> 'issueDate' from jsonb_path_query(c.content, '$.withholding.supportingDocuments[*]') s
      where s ->> 'number' = (select ${PRINTED_NUMBER} from documents d ${AT_ITS_PLACE} where d.tenant_id = $1 and d.id = $2)
    ) named (day)
    where named.day <> $3
  )
  order by d.created_at, d.id`;

/** Finds the document an action is about, and refuses actions that its state does not allow. */
@Injectable()
export class StoredDocumentsRepository {
  constructor(private readonly transaction: TenantTransaction) {}

  /** @throws DomainError NOT_FOUND, or INVALID_STATE naming the state and what it allows */
  async find(tenant: TenantContext, documentId: string, action: Action): Promise<StoredDocument> {
    const document = await this.load(tenant, documentId);
    requireAction(document, action);
    return document;
  }

  /** @throws DomainError NOT_FOUND */
  async load(tenant: TenantContext, documentId: string): Promise<StoredDocument> {
    const [row] = await this.transaction.run(tenant.tenantId, (manager) =>
      manager.query<(Omit<StoredDocument, 'place' | 'sriMessages'> & Place & { sriMessages: WireMessage[] })[]>(
        `select d.id, d.status, d.version, d.error_code as "errorCode", d.sri_messages as "sriMessages", d.access_key as "accessKey", d.issuer_id as "issuerId",
           d.establishment_id as "establishmentId", d.emission_point_id as "emissionPointId", c.content
         from documents d
         join document_contents c on c.tenant_id = d.tenant_id and c.document_id = d.id and c.revision = d.content_revision
         where d.tenant_id = $1 and d.id = $2`,
        [tenant.tenantId, documentId],
      ),
    );
    const { issuerId, establishmentId, emissionPointId, sriMessages, ...document } = found(row);
    return { ...document, sriMessages: sriMessages.map(fromWireMessage), place: { issuerId, establishmentId, emissionPointId } };
  }

  /** Whether it was not deleted, of a document that there was. */
  async exists({ tenantId }: TenantContext, documentId: string): Promise<boolean> {
    const rows = await this.transaction.run(tenantId, (manager) => manager.query<unknown[]>('select 1 from documents where tenant_id = $1 and id = $2', [tenantId, documentId]));
    return rows.length > 0;
  }

  /** Whether the SRI refused it at authorization, where a refusal stays registered under the access key. */
  async wasRefusedAtAuthorization({ tenantId }: TenantContext, documentId: string): Promise<boolean> {
    const [row] = await this.transaction.run(tenantId, (manager) =>
      manager.query<{ was_refused: boolean }[]>('select was_refused_at_authorization($1, $2) as was_refused', [tenantId, documentId]),
    );
    return row?.was_refused === true;
  }

  /**
   * The documents that name this one by its id but under another day, the oldest first: drafts and what came to nothing are not
   * among them. One that is issued at the same moment may be missing.
   * @param issueDate `YYYY-MM-DD`
   */
  outdatedReferences({ tenantId }: TenantContext, documentId: string, issueDate: string): Promise<OutdatedReference[]> {
    return this.transaction.run(tenantId, (manager) => manager.query<OutdatedReference[]>(OUTDATED_REFERENCES, [tenantId, documentId, issueDate]));
  }
}
