import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ListReads } from '../../../platform/database/list-reads.js';
import { type DocumentFilter, seriesOf } from '../domain/document-filter.js';
import { isMoving } from '../domain/lifecycle.js';
import type { DocumentListItem } from '../documents.responses.js';
import { documentConditions, sharedConditions, statusCondition, wordsCondition } from './document-conditions.js';
import { Parameters } from './parameters.js';
import { NUMBER_OF_KEY } from './printed-number.js';

const ITEM = `d.id, d.tenant_id, d.issuer_id, i.razon_social as issuer_razon_social, d.document_type, d.sequential,
  ${NUMBER_OF_KEY} as number,
  to_char(d.issue_date, 'YYYY-MM-DD') as issue_date, d.total::text, d.status, d.buyer_name, d.buyer_id,
  d.access_key, d.authorization_number, d.authorization_date, d.sri_environment, d.created_at, d.updated_at`;

export interface ListedDocuments {
  readonly items: DocumentListItem[];
  readonly total: number;
}

/** Days that hold the page, newest first, and how many documents of the first of them come before it. */
interface Whereabouts {
  readonly total: number;
  readonly days: readonly string[];
  readonly skip: number;
}

/**
 * Pages of documents, newest first, whose cost does not grow with the documents before them: the counts per day show
 * how many there are and on which days the page lies (`docs/adr/012`).
 */
@Injectable()
export class DocumentListsRepository {
  constructor(private readonly reads: ListReads) {}

  /** Documents `offset` to `offset + limit` of those that the filter lets through, and how many there are in all. */
  async page(tenantId: string, filter: DocumentFilter, limit: number, offset: number): Promise<ListedDocuments> {
    return this.reads.readOneMoment(tenantId, async (manager) => {
      if (filter.accessKey !== null || filter.modifiedDocumentId !== null) return walked(manager, tenantId, filter, limit, offset);
      if (filter.text !== null) return meant(manager, tenantId, filter, filter.text, limit, offset);
      if (filter.buyerId !== null) return walked(manager, tenantId, filter, limit, offset);
      const { total, days, skip } = await locate(manager, tenantId, filter, limit, offset);
      return { total, items: days.length === 0 ? [] : await onDays(manager, tenantId, filter, days, limit, skip) };
    });
  }
}

/** What the counts hold, with the changes that are not folded into them yet; see the migration. */
function restingPerDay(filter: DocumentFilter, given: Parameters): string[] {
  if (filter.status !== null && isMoving(filter.status)) return [];
  const changes = 'select c.created_on, c.change from document_count_changes c where';
  if (isEverything(filter)) return ['select c.created_on, c.documents from document_day_counts c where c.tenant_id = $1', `${changes} c.tenant_id = $1`];
  const condition = `c.tenant_id = $1${filter.status === null ? '' : ` and c.resting_status = ${given.add(filter.status)}`}${sharedConditions('c', filter, given)}`;
  return [`select c.created_on, c.documents from document_counts c where ${condition}`, `${changes} ${condition}`];
}

/** Whether nothing narrows what is counted. */
function isEverything({ status, documentType, issuerId, issuedFrom, issuedTo }: DocumentFilter): boolean {
  return [status, documentType, issuerId, issuedFrom, issuedTo].every((narrowed) => narrowed === null);
}

function movingPerDay(filter: DocumentFilter, given: Parameters): string[] {
  if (filter.status !== null && !isMoving(filter.status)) return [];
  const condition = `d.resting_status is null${filter.status === null ? '' : ` and d.status = ${given.add(filter.status)}`}${sharedConditions('d', filter, given)}`;
  return [`select utc_day(d.created_at), 1 from documents d where d.tenant_id = $1 and ${condition}`];
}

