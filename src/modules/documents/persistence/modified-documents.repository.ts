import { Injectable } from '@nestjs/common';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { DomainError } from '../../../shared/domain-error.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { DocumentContent } from '../../../sri/document-types/content.js';
import type { ActionSubject } from '../domain/actions.js';
import { isNote, type ModifiedDocument, namedInFull, type OriginalIdentity } from '../domain/modified-document.js';
import type { OwnSettlement } from '../domain/own-original.js';
import { AT_ITS_PLACE, PRINTED_NUMBER } from './printed-number.js';
import { fromWireMessage, type WireMessage } from './wire-message.js';

const IDENTITY = `d.id, d.document_type as "documentType", to_char(d.issue_date, 'YYYY-MM-DD') as "issueDate", ${PRINTED_NUMBER} as number`;
/** `d` with the columns that decide whether it may be modified, and by what. */
const COLUMNS = `${IDENTITY}, d.status, d.error_code as "errorCode", d.sri_messages as "sriMessages", d.buyer_id_type as "buyerIdType", d.buyer_id as "buyerId", d.access_key as "accessKey", d.authorization_number as "authorizationNumber",
  coalesce(c.content -> 'taxes', '[]') as taxes`;
/** Taxes of the credit notes that count against the balance of `d` (`credit_left`), but for a refused one that this may correct. */
const CREDITED_TAXES = `(
  select coalesce(jsonb_agg(t.tax), '[]')
  from documents n
  join document_contents nc on nc.tenant_id = n.tenant_id and nc.document_id = n.id and nc.revision = n.content_revision
  cross join jsonb_array_elements(nc.content -> 'taxes') t (tax)
  where n.tenant_id = d.tenant_id and n.modified_document_id = d.id and n.document_type = '04'
    and not came_to_nothing(n.status, n.error_code, n.error_detail) and not (n.status = 'REJECTED' and n.emission_point_id = $4 and substr(n.access_key, 40, 8) is not distinct from $3)) as "creditedTaxes"`;
const PLACED = `documents d ${AT_ITS_PLACE}`;
const SOURCE = `${PLACED}
  left join document_contents c on c.tenant_id = d.tenant_id and c.document_id = d.id and c.revision = d.content_revision`;
/** The SRI holds its number under another key, or another document under its own: the number is of a document issued elsewhere. */
const TAKEN = `(d.error_code = 'SEQUENTIAL_TAKEN' or d.error_code = 'ANSWER_MISMATCH' and not came_to_nothing(d.status, d.error_code, d.error_detail))`;
/** For a credit note only once it was given up: there is a balance to guard. */
const OF_ANOTHER = `(${TAKEN}
  and d.status = any (case when $10 then array['FAILED_PERMANENT'] else array['FAILED_PERMANENT', 'MANUAL_REVIEW_REQUIRED'] end))`;
const NUMBER = /^(\d{3})-(\d{3})-(\d{9})$/;

type Row<Read extends ActionSubject> = Omit<Read, 'sriMessages'> & { readonly sriMessages: readonly WireMessage[] };

/** The document that another one modifies or rests on, among the issuer's own. */
@Injectable()
export class ModifiedDocumentsRepository {
  constructor(private readonly transaction: TenantTransaction) {}

  /**
   * Finds the document that a note modifies among the issuer's own: by id; that of a credit or debit note also by number,
   * whatever became of it, so that leaving out the id does not leave out balance or state. Issuer and emission point are of the
   * document that names it.
   * @returns null when the content names none, or one issued elsewhere
   * @throws DomainError NOT_FOUND when the issuer has no document of that id
   */
  async find(
    { tenantId, environment }: TenantContext,
    { issuerId, emissionPointId }: { readonly issuerId: string; readonly emissionPointId: string },
    content: DocumentContent,
  ): Promise<ModifiedDocument | null> {
    const { modifiedDocumentId: id, modifiedDocumentNumber, modifiedDocumentType, numericCode } = content;
    const one = async (where: string, parameters: readonly unknown[]): Promise<ModifiedDocument | null> => {
      const sql = `select ${COLUMNS}, ${CREDITED_TAXES} from ${SOURCE} where d.tenant_id = $1 and d.issuer_id = $2 and ${where}`;
      const [row] = await this.transaction.run(tenantId, (manager) => manager.query<Row<ModifiedDocument>[]>(sql, [tenantId, issuerId, numericCode, emissionPointId, ...parameters]));
      return row ? { ...row, sriMessages: row.sriMessages.map(fromWireMessage) } : null;
    };
    if (id !== null) {
      const found = await one('d.id = $5', [id]);
      if (found === null) throw new DomainError('NOT_FOUND', { field: 'modified_document_id' });
      return found;
    }
    const [, establishment, point, sequential] = NUMBER.exec(modifiedDocumentNumber ?? '') ?? [];
    if (!isNote(content) || sequential === undefined) return null;
    // One of ours that is not authorized yet, was refused or failed may still be authorized, so its balance must not be bypassed.
    return one(`e.code = $5 and p.code = $6 and d.sequential = $7 and d.document_type = $8 and d.sri_environment = $9 and (${OF_ANOTHER}) is not true`, [
      establishment,
      point,
      Number(sequential),
      modifiedDocumentType ?? '01',
      environment,
      content.documentType === '04',
    ]);
  }

