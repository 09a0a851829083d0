import { Injectable } from '@nestjs/common';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { EarlierSupport, WithheldSupport } from '../domain/withheld-before.js';
import { AT_ITS_PLACE, PRINTED_NUMBER } from './printed-number.js';

/** Only the newest documents of a subject are looked at, so that issuing does not slow down for one with very many. */
const DOCUMENTS_LOOKED_AT = 1_000;

const SQL = `
  select support.type, support.number, ${PRINTED_NUMBER} as certificate
  from unnest($3::text[]) subject (id)
  cross join lateral (
    select d.* from documents d
    where d.tenant_id = $1 and d.buyer_id = subject.id and d.created_at >= $4::date::timestamp at time zone 'America/Guayaquil'
    order by d.created_at desc, d.id desc limit ${DOCUMENTS_LOOKED_AT}
  ) d
  ${AT_ITS_PLACE}
  join document_contents c on c.tenant_id = d.tenant_id and c.document_id = d.id and c.revision = d.content_revision
  cross join lateral (
    select s ->> 'documentType', s ->> 'number' from jsonb_path_query(c.content, '$.withholding.supportingDocuments[*]') s
    union all
    select c.content ->> 'modifiedDocumentType', c.content ->> 'modifiedDocumentNumber'
  ) support (type, number)
  where d.issuer_id = $2 and d.document_type = '07' and d.sri_environment = $5
    and d.status <> 'REJECTED' and not came_to_nothing(d.status, d.error_code, d.error_detail)
    and (support.type, support.number) in (select * from unnest($6::text[], $7::text[]))
  order by d.created_at desc, d.id desc`;

/** Withholdings (07) of an issuer. */
@Injectable()
export class WithholdingsRepository {
  constructor(private readonly transaction: TenantTransaction) {}

  /**
   * Which of these supporting documents other withholdings from the same subject have, those that stand or may yet, and those under whose key another stands; the newest
   * first. Two at the same moment do not see each other.
   * @param subjectIds of whom is withheld from
   * @param since      Guayaquil day, `YYYY-MM-DD`, of the first withholding to look at
   */
  findBySupports({ tenantId, environment }: TenantContext, issuerId: string, subjectIds: readonly string[], supports: readonly WithheldSupport[], since: string): Promise<EarlierSupport[]> {
    const parameters = [tenantId, issuerId, subjectIds, since, environment, supports.map(({ type }) => type), supports.map(({ number }) => number)];
    return this.transaction.run(tenantId, (manager) => manager.query<EarlierSupport[]>(SQL, parameters));
  }
}
