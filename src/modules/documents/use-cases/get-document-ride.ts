import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { type Logger, LOGGER } from '../../../platform/observability/logger.js';
import { RidePrinter } from '../../../platform/printing/ride-printer.js';
import { DomainError } from '../../../shared/domain-error.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { DocumentContent, IssuerSnapshot } from '../../../sri/document-types/content.js';
import { preview } from '../../../sri/preflight.js';
import type { RideStatus } from '../../../sri/ride/marks.js';
import { type DocumentStatus, isValid } from '../domain/lifecycle.js';
import { snapshotOf } from '../persistence/issuing-context.js';
import { IssuingRepository } from '../persistence/issuing.repository.js';
import { ModifiedDocumentsRepository } from '../persistence/modified-documents.repository.js';

/**
 * The printed representation, from the stored content and the issuer as it was when the document was issued; of a draft, from the issuer
 * as it is. The logo is the issuer's present one either way.
 */
export class GetDocumentRide extends Query<{ bytes: Buffer; fileName: string }> {
  constructor(
    readonly tenant: Pick<TenantContext, 'tenantId'>,
    readonly documentId: string,
  ) {
    super();
  }
}

interface Row {
  status: DocumentStatus;
  /** FAILED_PERMANENT only: the SRI refused it and nothing was sent afterwards. */
  was_refused: boolean;
  was_sent: boolean;
  sequential: number | null;
  access_key: string | null;
  authorization_number: string | null;
  authorization_date: Date | null;
  content: DocumentContent;
  issuer_snapshot: IssuerSnapshot;
  issuer_id: string;
  establishment_id: string;
  emission_point_id: string;
  logo: Buffer | null;
}

@QueryHandler(GetDocumentRide)
export class GetDocumentRideHandler implements IQueryHandler<GetDocumentRide> {
  constructor(
    private readonly transaction: TenantTransaction,
    private readonly originals: ModifiedDocumentsRepository,
    private readonly issuing: IssuingRepository,
    private readonly printer: RidePrinter,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async execute({ tenant, documentId }: GetDocumentRide): Promise<{ bytes: Buffer; fileName: string }> {
    const [row] = await this.transaction.run(tenant.tenantId, (manager) =>
      manager.query<Row[]>(
        `select d.status, d.sequential, d.access_key, d.authorization_number, d.authorization_date, c.content, c.issuer_snapshot,
           i.id as issuer_id, d.establishment_id, d.emission_point_id, i.logo,
           d.first_sent_at is not null as was_sent,
           d.status = 'FAILED_PERMANENT' and coalesce((
             -- That a number is taken is a verdict once nothing was found under any key of the document; before, a suspicion.
             select h.trigger = 'refused' or h.trigger = 'sequential_taken' and h.to_status = 'MANUAL_REVIEW_REQUIRED' from document_history h
             where h.tenant_id = d.tenant_id and h.document_id = d.id and h.trigger in ('refused', 'sequential_taken', 'received', 'held_by_sri', 'no_evidence', 'mismatch')
             order by h.version desc limit 1
           ), false) as was_refused
         from documents d
         join document_contents c on c.tenant_id = d.tenant_id and c.document_id = d.id and c.revision = d.content_revision
         join issuers i on i.tenant_id = d.tenant_id and i.id = d.issuer_id
         where d.tenant_id = $1 and d.id = $2`,
        [tenant.tenantId, documentId],
      ),
    );
    if (!row) throw new DomainError('NOT_FOUND');
    const { sequential, access_key: accessKey, authorization_number: number, authorization_date: date } = row;
    const status = printedStatus(row);
    // A draft is stored as its caller wrote it; what was issued was completed then.
    const { content, issuer } = status === 'draft' ? await this.previewed(tenant.tenantId, row) : { content: row.content, issuer: row.issuer_snapshot };
    const { bytes, logoProblem } = await this.printer.print(
      tenant.tenantId,
      {
        content,
        issuer,
        numbering: sequential === null || accessKey === null ? null : { sequential, accessKey },
        authorization: number === null || date === null ? null : { number, date },
        status,
      },
      row.logo,
    );
    if (logoProblem !== null) {
      this.logger.warn({ tenant_id: tenant.tenantId, issuer_id: row.issuer_id, document_id: documentId, reason: logoProblem }, 'printed without the logo');
    }
    return { bytes, fileName: `${accessKey ?? `draft-${documentId}`}.pdf` };
  }

  /**
   * A draft as issuing would complete it. One of any size may be stored, but nobody waits behind the drawing of one that cannot be issued.
   * @throws DomainError FISCAL_RULE_VIOLATED for one that exceeds the SRI's size
   */
  private async previewed(tenantId: string, row: Row): Promise<{ content: DocumentContent; issuer: IssuerSnapshot }> {
    const issuer = await this.presentIssuer(tenantId, row);
    const { content, tooLarge } = preview(await this.originals.withOriginalNamed(tenantId, row.issuer_id, row.content), issuer);
    if (tooLarge !== null) throw new DomainError('FISCAL_RULE_VIOLATED', [tooLarge]);
    return { content, issuer };
  }

  private async presentIssuer(tenantId: string, { issuer_id: issuerId, establishment_id: establishmentId, emission_point_id: emissionPointId, issuer_snapshot: stored }: Row): Promise<IssuerSnapshot> {
    const { context } = await this.issuing.lookUp(tenantId, { issuerId, establishmentId, emissionPointId }, null);
    return context === null ? stored : snapshotOf(context, this.settings.PROVIDER_RUC ?? null, stored.environment === '2' ? 'PRODUCTION' : 'TEST');
  }
}

/** How much the paper may claim. */
function printedStatus({ status, was_refused: wasRefused, was_sent: wasSent }: Row): RideStatus {
  if (isValid(status)) return 'authorized';
  switch (status) {
    case 'DRAFT':
    case 'VALIDATED':
      return 'draft';
    case 'CANCELLED':
      return 'cancelled';
    case 'REJECTED':
      return 'rejected';
    case 'FAILED_PERMANENT':
      if (wasRefused) return 'rejected';
      return wasSent ? 'abandoned' : 'given_up';
    case 'NUMBER_RESERVED':
    case 'XML_GENERATED':
    case 'SIGNED':
    case 'RECEPTION_PENDING':
    case 'SUBMITTED_TO_SRI':
    case 'RECEIVED_BY_SRI':
    case 'AUTHORIZATION_PENDING':
    case 'RECEPTION_RETRY_SCHEDULED':
    case 'AUTHORIZATION_RETRY_SCHEDULED':
    case 'RECEPTION_UNKNOWN':
    case 'AUTHORIZATION_UNKNOWN':
    case 'MANUAL_REVIEW_REQUIRED':
      return 'pending';
  }
}
