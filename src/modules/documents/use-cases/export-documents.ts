import type { StreamableFile } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { StandingCredential } from '../../../platform/database/standing-credential.js';
import { csvAnswer, csvDecimal, type Separator } from '../../../platform/http/csv.js';
import { xlsxAnswer } from '../../../platform/http/xlsx.js';
import { DomainError } from '../../../shared/domain-error.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { DocumentFilter } from '../domain/document-filter.js';
import { EXPORT_COLUMNS, type ExportRow } from '../domain/export-columns.js';
import { BEGINNING, DocumentExportsRepository } from '../persistence/document-exports.repository.js';

/** All documents that the filter lets through, as a file that is written while it is read. */
export class ExportDocuments extends Query<StreamableFile> {
  constructor(
    readonly tenant: TenantContext,
    readonly filter: DocumentFilter,
    readonly format: 'csv' | 'xlsx',
    /** The last document of an export that broke off. */
    readonly cursor: string | null,
    readonly separator: Separator = ',',
  ) {
    super();
  }
}

@QueryHandler(ExportDocuments)
export class ExportDocumentsHandler implements IQueryHandler<ExportDocuments> {
  constructor(
    private readonly exports: DocumentExportsRepository,
    private readonly credential: StandingCredential,
  ) {}

  async execute({ tenant, filter, format, cursor, separator }: ExportDocuments): Promise<StreamableFile> {
    const from = cursor === null ? BEGINNING : await this.exports.positionOf(tenant.tenantId, cursor);
    if (from === null) throw new DomainError('NOT_FOUND', { field: 'cursor' });
    const batches = this.credential.whileItStands(tenant, this.exports.batches(tenant.tenantId, filter, from));
    if (format === 'xlsx') return xlsxAnswer({ fileName: 'documents.xlsx', sheetName: 'Documents', columns: EXPORT_COLUMNS }, batches);
    const file = { fileName: 'documents.csv', header: EXPORT_COLUMNS.map(({ name }) => name), separator };
    return csvAnswer(file, csvCells(batches, separator));
  }
}

async function* csvCells(batches: AsyncIterable<readonly ExportRow[]>, separator: Separator): AsyncGenerator<ExportRow[]> {
  const isDecimal = EXPORT_COLUMNS.map(({ kind }) => kind === 'decimal');
  for await (const rows of batches) yield rows.map((row) => row.map((cell, index) => (cell !== null && isDecimal[index] === true ? csvDecimal(cell, separator) : cell)));
}