async function locate(manager: EntityManager, tenantId: string, filter: DocumentFilter, limit: number, offset: number): Promise<Whereabouts> {
  const given = new Parameters(tenantId);
  const sources = [...restingPerDay(filter, given), ...movingPerDay(filter, given)];
  const [from, to] = [given.add(offset), given.add(offset + limit)];
  const [row] = await manager.query<{ total: string; days: string[] | null; skip: string | null }[]>(
    `with days as (
       select created_on, sum(documents) as documents from (${sources.join(' union all ')}) source (created_on, documents) group by created_on
     ), running as (
       select created_on, documents, sum(documents) over (order by created_on desc) as upto from days where documents > 0
     ), page as (
       select * from running where upto > ${from} and upto - documents < ${to}
     )
     select (select coalesce(sum(documents), 0) from running) as total,
       array_agg(created_on::text order by created_on desc) as days,
       ${from} - min(upto - documents) as skip
     from page`,
    given.values,
  );
  return { total: Number(row?.total ?? 0), days: row?.days ?? [], skip: Number(row?.skip ?? 0) };
}

function onDays(manager: EntityManager, tenantId: string, filter: DocumentFilter, days: readonly string[], limit: number, skip: number): Promise<DocumentListItem[]> {
  const given = new Parameters(tenantId);
  const [on, first, enough, most] = [given.add(days), given.add(skip), given.add(skip + limit), given.add(limit)];
  return manager.query<DocumentListItem[]>(
    `with page as (
       select d.id from unnest(${on}::date[]) as day (day)
       cross join lateral (
         select d.id, d.created_at from documents d
         where d.tenant_id = $1 and d.created_at >= day.day::timestamp at time zone 'UTC' and d.created_at < (day.day + 1)::timestamp at time zone 'UTC'
           ${statusCondition(filter, given)}${sharedConditions('d', filter, given)}
         order by d.created_at desc, d.id desc limit ${enough}
       ) d
       order by d.created_at desc, d.id desc limit ${most} offset ${first}
     )
     ${ITEMS_OF_PAGE}`,
    given.values,
  );
}

const ITEMS_OF_PAGE = `select ${ITEM} from documents d join issuers i on i.tenant_id = d.tenant_id and i.id = d.issuer_id
  where d.tenant_id = $1 and d.id = any (array(select id from page)) order by d.created_at desc, d.id desc`;

/** Few at most: found and counted through the index of buyers, numbers or originals. */
async function walked(manager: EntityManager, tenantId: string, filter: DocumentFilter, limit: number, offset: number): Promise<ListedDocuments> {
  const given = new Parameters(tenantId);
  const condition = `d.tenant_id = $1${documentConditions(filter, given)}${wordsCondition(filter, given)}`;
  const [counted] = await manager.query<{ total: string }[]>(`select count(*) as total from documents d where ${condition}`, given.values);
  const [most, first] = [given.add(limit), given.add(offset)];
  const items = await manager.query<DocumentListItem[]>(
    `with page as (
       select d.id from documents d where ${condition} order by d.created_at desc, d.id desc limit ${most} offset ${first}
     )
     ${ITEMS_OF_PAGE}`,
    given.values,
  );
  return { total: Number(counted?.total ?? 0), items };
}

async function meant(manager: EntityManager, tenantId: string, filter: DocumentFilter, text: string, limit: number, offset: number): Promise<ListedDocuments> {
  const { status, documentType, issuerId, buyerId, issuedFrom, issuedTo } = filter;
  const rows = await manager.query<(DocumentListItem & { matches: string } | { id: null; matches: string })[]>(
    `with found as materialized (
       select id, created_at from documents_meant($2, $3, $4, $5, $6, $7, $8, $9, $10)
     ), page as (
       select id from found order by created_at desc, id desc limit $11 offset $12
     ), items as (${ITEMS_OF_PAGE})
     select (select count(*) from found) as matches, items.* from (values (1)) one left join items on true order by items.created_at desc, items.id desc`,
    [tenantId, text, seriesOf(text), status, documentType, issuerId, buyerId, null, issuedFrom, issuedTo, limit, offset],
  );
  const items = rows.flatMap(({ matches: _, ...item }) => (item.id === null ? [] : [item]));
  return { total: Number(rows[0]?.matches ?? 0), items };
}
