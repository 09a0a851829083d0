import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { DomainError } from '../../../shared/domain-error.js';
import type { Finding } from '../../../shared/finding.js';
import { guayaquilDay } from '../../../shared/guayaquil.js';
import { roleOf, type TenantContext } from '../../../shared/tenant-context.js';
import type { DocumentContent, IssuerSnapshot } from '../../../sri/document-types/content.js';
import { defineRules, finding } from '../../../sri/document-types/rules/rule.js';
import { preflight } from '../../../sri/preflight.js';
import { checkRuc } from '../../../sri/taxpayer-id.js';
import { refuseUncreditable, tooOld, uncharged } from '../domain/credit-note.js';
import type { Assessed, Completed, Place } from '../domain/issuance.js';
import { creditedInFull, misnamed, namedInFull, notIssued, otherBuyer, restsOnStanding, supportAuthorization } from '../domain/modified-document.js';
import { refuseUnfit, refuseUnfitSettlements } from '../domain/own-original.js';
import { idsOfPerson } from '../domain/person.js';
import { firstDayOf, type RequestedSupport, supportsOf, withheldBefore } from '../domain/withheld-before.js';
import { type IssuingContextRow, snapshotOf } from '../persistence/issuing-context.js';
import { tenantClosed, unknownId } from '../persistence/issuing-refusal.js';
import { IssuingRepository } from '../persistence/issuing.repository.js';
import { ModifiedDocumentsRepository } from '../persistence/modified-documents.repository.js';
import type { Replay } from '../persistence/same-request.js';
import { WithholdingsRepository } from '../persistence/withholdings.repository.js';

const RULES = defineRules({
  'place.inactive': {
    es: 'El establecimiento o punto de emisión está inactivo',
    en: 'The establishment or emission point is inactive',
    reference: 'Ficha técnica 2.32, sección 4',
  },
});

