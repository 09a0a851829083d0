import { Injectable } from '@nestjs/common';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { found } from '../../../shared/found.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { SriMessage } from '../../../sri/soap/message.js';
import type { DocumentContent } from '../../../sri/document-types/content.js';
import { requireAction } from '../domain/actions.js';
import type { Place } from '../domain/issuance.js';
import type { Action, DocumentStatus } from '../domain/lifecycle.js';
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
}