  /** The issuer's own purchase settlements (03) that have one of these numbers, whatever became of them. */
  async settlementsNumbered({ tenantId, environment }: TenantContext, issuerId: string, numbers: readonly string[]): Promise<OwnSettlement[]> {
    const places = numbers.flatMap((number) => {
      const [, establishment, point, sequential] = NUMBER.exec(number) ?? [];
      return sequential === undefined ? [] : [{ establishment, point, sequential: Number(sequential) }];
    });
    if (places.length === 0) return [];
    const rows = await this.transaction.run(tenantId, (manager) =>
      manager.query<Row<OwnSettlement>[]>(
        `select ${PRINTED_NUMBER} as number, d.document_type as "documentType", d.access_key as "accessKey", d.status, d.error_code as "errorCode", d.sri_messages as "sriMessages"
         from (select distinct * from jsonb_to_recordset($4) r (establishment text, point text, sequential int)) named
         join establishments e on e.tenant_id = $1 and e.issuer_id = $2 and e.code = named.establishment
         join emission_points p on p.tenant_id = $1 and p.establishment_id = e.id and p.code = named.point
         join documents d on d.tenant_id = $1 and d.emission_point_id = p.id and d.document_type = '03' and d.sri_environment = $3 and d.sequential = named.sequential
         where ${TAKEN} is not true`,
        [tenantId, issuerId, environment, JSON.stringify(places)],
      ),
    );
    return rows.map((row) => ({ ...row, sriMessages: row.sriMessages.map(fromWireMessage) }));
  }

  /**
   * The last number that the issuer gave out at the place and for the type that a note's number names, if the note's comes after
   * it. Null where it gave out none: another system does there.
   */
  async lastIssuedBefore({ tenantId, environment }: TenantContext, issuerId: string, content: DocumentContent): Promise<string | null> {
    const [, establishment, point, sequential] = NUMBER.exec(content.modifiedDocumentNumber ?? '') ?? [];
    if (!isNote(content) || sequential === undefined) return null;
    const [counter] = await this.transaction.run(tenantId, (manager) =>
      manager.query<{ number: string }[]>(
        `select e.code || '-' || p.code || '-' || lpad(s.last_value::text, 9, '0') as number
         from establishments e
         join emission_points p on p.tenant_id = e.tenant_id and p.establishment_id = e.id and p.code = $4
         join sequence_counters s on s.tenant_id = p.tenant_id and s.emission_point_id = p.id and s.document_type = $5 and s.environment = $6
         where e.tenant_id = $1 and e.issuer_id = $2 and e.code = $3 and s.last_value < $7`,
        [tenantId, issuerId, establishment, point, content.modifiedDocumentType ?? '01', environment, Number(sequential)],
      ),
    );
    return counter?.number ?? null;
  }

  /** Type, number and date of one of the issuer's own documents; null where the issuer has none of that id. */
  async identityOf(tenantId: string, issuerId: string, id: string): Promise<OriginalIdentity | null> {
    const sql = `select ${IDENTITY} from ${PLACED} where d.tenant_id = $1 and d.issuer_id = $2 and d.id = $3`;
    const [row] = await this.transaction.run(tenantId, (manager) => manager.query<OriginalIdentity[]>(sql, [tenantId, issuerId, id]));
    return row ?? null;
  }

  /** The content of a draft, completed from its original as that one is now. */
  async withOriginalNamed(tenantId: string, issuerId: string, content: DocumentContent): Promise<DocumentContent> {
    const { modifiedDocumentId: id } = content;
    const original = id === null ? null : await this.identityOf(tenantId, issuerId, id);
    return original === null ? content : namedInFull(content, original);
  }
}
