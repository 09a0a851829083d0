import { Day, Digits, OneOf, Text, Uuid } from '../../platform/http/fields.js';
import { PageQuery } from '../../platform/http/paging.dto.js';
import { documentTypes } from '../../sri/document-types/registry.js';
import type { DocumentFilter } from './domain/document-filter.js';
import { DOCUMENT_STATUSES, type DocumentStatus } from './domain/lifecycle.js';
import { XML_KINDS, type XmlKind } from './use-cases/get-document-xml.js';

/** Path of one document. */
export class DocumentPath {
  @Uuid() document_id: string;
}

const DOCUMENT_TYPES = documentTypes.map(({ code }) => code);

/** What narrows a list of documents; lists and exports take the same. */
interface Filters {
  status?: DocumentStatus;
  document_type?: string;
  issuer_id?: string;
  buyer_id?: string;
  issue_date_from?: string;
  issue_date_to?: string;
  access_key?: string;
  q?: string;
}

const OPTIONAL = { optional: true } as const;
const STATUS = { ...OPTIONAL, enumName: 'DocumentStatus', about: 'Only documents in this state' } as const;
const TYPE = { ...OPTIONAL, enumName: 'DocumentType', about: 'Only documents of this type' } as const;
const ISSUER = { ...OPTIONAL, about: 'Only documents of this issuer' } as const;
const BUYER = { ...OPTIONAL, max: 20, about: 'Only documents for the buyer with this identifier' } as const;
const FROM = { ...OPTIONAL, about: 'First issue date' } as const;
const TO = { ...OPTIONAL, about: 'Last issue date' } as const;
const KEY = { ...OPTIONAL, about: 'The document with this access key' } as const;
const WORDS = {
  ...OPTIONAL, max: 300,
  about: "A part of the buyer's name (case and accents do not matter), the buyer's identifier, a number like 001-001-000000123, or an access key",
} as const;

/** Query of `GET /documents`. */
export class DocumentListQuery extends PageQuery implements Filters {
  @OneOf(DOCUMENT_STATUSES, STATUS) status?: DocumentStatus;
  @OneOf(DOCUMENT_TYPES, TYPE) document_type?: string;
  @Uuid(ISSUER) issuer_id?: string;
  @Text(BUYER) buyer_id?: string;
  @Day(FROM) issue_date_from?: string;
  @Day(TO) issue_date_to?: string;
  @Digits(49, KEY) access_key?: string;
  @Text(WORDS) q?: string;
}

/** Query of `GET /documents/export.csv` and `.xlsx`. */
export class DocumentExportQuery implements Filters {
  @OneOf(DOCUMENT_STATUSES, STATUS) status?: DocumentStatus;
  @OneOf(DOCUMENT_TYPES, TYPE) document_type?: string;
  @Uuid(ISSUER) issuer_id?: string;
  @Text(BUYER) buyer_id?: string;
  @Day(FROM) issue_date_from?: string;
  @Day(TO) issue_date_to?: string;
  @Digits(49, KEY) access_key?: string;
  @Text(WORDS) q?: string;
}

/** The filter that a query means. */
export const filterOf = (query: Filters): DocumentFilter => ({
  status: query.status ?? null,
  documentType: query.document_type ?? null,
  issuerId: query.issuer_id ?? null,
  buyerId: query.buyer_id ?? null,
  issuedFrom: query.issue_date_from ?? null,
  issuedTo: query.issue_date_to ?? null,
  accessKey: query.access_key ?? null,
  text: query.q ?? null,
});

/** Query of `GET /documents/{id}/xml`. */
export class XmlQuery {
  @OneOf(XML_KINDS, { default: 'signed', about: 'signed: the bytes sent to the SRI; authorized: the authorization for the receiver' })
  kind: XmlKind = 'signed';
}
