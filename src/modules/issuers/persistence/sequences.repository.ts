import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../../platform/audit/audit-trail.js';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { DomainError } from '../../../shared/domain-error.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { SequenceGap, SequenceRecord } from '../issuers.responses.js';

/** One counter: an emission point numbers every document type by itself, in each environment of the SRI. */
export interface Sequence {
  readonly emissionPointId: string;
  readonly documentType: string;
}

const LAST_NUMBER = 999_999_999;

/**
 * A page of the numbers, from the first to the last taken, that no authorized document carries or will carry. Every row has
 * the count of all; a page after the last one is a single row with that count alone.
 *
 * Of all documents of the point only the numbers are read, in the order of their index; what goes on from there are the
 * stretches without a hole, `known`.
 */
const GAPS = `
  with point as (
    select p.initial_sequential - 1 as before_first,
      (select s.last_value from sequence_counters s
       where s.tenant_id = $1 and s.emission_point_id = $2 and s.document_type = $3 and s.environment = $4) as last_value
    from emission_points p where p.tenant_id = $1 and p.id = $2
  ), raised as (
    select r.* from sequence_raises r
    where r.tenant_id = $1 and r.emission_point_id = $2 and r.document_type = $3 and r.environment = $4
  ), numbers as (
    select d.sequential, lag(d.sequential) over (order by d.sequential) as before from documents d
    where d.tenant_id = $1 and d.emission_point_id = $2 and d.document_type = $3 and d.sri_environment = $4 and d.sequential > 0
  ), firsts as materialized (
    select sequential, before from numbers where before is null or before < sequential - 1
  ), known as (
    select sequential as from_number, coalesce(lead(before) over (order by sequential), (
      select max(d.sequential) from documents d
      where d.tenant_id = $1 and d.emission_point_id = $2 and d.document_type = $3 and d.sri_environment = $4 and d.sequential > 0
    )) as to_number from firsts
    union all select from_number, to_number from raised
    union all select lower(r), upper(r) - 1 from archived_numbers a cross join unnest(a.numbers) r
      where a.tenant_id = $1 and a.emission_point_id = $2 and a.document_type = $3 and a.environment = $4
    union all select last_value + 1, last_value + 1 from point where last_value is not null
  ), holes as (
    select coalesce(lag(k.to_number) over (order by k.from_number), p.before_first) + 1 as from_number, k.from_number - 1 as to_number
    from known k cross join point p
  ), gaps as (
    select from_number, to_number, 'raised' as kind, reason, null::uuid as document_id, null as status, created_at as at from raised
    union all
    select d.sequential, d.sequential, case when came_to_nothing(d.status, d.error_code, d.error_detail) or d.status = 'REJECTED' then 'not_authorized' else 'authorized_elsewhere' end, coalesce(d.error_detail ->> 'abandoned', d.error_code), d.id, d.status, d.updated_at
    from documents d
    where d.tenant_id = $1 and d.emission_point_id = $2 and d.document_type = $3 and d.sri_environment = $4 and d.sequential > 0
      and d.resting_status in ('REJECTED', 'FAILED_PERMANENT')
    union all
    select from_number, to_number, 'unexplained', null, null, null, null from holes where to_number >= from_number
  ), page as (select * from gaps order by from_number limit $5 offset $6)
  select page.*, counted.total from (select count(*)::int as total from gaps) counted left join page on true order by page.from_number`;

@Injectable()
export class SequencesRepository {
  constructor(
    private readonly database: TenantTransaction,
    private readonly audit: AuditTrail,
  ) {}

  /** The counters of an emission point for the given types; null when the tenant has no such point. */
  async list({ tenantId, environment }: TenantContext, emissionPointId: string, types: readonly string[]): Promise<SequenceRecord[] | null> {
    return this.database.run(tenantId, async (manager) => {
      const rows = await manager.query<{ document_type: string; last_value: number }[]>(
        `select t.document_type, coalesce(s.last_value, p.initial_sequential - 1) as last_value
         from emission_points p
         cross join unnest($3::text[]) with ordinality as t (document_type, place)
         left join sequence_counters s
           on s.tenant_id = p.tenant_id and s.emission_point_id = p.id and s.document_type = t.document_type and s.environment = $4
         where p.tenant_id = $1 and p.id = $2
         order by t.place`,
        [tenantId, emissionPointId, types, environment],
      );
      return rows.length === 0 ? null : rows.map((row) => recordOf(row.document_type, row.last_value));
    });
  }

