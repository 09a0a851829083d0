import { Injectable } from '@nestjs/common';
import { echo, type FieldFinding, ValidationFailure } from '../../../platform/http/validation-failure.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { ratesDay } from '../../../sri/document-types/tax-rates.js';
import { ProductLookup } from '../../catalogue/public.js';
import type { DocumentDraftDto } from '../documents.dto.js';
import type { DocumentLineDto, DraftLineDto } from '../documents.line.dto.js';
import { lineBounds, withProduct, withSpreadIva, withTaxesOfDay } from '../domain/catalogue-line.js';
import type { OriginalIdentity } from '../domain/modified-document.js';
import { ModifiedDocumentsRepository } from '../persistence/modified-documents.repository.js';

/** A draft's body whose lines have every field that a document's lines must have. */
export type CompleteDraft = Omit<DocumentDraftDto, 'lines'> & {
  readonly lines: DocumentLineDto[];
  /** The document that it names by id, as that one is now. */
  readonly original: OriginalIdentity | null;
};

/** Completes the lines of drafts from the catalogue of products. */
@Injectable()
export class CatalogueLines {
  constructor(
    private readonly products: ProductLookup,
    private readonly originals: ModifiedDocumentsRepository,
  ) {}

  /**
   * Fills in, from the active product that a line's `main_code` names, what the line leaves open. Lines that leave
   * nothing open take nothing, except that those of a stored draft that moves to another day follow with the taxes that the catalogue gave
   * them. An original that a note names by id alone is looked up before anything is computed: rates are those of its day.
   * @param former the stored draft of which the lines are, where the body is a change of it that brings none
   * @throws ValidationFailure naming what is open still
   */
  async complete({ tenantId }: TenantContext, draft: DocumentDraftDto, former?: DayGiven): Promise<CompleteDraft> {
    const body = withLineDefaults(draft);
    const original = await this.originalOf(tenantId, draft.issuer_id, draft.modified_document_id);
    const asOf = dayOf(body, original);
    const from = former === undefined ? asOf : dayOf(former, await this.originalOf(tenantId, former.issuer_id, former.modified_document_id));
    const codes = body.lines.flatMap((line) => (from !== asOf || missingIn(line).length > 0 ? (line.main_code ?? []) : []));
    const products = await this.products.active(tenantId, [...new Set(codes)]);
    const bounds = lineBounds(body.document_type);
    const findings: FieldFinding[] = [];
    const lines = body.lines.map((line, index) => {
      const missing = missingIn(line);
      const product = products.get(line.main_code ?? '');
      if (missing.length === 0) return from === asOf || product === undefined ? line : withTaxesOfDay(line, product, { from, to: asOf }, bounds);
      const { line: completed, problems } = product === undefined
        ? { line, problems: [...unknownProduct(line), ...missing.map((field) => ({ field, type: 'missing', ctx: {} }))] }
        : withProduct(line, product, asOf, bounds);
      findings.push(...problems.map(({ field, type, ctx }) => ({ loc: ['body', 'lines', String(index), field], type, input: echo(line[field]), ctx })));
      return completed;
    });
    if (findings.length > 0) throw new ValidationFailure(findings);
    const isMade = (index: number): boolean => lines[index]?.taxes !== body.lines[index]?.taxes;
    return Object.assign({}, body, { lines: withSpreadIva(lines, isMade, draft.taxes ?? [], asOf) as DocumentLineDto[], original });
  }

  private async originalOf(tenantId: string, issuerId: string, id: string | null | undefined): Promise<OriginalIdentity | null> {
    return id ? this.originals.identityOf(tenantId, issuerId, id) : null;
  }
}

/** What of a draft tells the day whose rates it uses. */
export type DayGiven = Pick<DocumentDraftDto, 'issuer_id' | 'document_type' | 'issue_date' | 'modified_document_id' | 'modified_document_issue_date'>;

const dayOf = (body: DayGiven, original: OriginalIdentity | null): string =>
  ratesDay({ documentType: body.document_type, issueDate: body.issue_date, modifiedDocumentIssueDate: body.modified_document_issue_date ?? original?.issueDate ?? null });

/**
 * A draft's body in which lines that give their subtotal or their tax have the defaults of a document's line. Fingerprints
 * are made of it, so that a line that asks the catalogue for nothing has the one it always had.
 */
export function withLineDefaults(body: DocumentDraftDto): DocumentDraftDto {
  const lines = body.lines.map((line) =>
    Object.assign(
      {},
      line,
      line.subtotal === undefined ? {} : { discount: line.discount ?? '0.00' },
      tellsTax(line) ? { tax_code: line.tax_code ?? '2' } : {},
    ),
  );
  return Object.assign({}, body, { lines });
}

const tellsTax = (line: DraftLineDto): boolean => line.tax_rate_code !== undefined || Boolean(line.taxes);

/** Why nothing was taken from the catalogue; a line that names no product has asked it for nothing. */
const unknownProduct = ({ main_code: code }: DraftLineDto): { field: 'main_code'; type: string; ctx: Record<string, never> }[] =>
  code === null || code === undefined ? [] : [{ field: 'main_code', type: 'product_unknown', ctx: {} }];

const REQUIRED = ['description', 'unit_price', 'subtotal', 'tax_rate_code'] as const;

/** Fields that a document's line must have and this one has not. */
const missingIn = (line: DraftLineDto): (typeof REQUIRED)[number][] =>
  REQUIRED.filter((field) => line[field] === undefined && !(field === 'tax_rate_code' && tellsTax(line)));
