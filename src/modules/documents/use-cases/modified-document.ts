import type { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { DomainError } from '../../../shared/domain-error.js';
import type { Finding } from '../../../shared/finding.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { DocumentContent } from '../../../sri/document-types/document.js';
import { defineRules, finding } from '../../../sri/document-types/rules/rule.js';
import { isKnown } from '../../../sri/tables/code-table.js';
import { DOCUMENT_TYPES, FINAL_CONSUMER } from '../../../sri/tables/documents.js';
import type { Charged, Original } from '../domain/credit-note.js';
import { isMoving } from '../domain/lifecycle.js';
import { fromWireMessage, type WireMessage } from '../persistence/documents.repository.js';

/** What a document writes of the one that it modifies or supports. */
export interface OriginalIdentity {
  readonly id: string;
  readonly documentType: string;
  /** `001-002-000000003`; null for a draft. */
  readonly number: string | null;
  /** `YYYY-MM-DD`. */
  readonly issueDate: string;
}

/** One of the issuer's own documents, as what modifies it or rests on it needs to know it. */
export interface ModifiedDocument extends Original, OriginalIdentity, Charged {
  readonly buyerId: string | null;
  readonly accessKey: string | null;
  readonly authorizationNumber: string | null;
}

const NOTE_ANNEX = 'Ficha técnica 2.32, annex of the credit note';

const RULES = defineRules({
  'modified.mismatch': { es: 'No coincide con el documento modificado', en: 'Differs from the modified document', reference: NOTE_ANNEX },
  'modified.other_buyer': {
    severity: 'warning',
    es: 'El comprador no es el del documento modificado',
    en: 'The buyer is not that of the modified document',
    reference: 'Advice of this service; no rule of the SRI',
  },
});

const IDENTITY = `d.id, d.document_type as "documentType", to_char(d.issue_date, 'YYYY-MM-DD') as "issueDate", e.code || '-' || p.code || '-' || lpad(d.sequential::text, 9, '0') as number`;
const COLUMNS = `${IDENTITY}, d.status, d.error_code as "errorCode", d.sri_messages as "sriMessages", d.buyer_id_type as "buyerIdType", d.buyer_id as "buyerId", d.access_key as "accessKey", d.authorization_number as "authorizationNumber",
  coalesce(c.content -> 'taxes', '[]') as taxes`;
/** Of the credit notes that count against the balance of `d` (`credit_left`), but for the refused one that this may be the correction of. */
const CREDITED_TAXES = `(
  select coalesce(jsonb_agg(t.tax), '[]')
  from documents n
  join document_contents nc on nc.tenant_id = n.tenant_id and nc.document_id = n.id and nc.revision = n.content_revision
  cross join jsonb_array_elements(nc.content -> 'taxes') t (tax)
  where n.tenant_id = d.tenant_id and n.modified_document_id = d.id and n.document_type = '04'
    and n.status not in ('DRAFT', 'VALIDATED', 'FAILED_PERMANENT', 'CANCELLED') and not (n.status = 'REJECTED' and n.emission_point_id = $4 and substr(n.access_key, 40, 8) is not distinct from $3)) as "creditedTaxes"`;
const PLACED = `documents d
  join establishments e on e.tenant_id = d.tenant_id and e.id = d.establishment_id
  join emission_points p on p.tenant_id = d.tenant_id and p.id = d.emission_point_id`;
const SOURCE = `${PLACED}
  left join document_contents c on c.tenant_id = d.tenant_id and c.document_id = d.id and c.revision = d.content_revision`;
/**
 * The SRI holds its number under another key: the number is of a document issued elsewhere. For a credit note only once it was
 * given up, and so is never retried: there is a balance to guard.
 */
const OF_ANOTHER = `(d.error_code is not distinct from 'SEQUENTIAL_TAKEN' and d.status = any (case when $10 then array['FAILED_PERMANENT'] else array['FAILED_PERMANENT', 'MANUAL_REVIEW_REQUIRED'] end))`;
const NUMBER = /^(\d{3})-(\d{3})-(\d{9})$/;

/**
 * Finds the document that a note modifies among the issuer's own: by id; that of a credit or debit note also by number,
 * whatever became of it, so that leaving out the id does not leave out balance or state.
 * @param place of the document that names it
 * @returns null when the content names none, or one issued elsewhere
 * @throws DomainError NOT_FOUND when the issuer has no document of that id
 */
export async function findModified(
  transaction: TenantTransaction,
  { tenantId, environment }: TenantContext,
  { issuerId, emissionPointId }: { readonly issuerId: string; readonly emissionPointId: string },
  content: DocumentContent,
): Promise<ModifiedDocument | null> {
  const { modifiedDocumentId: id, modifiedDocumentNumber, modifiedDocumentType, numericCode } = content;
  const one = async (where: string, parameters: readonly unknown[]): Promise<ModifiedDocument | null> => {
    const sql = `select ${COLUMNS}, ${CREDITED_TAXES} from ${SOURCE} where d.tenant_id = $1 and d.issuer_id = $2 and ${where}`;
    const [row] = await transaction.run(tenantId, (manager) => manager.query<(Omit<ModifiedDocument, 'sriMessages'> & { sriMessages: WireMessage[] })[]>(sql, [tenantId, issuerId, numericCode, emissionPointId, ...parameters]));
    return row ? { ...row, sriMessages: row.sriMessages.map(fromWireMessage) } : null;
  };
  if (id !== null) {
    const found = await one('d.id = $5', [id]);
    if (found === null) throw new DomainError('NOT_FOUND', { field: 'modified_document_id' });
    return found;
  }
  const [, establishment, point, sequential] = NUMBER.exec(modifiedDocumentNumber ?? '') ?? [];
  if (!isNote(content) || sequential === undefined) return null;
  // One of ours that is not authorized yet, was refused or failed may still be: its balance is none to pass by.
  return one(`e.code = $5 and p.code = $6 and d.sequential = $7 and d.document_type = $8 and d.sri_environment = $9 and not ${OF_ANOTHER}`, [
    establishment,
    point,
    Number(sequential),
    modifiedDocumentType ?? '01',
    environment,
    content.documentType === '04',
  ]);
}

/** Of one of the issuer's own documents; null where the issuer has none of that id. */
export async function identityOf(transaction: TenantTransaction, tenantId: string, issuerId: string, id: string): Promise<OriginalIdentity | null> {
  const sql = `select ${IDENTITY} from ${PLACED} where d.tenant_id = $1 and d.issuer_id = $2 and d.id = $3`;
  const [row] = await transaction.run(tenantId, (manager) => manager.query<OriginalIdentity[]>(sql, [tenantId, issuerId, id]));
  return row ?? null;
}

/** The content with what it leaves to its original to say; as it is where its type carries nothing of one other document. */
export function namedInFull(content: DocumentContent, original: OriginalIdentity): DocumentContent {
  if (!isNote(content) && !restsOnOne(content)) return content;
  return {
    ...content,
    modifiedDocumentId: original.id,
    modifiedDocumentType: content.modifiedDocumentType ?? original.documentType,
    modifiedDocumentNumber: content.modifiedDocumentNumber ?? original.number,
    modifiedDocumentIssueDate: content.modifiedDocumentIssueDate ?? original.issueDate,
  };
}

/** The content of a draft with what it leaves to its original to say, as that one is now. */
export async function withOriginalNamed(transaction: TenantTransaction, tenantId: string, issuerId: string, content: DocumentContent): Promise<DocumentContent> {
  const { modifiedDocumentId: id } = content;
  const original = id === null ? null : await identityOf(transaction, tenantId, issuerId, id);
  return original === null ? content : namedInFull(content, original);
}

/** What by its id means one document and by number, type or date another would modify, or rest on, the wrong one. */
export function misnamed(content: DocumentContent, original: ModifiedDocument): Finding[] {
  if (!isNote(content) && !restsOnOne(content)) return [];
  const parts: readonly (readonly [string, string | null, string | null])[] = [
    ['/modified_document_type', original.documentType, content.modifiedDocumentType],
    ['/modified_document_number', original.number, content.modifiedDocumentNumber],
    ['/modified_document_issue_date', original.issueDate, content.modifiedDocumentIssueDate],
  ];
  // What rests on a document may tell it by another code than its own: a settlement for reimbursements is 41.
  const isOtherName = (pointer: string, actual: string): boolean => restsOnOne(content) && pointer === '/modified_document_type' && !isKnown(DOCUMENT_TYPES, actual);
  return parts
    .filter(([pointer, expected, actual]) => actual !== null && actual !== expected && !isOtherName(pointer, actual))
    .map(([pointer, expected, actual]) => finding(RULES['modified.mismatch'], pointer, expected, actual));
}

/**
 * The authorization number that a guide (06) writes beside the number of its supporting document: of one that is on its way
 * the access key, which becomes that number (ficha técnica, section 5.2); null for other types, and of one whose end is not known.
 */
export function supportAuthorization({ documentType }: DocumentContent, { status, accessKey, authorizationNumber }: ModifiedDocument): string | null {
  if (documentType !== '06') return null;
  return authorizationNumber ?? (isMoving(status) ? accessKey : null);
}

/** A note to somebody else than its original is legal and seldom meant: it is told, not refused. */
export function otherBuyer(content: DocumentContent, original: ModifiedDocument): Finding[] {
  const [theirs, mine] = [original.buyerId, content.buyerId];
  if (!isNote(content) || theirs === null || mine === null) return [];
  return personOf(theirs) === personOf(mine) ? [] : [finding(RULES['modified.other_buyer'], '/buyer_id', theirs, mine)];
}

/** A credit or debit note, which goes by what its original says. */
const isNote = ({ documentType }: Pick<DocumentContent, 'documentType'>): boolean => documentType === '04' || documentType === '05';

/** What only a document that stands, or may yet, can bear, and that takes nothing of it back: a debit note, a guide, a short withholding. */
export const restsOnStanding = (content: DocumentContent): boolean => content.documentType === '05' || restsOnOne(content);

/** A guide, and a withholding in its short form, whose one supporting document stands in the same fields. */
const restsOnOne = ({ documentType, withholding }: DocumentContent): boolean => documentType === '06' || (documentType === '07' && withholding === null);

/** A RUC without its establishment, which of a natural person is the cédula; any other number as it is. */
const personOf = (id: string): string => (id === FINAL_CONSUMER.id ? id : id.replace(/^(\d{10})\d{3}$/, '$1'));
