/** Shapes of the HTTP interface, apart from `public.ts`: a worker loads none of what describes and checks them. */
export { DocumentPath } from './documents.query.dto.js';
export { DocumentRecord } from './documents.responses.js';
