import { Injectable } from '@nestjs/common';
import { ListReads } from '../../../platform/database/list-reads.js';
import { utcInstant } from '../../../platform/database/utc-instant.js';
import type { DocumentFilter } from '../domain/document-filter.js';
import { EXPORT_COLUMNS, type ExportColumn, type ExportRow } from '../domain/export-columns.js';
import { documentConditions, wordsCondition } from './document-conditions.js';
import { Parameters } from './parameters.js';
import { NUMBER_OF_KEY } from './printed-number.js';

/** Documents looked at in one statement: bounds its time and its memory whatever the filter lets through. */
const WINDOW = 2_000;

/** Columns that are not simply the document's own. */
const EXPRESSIONS: Readonly<Partial<Record<ExportColumn, string>>> = {
  number: NUMBER_OF_KEY,
  issue_date: `to_char(d.issue_date, 'YYYY-MM-DD')`,
  authorization_date: utcInstant('d.authorization_date'),
  issuer_ruc: 'i.ruc',
  issuer_razon_social: 'i.razon_social',
  created_at: utcInstant('d.created_at'),
  updated_at: utcInstant('d.updated_at'),
};

const ROW = `array[${EXPORT_COLUMNS.map(({ name }) => EXPRESSIONS[name] ?? `d.${name}::text`).join(', ')}]`;

/** A position in the order of documents, exactly as PostgreSQL keeps it. */
interface ListPosition {
  readonly at: string;
  readonly id: string;
}

/** Before the newest document, whatever the clock says that it was created by. */
export const BEGINNING: ListPosition = { at: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

/** All documents that a filter lets through, in the order of the lists. */
@Injectable()
export class DocumentExportsRepository {
  constructor(private readonly reads: ListReads) {}

  /** Null when the tenant has no such document. */
  async positionOf(tenantId: string, documentId: string): Promise<ListPosition | null> {
    return this.reads.readOneMoment(tenantId, async (manager) => {
      const [position] = await manager.query<ListPosition[]>('select d.created_at::text as at, d.id from documents d where d.tenant_id = $1 and d.id = $2', [tenantId, documentId]);
      return position ?? null;
    });
  }

  /**
   * Batches of the documents after a place, newest first, each document once. No connection is held between two
   * batches, however slowly they are read.
   */
  async *batches(tenantId: string, filter: DocumentFilter, from: ListPosition): AsyncGenerator<ExportRow[]> {
    let after: ListPosition | null = from;
    while (after !== null) {
      const { rows, last } = await this.window(tenantId, filter, after);
      if (rows.length > 0) yield rows;
      after = last;
    }
  }

  /** Those of the next documents that the filter lets through, and where the look ended; null: there are no more. */
  private window(tenantId: string, filter: DocumentFilter, after: ListPosition): Promise<{ rows: ExportRow[]; last: ListPosition | null }> {
    return this.reads.readOneMoment(tenantId, async (manager) => {
      const [last] = await manager.query<ListPosition[]>(
        `select d.created_at::text as at, d.id from documents d where d.tenant_id = $1 and (d.created_at, d.id) < ($2::timestamptz, $3::uuid)
         order by d.created_at desc, d.id desc offset $4 limit 1`,
        [tenantId, after.at, after.id, WINDOW - 1],
      );
      const given = new Parameters(tenantId);
      const [at, id] = [given.add(after.at), given.add(after.id)];
      let bounds = ` and d.created_at <= ${at}::timestamptz and (d.created_at, d.id) < (${at}::timestamptz, ${id}::uuid)`;
      if (last !== undefined) {
        const [lastAt, lastId] = [given.add(last.at), given.add(last.id)];
        // The instants are compared once more by themselves: the planner estimates a comparison of pairs at a third of the table.
        bounds += ` and d.created_at >= ${lastAt}::timestamptz and (d.created_at, d.id) >= (${lastAt}::timestamptz, ${lastId}::uuid)`;
      }
      const rows = await manager.query<{ row: ExportRow }[]>(
        `select ${ROW} as row from documents d join issuers i on i.tenant_id = d.tenant_id and i.id = d.issuer_id
         where d.tenant_id = $1${bounds}${documentConditions(filter, given)}${wordsCondition(filter, given)}
         order by d.created_at desc, d.id desc`,
        given.values,
      );
      return { rows: rows.map(({ row }) => row), last: last ?? null };
    });
  }
}
