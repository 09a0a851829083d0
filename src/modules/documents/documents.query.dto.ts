import { OneOf, Uuid } from '../../platform/http/fields.js';
import { PageQuery } from '../../platform/http/paging.dto.js';
import { DOCUMENT_STATUSES, type DocumentStatus } from './domain/lifecycle.js';
import { XML_KINDS, type XmlKind } from './use-cases/get-document-xml.js';

/** Path of one document. */
export class DocumentPath {
  @Uuid() document_id: string;
}

/** Query of `GET /documents`. */
export class DocumentListQuery extends PageQuery {
  @OneOf(DOCUMENT_STATUSES, { enumName: 'DocumentStatus', optional: true, about: 'Only documents in this state' }) status?: DocumentStatus;
}

/** Query of `GET /documents/{id}/xml`. */
export class XmlQuery {
  @OneOf(XML_KINDS, { default: 'signed', about: 'signed: the bytes sent to the SRI; authorized: the authorization for the receiver' })
  kind: XmlKind = 'signed';
}