  /**
   * Lets the counter go on from a later number; the numbers between are on record as skipped. Null when the tenant has no such point.
   * @throws DomainError INVALID_STATE when it is there already or beyond, SEQUENCE_EXHAUSTED when there is no later number
   */
  async raise(
    tenant: TenantContext,
    { emissionPointId, documentType }: Sequence,
    raise: { readonly id: string; readonly nextNumber: number; readonly reason: string },
    now: Date,
  ): Promise<SequenceRecord | null> {
    const { tenantId, environment } = tenant;
    const key = [tenantId, emissionPointId, documentType, environment];
    return this.database.run(tenantId, async (manager) => {
      const last = await lockCounter(manager, key);
      if (last === null) return null;
      const { nextNumber, reason, id } = raise;
      if (last >= LAST_NUMBER) throw new DomainError('SEQUENCE_EXHAUSTED', { field: 'next_number' });
      if (nextNumber <= last + 1) throw new DomainError('INVALID_STATE', { reason: 'not_higher', next_number: last + 1, allowed_actions: ['raise_higher'] });
      const skipped = [last + 1, nextNumber - 1] as const;
      await manager.query(
        'update sequence_counters set last_value = $5 where tenant_id = $1 and emission_point_id = $2 and document_type = $3 and environment = $4',
        [...key, nextNumber - 1],
      );
      await manager.query(
        `insert into sequence_raises (tenant_id, emission_point_id, document_type, environment, id, from_number, to_number, reason, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        [...key, id, ...skipped, reason, now],
      );
      const detail = { document_type: documentType, from_number: skipped[0], to_number: skipped[1], reason };
      await this.audit.record(manager, tenant, { action: 'sequence.raised', target: { kind: 'emission_point', id: emissionPointId }, detail }, now);
      return recordOf(documentType, nextNumber - 1);
    });
  }

  /** A page of the unused numbers, lowest first; null when the tenant has no such point. */
  async gaps(
    { tenantId, environment }: TenantContext,
    { emissionPointId, documentType }: Sequence,
    limit: number,
    offset: number,
  ): Promise<{ rows: SequenceGap[]; total: number } | null> {
    return this.database.run(tenantId, async (manager) => {
      const [point] = await manager.query<unknown[]>('select from emission_points p where p.tenant_id = $1 and p.id = $2', [tenantId, emissionPointId]);
      if (point === undefined) return null;
      const rows = await manager.query<((SequenceGap | { from_number: null }) & { total: number })[]>(GAPS, [tenantId, emissionPointId, documentType, environment, limit, offset]);
      return { rows: rows.flatMap(({ total: _total, ...gap }) => (gap.from_number === null ? [] : [gap])), total: rows[0]?.total ?? 0 };
    });
  }
}

/**
 * The last number taken, under the lock that taking a number needs; null when the tenant has no such point, or when it is being
 * deleted. A counter that stands is locked before its point, as a removal does.
 */
async function lockCounter(manager: EntityManager, key: readonly unknown[]): Promise<number | null> {
  const standing = await lastNumber(manager, key);
  if (standing !== null) return standing;
  await manager.query(
    `insert into sequence_counters (tenant_id, emission_point_id, document_type, environment, last_value)
     select p.tenant_id, p.id, $3, $4, p.initial_sequential - 1 from emission_points p where p.tenant_id = $1 and p.id = $2 for key share
     on conflict do nothing`,
    [...key],
  );
  return lastNumber(manager, key);
}

async function lastNumber(manager: EntityManager, key: readonly unknown[]): Promise<number | null> {
  const [counter] = await manager.query<{ last_value: number }[]>(
    'select last_value from sequence_counters where tenant_id = $1 and emission_point_id = $2 and document_type = $3 and environment = $4 for update',
    [...key],
  );
  return counter?.last_value ?? null;
}

const recordOf = (documentType: string, last: number): SequenceRecord => ({
  document_type: documentType,
  next_number: last < LAST_NUMBER ? last + 1 : null,
  remaining: LAST_NUMBER - last,
});