/** The checks that every way of issuing shares: place, replay, issuer and certificate, original, and the rules. */
@Injectable()
export class IssuancePreflight {
  constructor(
    private readonly issuing: IssuingRepository,
    private readonly originals: ModifiedDocumentsRepository,
    private readonly withholdings: WithholdingsRepository,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Issuer, establishment and point of a place. @throws DomainError NOT_FOUND naming the first id that is unknown */
  async contextOf(tenantId: string, place: Place): Promise<IssuingContextRow> {
    const { context } = await this.issuing.lookUp(tenantId, place, null);
    return this.requireKnown(tenantId, place, context);
  }

  /**
   * The context of a place; where a request under this idempotency key was answered before, also what it asked for and its answer.
   * @throws DomainError NOT_FOUND as `contextOf`
   */
  async lookUp(tenantId: string, place: Place, key: string | null): Promise<{ context: IssuingContextRow; replay: null } | { context: IssuingContextRow | null; replay: Replay }> {
    const { context, replay } = await this.issuing.lookUp(tenantId, place, key);
    return replay === null ? { context: await this.requireKnown(tenantId, place, context), replay } : { context, replay };
  }

  private async requireKnown(tenantId: string, place: Place, context: IssuingContextRow | null): Promise<IssuingContextRow> {
    if (context === null) throw unknownId(await this.issuing.unknownIdOf(tenantId, place));
    return context;
  }

  /**
   * Everything that must hold before a number is taken, in the order in which it is reported.
   * @returns the document as it is stored; no finding is an error
   * @throws DomainError for the first thing that does not hold
   */
  async requireIssuable(tenant: TenantContext, place: Place, context: IssuingContextRow, requested: DocumentContent, now: Date): Promise<Assessed> {
    this.refuseUnusable(context, now);
    const complete = await this.completedFromOwnDocuments(tenant, place, requested, now);
    const assessed = this.assess(complete, this.snapshot(context, tenant), now);
    refuseErrors(assessed.findings);
    return assessed;
  }

  /** @throws DomainError when issuer, place or certificate cannot issue now */
  refuseUnusable(context: IssuingContextRow, now: Date): void {
    if (!context.issuer_active) throw new DomainError('ISSUER_DISABLED');
    if (!checkRuc(context.ruc, { strict: this.settings.STRICT_RUC_CHECK }).valid) throw new DomainError('INVALID_RUC', { ruc: context.ruc });
    if (!context.establishment_active) throw new DomainError('FISCAL_RULE_VIOLATED', [finding(RULES['place.inactive'], '/establishment_id', 'active', 'inactive')]);
    if (!context.point_active) throw new DomainError('FISCAL_RULE_VIOLATED', [finding(RULES['place.inactive'], '/emission_point_id', 'active', 'inactive')]);
    if (context.certificate_id === null || context.certificate_valid_to === null) throw new DomainError('CERTIFICATE_NOT_FOUND');
    const validTo = new Date(context.certificate_valid_to);
    if (validTo <= now) throw new DomainError('CERTIFICATE_EXPIRED', { certificate_id: context.certificate_id, valid_to: validTo });
  }

  snapshot(context: IssuingContextRow, tenant: TenantContext): IssuerSnapshot {
    return snapshotOf(context, this.settings.PROVIDER_RUC ?? null, tenant.environment);
  }

  /** Runs every rule, the XML and our schema over the content; refuses nothing. */
  assess({ content, findings: ofOthers }: Completed, issuer: IssuerSnapshot, now: Date): Assessed {
    const context = { today: guayaquilDay(now), maxIssueDateAgeDays: this.settings.MAX_ISSUE_DATE_AGE_DAYS };
    const { content: completed, findings } = preflight(content, issuer, context);
    return { content: completed, issuer, findings: ofOthers.length === 0 ? findings : [...ofOthers, ...findings] };
  }

  /**
   * Fills in the modified document's id, type, number and date, as far as it is one of the issuer's own, and refuses a
   * note that names it wrongly or that its original does not admit. The findings are warnings about the two, and about a
   * withholding and earlier ones.
   * @throws DomainError NOT_FOUND, INVALID_STATE or FISCAL_RULE_VIOLATED
   */
  async completedFromOwnDocuments(tenant: TenantContext, place: Place, requested: DocumentContent, now: Date): Promise<Completed> {
    const { content, findings } = await this.withModifiedDocument(tenant, place, requested, now);
    const supports = supportsOf(content);
    await this.refuseUnfitSettlements(tenant, place, supports);
    if (supports.length === 0 || content.buyerId === null) return { content, findings };
    const earlier = await this.withholdings.findBySupports(tenant, place.issuerId, idsOfPerson(content.buyerId), supports, firstDayOf(supports, guayaquilDay(now)));
    return { content, findings: [...findings, ...withheldBefore(supports, earlier)] };
  }

  private async refuseUnfitSettlements(tenant: TenantContext, place: Place, supports: readonly RequestedSupport[]): Promise<void> {
    const settlements = supports.filter(({ type }) => type === '03');
    refuseUnfitSettlements(settlements, await this.originals.settlementsNumbered(tenant, place.issuerId, settlements.map(({ number }) => number)));
  }

  private async withModifiedDocument(tenant: TenantContext, place: Place, content: DocumentContent, now: Date): Promise<Completed> {
    const original = await this.originals.find(tenant, place, content);
    const isCredit = content.documentType === '04';
    const limit = (): [today: string, maxMonths: number] => [guayaquilDay(now), this.settings.CREDIT_NOTE_MAX_AGE_MONTHS];
    // Issued elsewhere: all that is known of it is what the note says.
    if (original === null) {
      const unissued = notIssued(content, await this.originals.lastIssuedBefore(tenant, place.issuerId, content));
      return { content, findings: isCredit ? [...tooOld(content.modifiedDocumentIssueDate, ...limit(), '/modified_document_issue_date'), ...unissued] : unissued };
    }
    const field = content.modifiedDocumentId === null ? 'modified_document_number' : 'modified_document_id';
    if (isCredit) refuseUncreditable(original, ...limit(), field);
    else if (restsOnStanding(content)) refuseUnfit(content.documentType, original, field);
    refuseErrors(misnamed(content, original));
    const named = namedInFull(content, original);
    const authorization = supportAuthorization(content, original);
    return { content: authorization === null ? named : { ...named, modifiedDocumentAuthorization: authorization }, findings: [...creditedInFull(content, original, field), ...otherBuyer(content, original), ...(isCredit ? uncharged(content, original) : [])] };
  }

  /**
   * Checks now, without locks, one thing that issuing checks last under locks: the amount that an original has left to credit.
   * @throws DomainError CREDIT_EXCEEDS_ORIGINAL
   */
  async refuseTooMuchCredit({ tenantId }: TenantContext, { emissionPointId }: Place, note: DocumentContent): Promise<void> {
    const { documentType, modifiedDocumentId } = note;
    if (documentType !== '04' || modifiedDocumentId === null) return;
    const refusal = await this.issuing.creditRefusal(tenantId, emissionPointId, modifiedDocumentId, note);
    if (refusal !== null) throw refusal;
  }

  /** For administrators of the platform, who alone come into a closed tenant. @throws DomainError FORBIDDEN while it is closed */
  async refuseClosedTenant({ tenantId, principal }: TenantContext): Promise<void> {
    if (roleOf(principal) === 'platform_admin' && (await this.issuing.isTenantClosed(tenantId))) throw tenantClosed();
  }

  /** Whether the counter has a number left, as it stands now. @throws DomainError SEQUENCE_EXHAUSTED */
  async refuseUsedUpNumbers(tenant: TenantContext, { emissionPointId }: Place, documentType: string): Promise<void> {
    if (await this.issuing.isSequenceUsedUp(tenant, emissionPointId, documentType)) throw new DomainError('SEQUENCE_EXHAUSTED', { field: 'emission_point_id' });
  }
}

/** @throws DomainError with every finding when one of them is an error */
export function refuseErrors(findings: readonly Finding[]): void {
  if (findings.some((finding) => finding.severity === 'error')) throw new DomainError('FISCAL_RULE_VIOLATED', findings);
}
