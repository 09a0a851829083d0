import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { DomainError } from '../../../shared/domain-error.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { DocumentContent } from '../../../sri/document-types/document.js';
import type { DocumentRecord } from '../documents.responses.js';
import { documentError, RECORD_COLUMNS, toWire } from './document-record.js';

/** One document with all that a poller wants to know. */
export class GetDocument extends Query<DocumentRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly documentId: string,
  ) {
    super();
  }
}

/** Parts of the fiscal content that the record shows as they were sent. */
const SHOWN = [
  'payments', 'lines', 'taxes', 'numericCode', 'additionalInfo', 'tip', 'deliveryGuideNumber', 'vehiclePlate', 'foreignTrade', 'reimbursements',
  'thirdPartyCharges', 'substituteGuide', 'transport', 'withholding',
] as const satisfies readonly (keyof DocumentContent)[];

type Shown = Pick<
  DocumentRecord,
  | 'payments' | 'lines' | 'taxes' | 'numeric_code' | 'additional_info' | 'tip' | 'delivery_guide_number' | 'vehicle_plate' | 'foreign_trade'
  | 'reimbursements' | 'third_party_charges' | 'substitute_guide' | 'transport' | 'withholding'
>;

type Row = Omit<DocumentRecord, keyof Shown | 'error'> & {
  content: DocumentContent;
  error_code: string | null;
  error_detail: unknown;
};

@QueryHandler(GetDocument)
export class GetDocumentHandler implements IQueryHandler<GetDocument> {
  constructor(private readonly transaction: TenantTransaction) {}

  async execute({ tenant, documentId }: GetDocument): Promise<DocumentRecord> {
    const [row] = await this.transaction.run(tenant.tenantId, (manager) =>
      manager.query<Row[]>(
        `select ${RECORD_COLUMNS}, d.sri_messages, d.warnings, d.error_code, d.error_detail, d.next_attempt_at, d.cancellation, c.content
         from documents d
         join document_contents c on c.tenant_id = d.tenant_id and c.document_id = d.id and c.revision = d.content_revision
         where d.tenant_id = $1 and d.id = $2`,
        [tenant.tenantId, documentId],
      ),
    );
    if (!row) throw new DomainError('NOT_FOUND');
    const { content, error_code, error_detail, ...record } = row;
    return {
      ...record,
      ...(toWire(Object.fromEntries(SHOWN.map((name) => [name, content[name]]))) as Shown),
      error: documentError(error_code, error_detail),
      cancellation: toWire(row.cancellation) as DocumentRecord['cancellation'],
    };
  }
}
