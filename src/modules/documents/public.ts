export { exampleDocuments, exampleInvoice } from './documents.examples.js';
export { DocumentRecord } from './documents.responses.js';
export { documentRecord, type RecordRow } from './use-cases/document-record.js';
