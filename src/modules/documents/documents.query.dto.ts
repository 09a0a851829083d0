import { SEPARATOR, type SeparatorName, SEPARATORS } from '../../platform/http/csv.js';
import { Day, Digits, Integer, OneOf, Text, Uuid } from '../../platform/http/fields.js';
import { PAGE, PAGE_SIZE } from '../../platform/http/paging.dto.js';
import { isAccessKey } from '../../sri/access-key.js';
import { DOCUMENT_TYPE_CODES } from '../../sri/document-types/registry.js';
import type { DocumentFilter } from './domain/document-filter.js';
import { DOCUMENT_STATUSES, type DocumentStatus } from './domain/lifecycle.js';
import { XML_KINDS, type XmlKind } from './use-cases/get-document-xml.js';

/** Path of one document. */
export class DocumentPath {
  @Uuid() document_id: string;
}


const OPTIONAL = { optional: true } as const;
const WORDS = "A part of the buyer's name (case and accents do not matter), the buyer's identifier, a number like 001-001-000000123, or an access key";

/** What narrows a list of documents. */
class DocumentFilterQuery {
  @OneOf(DOCUMENT_STATUSES, { ...OPTIONAL, enumName: 'DocumentStatus', about: 'Only documents in this state' }) status?: DocumentStatus;
  @OneOf(DOCUMENT_TYPE_CODES, { ...OPTIONAL, enumName: 'DocumentType', about: 'Only documents of this type' }) document_type?: string;
  @Uuid({ ...OPTIONAL, about: 'Only documents of this issuer' }) issuer_id?: string;
  @Text({ ...OPTIONAL, max: 20, about: 'Only documents for the buyer with this identifier' }) buyer_id?: string;
  @Day({ ...OPTIONAL, about: 'First issue date, a calendar day in Ecuador' }) issue_date_from?: string;
  @Day({ ...OPTIONAL, endOf: { from: 'issue_date_from', inclusive: true }, about: 'Last issue date, a calendar day in Ecuador' }) issue_date_to?: string;
  @Digits(49, { ...OPTIONAL, about: 'The document that has this access key, or had it before it was corrected with another date' }) access_key?: string;
  @Uuid({ ...OPTIONAL, about: 'Only documents that refer to this one: its credit notes, debit notes and delivery guides' }) modified_document_id?: string;
  @Text({ ...OPTIONAL, max: 300, about: WORDS }) q?: string;
}

/** Query of `GET /documents/export.xlsx`. */
export class DocumentExportQuery extends DocumentFilterQuery {
  @Uuid({ ...OPTIONAL, about: 'The `id` of the last row that arrived: an export that broke off goes on behind it. 404 when that was a draft which is gone: name the row before it' }) cursor?: string;
}

/** Query of `GET /documents/export.csv`. */
export class DocumentCsvQuery extends DocumentExportQuery {
  @OneOf(Object.keys(SEPARATORS), SEPARATOR) separator: SeparatorName = 'comma';
}

/** Query of `GET /documents`. */
export class DocumentListQuery extends DocumentFilterQuery {
  @Integer(PAGE) page: number = PAGE.default;
  @Integer(PAGE_SIZE) page_size: number = PAGE_SIZE.default;
}

/** The filter that a query means. Who types a whole access key means that one document. */
export function filterOf({ q, ...query }: DocumentFilterQuery): DocumentFilter {
  const isKey = query.access_key === undefined && q !== undefined && isAccessKey(q);
  return {
    status: query.status ?? null,
    documentType: query.document_type ?? null,
    issuerId: query.issuer_id ?? null,
    buyerId: query.buyer_id ?? null,
    issuedFrom: query.issue_date_from ?? null,
    issuedTo: query.issue_date_to ?? null,
    accessKey: (isKey ? q : query.access_key) ?? null,
    modifiedDocumentId: query.modified_document_id ?? null,
    text: isKey ? null : (q ?? null),
  };
}

/** Query of `GET /documents/{id}/xml`. */
export class XmlQuery {
  @OneOf(XML_KINDS, { default: 'signed', about: 'signed: the bytes sent to the SRI; authorized: the authorization for the receiver' })
  kind: XmlKind = 'signed';
}
