import { gunzipSync } from 'node:zlib';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { DomainError } from '../../../shared/domain-error.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { type DocumentStatus, LIFECYCLE } from '../domain/lifecycle.js';

export const XML_KINDS = ['signed', 'authorized'] as const;
export type XmlKind = (typeof XML_KINDS)[number];

export interface DocumentXml {
  readonly bytes: Buffer;
  /** Named after the access key that the bytes carry; both kinds lie beside each other in one folder. */
  readonly fileName: string;
}

/** The signed XML exactly as sent, or the authorization that goes to the receiver. */
export class GetDocumentXml extends Query<DocumentXml> {
  constructor(
    readonly tenant: Pick<TenantContext, 'tenantId'>,
    readonly documentId: string,
    readonly kind: XmlKind,
  ) {
    super();
  }
}

/** State and XML from one moment: what is not there yet may be there in the next. */
const SOURCE: Readonly<Record<XmlKind, string>> = {
  signed: `select d.status, s.signed_xml as xml, s.access_key as "accessKey" from documents d
     left join signed_documents s on s.tenant_id = d.tenant_id and s.document_id = d.id and s.signing_no = d.signing_no
     where d.tenant_id = $1 and d.id = $2`,
  authorized: `select d.status, a.authorization_xml as xml, d.access_key as "accessKey" from documents d
     left join document_authorizations a on a.tenant_id = d.tenant_id and a.document_id = d.id
     where d.tenant_id = $1 and d.id = $2 order by a.received_at desc limit 1`,
};

interface Found {
  readonly status: DocumentStatus;
  readonly xml: Buffer | null;
  readonly accessKey: string;
}

@QueryHandler(GetDocumentXml)
export class GetDocumentXmlHandler implements IQueryHandler<GetDocumentXml> {
  constructor(private readonly transaction: TenantTransaction) {}

  async execute({ tenant, documentId, kind }: GetDocumentXml): Promise<DocumentXml> {
    const [row] = await this.transaction.run(tenant.tenantId, (manager) => manager.query<Found[]>(SOURCE[kind], [tenant.tenantId, documentId]));
    if (!row) throw new DomainError('NOT_FOUND');
    if (row.xml === null) throw new DomainError('NOT_FOUND', absence(kind, row.status));
    return { bytes: gunzipSync(row.xml), fileName: `${row.accessKey}${kind === 'signed' ? '-signed' : ''}.xml` };
  }
}

/** Tells whoever has the right identifier that the document is there, and whether its XML is still to come. */
const absence = (kind: XmlKind, status: DocumentStatus) => ({ reason: LIFECYCLE[status].final ? 'none' : 'not_yet', kind, status });
