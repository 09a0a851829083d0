import { isDeepStrictEqual } from 'node:util';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { validateAs } from '../../../platform/http/validation.pipe.js';
import { CLOCK, type Clock } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { isObject } from '../../../shared/is-object.js';
import { areTotalsComputed, hasComputableTotals } from '../../../sri/document-types/computed-totals.js';
import type { DocumentContent, IssuerSnapshot } from '../../../sri/document-types/content.js';
import { documentType } from '../../../sri/document-types/registry.js';
import { CatalogueLines, type DayGiven } from '../content/catalogue-lines.js';
import { placeOf } from '../content/document-place.js';
import { toWire } from '../content/document-record.js';
import { draftContent } from '../content/draft-content.js';
import { COMPUTABLE, StoredDraftDto } from '../documents.dto.js';
import { retryOnConcurrentChange } from '../domain/concurrent-change.js';
import type { Place } from '../domain/issuance.js';
import { IssuancePreflight } from '../issuing/issuance-preflight.js';
import { IssuingRepository } from '../persistence/issuing.repository.js';
import { type StoredDocument, StoredDocumentsRepository } from '../persistence/stored-documents.repository.js';

/**
 * Changes the fields of a draft that the body names. Totals that the service had computed are computed anew, whatever changes, unless
 * the body gives them; those that the caller had given only for new lines or withholdings. Taxes that lines have from the catalogue
 * follow the day whose rates the draft uses.
 */
export class UpdateDraft extends Command<void> {
  constructor(
    readonly tenant: TenantContext,
    readonly documentId: string,
    readonly patch: unknown,
  ) {
    super();
  }
}

const TOTALS_OF_LINES = [...COMPUTABLE, 'total_discount'];

@CommandHandler(UpdateDraft)
export class UpdateDraftHandler implements ICommandHandler<UpdateDraft> {
  constructor(
    private readonly documents: StoredDocumentsRepository,
    private readonly preflight: IssuancePreflight,
    private readonly issuing: IssuingRepository,
    private readonly lines: CatalogueLines,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute(command: UpdateDraft): Promise<void> {
    return retryOnConcurrentChange(() => this.attempt(command));
  }

  private async attempt({ tenant, documentId, patch }: UpdateDraft): Promise<void> {
    const stored = await this.documents.find(tenant, documentId, 'edit');
    const issuerOf = async (place: Place): Promise<IssuerSnapshot> => this.preflight.snapshot(await this.preflight.contextOf(tenant.tenantId, place), tenant);
    const before = await issuerOf(stored.place);
    const body = merged(stored, patch, before);
    const place = placeOf(body);
    const issuer = isDeepStrictEqual(place, stored.place) ? before : await issuerOf(place);
    const { content, judged } = draftContent(await this.lines.complete(tenant, body, formerOf(stored, patch)), issuer);
    const now = this.clock.now();
    const { findings } = this.preflight.assess({ content: judged, findings: [] }, issuer, now);
    await this.issuing.updateDraft(tenant, stored, place, { content, issuer, findings }, now);
  }
}

/** The stored draft as a body, overlaid with the patch and validated as a whole. */
function merged({ place, content }: StoredDocument, patch: unknown, issuer: IssuerSnapshot): StoredDraftDto {
  const overlay = isObject(patch) ? patch : {};
  const wire = toWire(content) as Record<string, unknown>;
  // Lines without a tax in force have no groups: that list is empty, not left out.
  const body = { ...(withoutNulls(wire) as Record<string, unknown>), taxes: wire['taxes'] };
  const hasNewLines = 'lines' in overlay;
  const isOutdated = isObject(overlay['withholding']) || (areComputable(content, overlay) && (hasNewLines || areTotalsComputed(content, issuer)));
  const recompute = isOutdated && !COMPUTABLE.some((field) => field in overlay);
  if (recompute) for (const field of hasNewLines ? TOTALS_OF_LINES : COMPUTABLE) Reflect.deleteProperty(body, field);
  const ids = { issuer_id: place.issuerId, establishment_id: place.establishmentId, emission_point_id: place.emissionPointId };
  return validateAs(StoredDraftDto, isObject(patch) ? { ...body, ...ids, ...overlay } : patch, 'body');
}

/** What its lines were taken for: the draft as it is stored, unless the patch brings others. */
function formerOf({ place, content }: StoredDocument, patch: unknown): DayGiven | undefined {
  if (isObject(patch) && 'lines' in patch) return undefined;
  const { documentType, issueDate, modifiedDocumentId, modifiedDocumentIssueDate } = content;
  return { issuer_id: place.issuerId, document_type: documentType, issue_date: issueDate, modified_document_id: modifiedDocumentId, modified_document_issue_date: modifiedDocumentIssueDate };
}

/** Whether totals can be computed from the content as it was and, where the patch makes it another type of document or a short withholding, as it will be. */
function areComputable(content: DocumentContent, overlay: Readonly<Record<string, unknown>>): boolean {
  const { document_type: next, withholding } = overlay;
  const type = typeof next === 'string' ? documentType(next) : undefined;
  const changed = { ...content, documentType: type?.code ?? content.documentType, withholding: withholding === null ? null : content.withholding };
  return hasComputableTotals(content) && hasComputableTotals(changed);
}

/** Stored content says null where a body says nothing. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const present = Object.entries(value).filter(([, inner]) => inner !== null && !(Array.isArray(inner) && inner.length === 0));
  return Object.fromEntries(present.map(([name, inner]) => [name, withoutNulls(inner)]));
}
