export { type DocumentStatus, isValid, VALID_STATUSES } from './domain/lifecycle.js';
export { exampleDocuments, exampleInvoice } from './documents.examples.js';
export { documentRecord, type RecordRow } from './content/document-record.js';
export { GetDocumentRide } from './use-cases/get-document-ride.js';
export { GetDocumentXml } from './use-cases/get-document-xml.js';
