export { exampleDocuments, exampleInvoice } from './documents.examples.js';
