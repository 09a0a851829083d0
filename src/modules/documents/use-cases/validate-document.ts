import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Language } from '../../../shared/language.js';
import { localizedFinding } from '../../../platform/http/localized-finding.js';
import { DomainError } from '../../../shared/domain-error.js';
import type { ErrorCode } from '../../../shared/error-catalogue.js';
import type { Finding } from '../../../shared/finding.js';
import { CLOCK, type Clock } from '../../../shared/ports.js';
import { refusalMessage } from '../../../shared/refusal-reasons.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { defineRules, finding } from '../../../sri/document-types/rules/rule.js';
import { isObject } from '../../../shared/is-object.js';
import { CatalogueLines } from '../content/catalogue-lines.js';
import { placeOf } from '../content/document-place.js';
import { toWire } from '../content/document-record.js';
import { draftContent } from '../content/draft-content.js';
import type { CreditHolder } from '../domain/credit-note.js';
import type { DocumentValidateDto } from '../documents.dto.js';
import type { DocumentValidation } from '../documents.responses.js';
import { IssuancePreflight } from '../issuing/issuance-preflight.js';
import { PausesRepository } from '../persistence/pauses.repository.js';

const RULES = defineRules({
  'pause.open': {
    severity: 'warning',
    es: 'El documento se aceptaría y esperaría: el SRI bloqueó al emisor, o parte de él, o dio sus números a otros. Resuelva la causa (con el código 45, ajuste el contador) y reanude la pausa que consta en `actual`, con POST /issuers/{issuer_id}/pauses/{pause_id}/resume',
    en: 'The document would be accepted, and wait: the SRI has blocked the issuer, or part of it, or gave its numbers to others. Settle the cause (with code 45 raise the counter) and resume the pause that `actual` names by POST /issuers/{issuer_id}/pauses/{pause_id}/resume',
    reference: 'Regla de este servicio: lo que está en pausa no se envía; solo consta en POST /documents/validate',
  },
});

/** Dry run: everything that issuing a new document checks, without effect; what was issued under a key before is not looked at. */
export class ValidateDocument extends Query<DocumentValidation> {
  constructor(
    readonly tenant: TenantContext,
    readonly body: DocumentValidateDto,
    readonly language: Language,
  ) {
    super();
  }
}

@QueryHandler(ValidateDocument)
export class ValidateDocumentHandler implements IQueryHandler<ValidateDocument> {
  constructor(
    private readonly preflight: IssuancePreflight,
    private readonly lines: CatalogueLines,
    private readonly pauses: PausesRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, body, language }: ValidateDocument): Promise<DocumentValidation> {
    const place = placeOf(body);
    const context = await this.preflight.contextOf(tenant.tenantId, place);
    const now = this.clock.now();
    const refusals: Finding[] = [];
    const collect = async <T>(check: () => T | Promise<T>, otherwise: T): Promise<T> => {
      try {
        return await check();
      } catch (error) {
        refusals.push(...asFindings(error));
        return otherwise;
      }
    };
    await collect(() => this.preflight.refuseClosedTenant(tenant), undefined);
    await collect(() => this.preflight.refuseUnusable(context, now), undefined);
    const issuer = this.preflight.snapshot(context, tenant);
    const requested = draftContent(await this.lines.complete(tenant, body), issuer);
    const complete = await collect(() => this.preflight.completedFromOwnDocuments(tenant, place, requested.content, now), null);
    const { content, findings } = this.preflight.assess(complete ?? { content: requested.judged, findings: [] }, issuer, now);
    if (complete !== null) await collect(() => this.preflight.refuseTooMuchCredit(tenant, place, content), undefined);
    await collect(() => this.preflight.refuseUsedUpNumbers(tenant, place, content.documentType), undefined);
    const paused = (await this.pauses.findOpen(tenant.tenantId, place, content.documentType)).map(({ id, scope, sri_code }) => finding(RULES['pause.open'], '', null, `${id} (${scope}, ${sri_code})`));
    // What an original that is refused would have filled in is no finding of its own.
    const told = new Set(Object.entries(body).flatMap(([field, value]) => (value === null || value === undefined ? [] : [`/${field}`])));
    const isOfRefused = ({ pointer, rule }: Finding): boolean => complete === null && rule.startsWith('modified_document.') && !told.has(pointer);
    const all = [...refusals, ...paused, ...findings.filter((finding) => !isOfRefused(finding))];
    return {
      valid: all.every((finding) => finding.severity !== 'error'),
      findings: all.map((finding) => localizedFinding(finding, language)),
      totals: {
        subtotal: content.subtotal,
        total_discount: content.totalDiscount,
        total_tax: content.totalTax,
        total: content.total,
        taxes: toWire(content.taxes) as Record<string, unknown>[],
      },
    };
  }
}

/** A refusal that issuing would answer with, as findings of the dry run. */
function asFindings(error: unknown): readonly Finding[] {
  if (!(error instanceof DomainError)) throw error;
  if (error.code === 'FISCAL_RULE_VIOLATED') return error.detail as readonly Finding[];
  const { code, detail } = error;
  const message = WITHOUT_DETAIL[code] ?? { es: refusalMessage(code, detail, 'es'), en: refusalMessage(code, detail, 'en') };
  const actual = detailText(detail, 'status') ?? detailText(detail, 'ruc') ?? heldBy(detail);
  return [{ pointer: pointerOf(detail), rule: `issuing.${code.toLowerCase()}`, message, expected: detailText(detail, 'available'), actual, reference: '', severity: 'error' }];
}

/** Texts of refusals that name `detail`, which a finding has not: what it tells is in other fields here. */
const WITHOUT_DETAIL: Partial<Record<ErrorCode, Finding['message']>> = {
  NOT_FOUND: { es: 'El recurso no existe. Verifique el identificador que señala pointer.', en: 'The resource does not exist. Check the identifier that pointer names.' },
  INVALID_STATE: {
    es: 'El estado del documento original, que consta en actual, no lo permite. Si está en trámite, espere a que se autorice; uno rechazado o anulado no se puede modificar.',
    en: 'The state of the original document, told in actual, does not allow it. If it is under way, wait until it is authorized; one that was refused or annulled cannot be modified.',
  },
  CREDIT_EXCEEDS_ORIGINAL: {
    es: 'Las notas de crédito superan el documento original. Reduzca el valor al saldo disponible, que consta en expected, o corrija o abandone las notas de actual que el SRI rechazó.',
    en: 'The credit notes exceed the original document. Lower the amount to the available balance, told in expected, or correct or abandon those notes in actual that the SRI refused.',
  },
};

/** Where in the body the refusal points, when its detail names a field. */
function pointerOf(detail: unknown): string {
  const field = detailText(detail, 'field');
  return field === null ? '' : `/${field}`;
}

/** The notes that hold the balance, with their states. */
function heldBy(detail: unknown): string | null {
  const notes = isObject(detail) ? (detail['held_by'] as readonly CreditHolder[] | undefined) : undefined;
  return notes === undefined || notes.length === 0 ? null : notes.map(({ number, status }) => `${number} ${status}`).join(', ');
}

function detailText(detail: unknown, name: 'field' | 'available' | 'status' | 'ruc'): string | null {
  const value = isObject(detail) ? detail[name] : undefined;
  return typeof value === 'string' ? value : null;
}
