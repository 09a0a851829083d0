import { createHash } from 'node:crypto';
import { UUID } from '../../shared/uuid.js';
import type { Attributes, NewSpan } from './spans.js';

/**
 * A document's trace needs no place to be kept: its trace id is the document's id, and the id of its first span follows
 * from that. Every process knows both, whatever it knows of the others.
 */
export interface DocumentTrace {
  readonly traceId: string;
  readonly spanId: string;
}

const SPAN_ID_LENGTH = 16;

/** Null for what is no id of a document. */
export function documentTrace(documentId: string): DocumentTrace | null {
  if (!UUID.test(documentId)) return null;
  const traceId = documentId.replaceAll('-', '');
  return { traceId, spanId: createHash('sha256').update(traceId).digest('hex').slice(0, SPAN_ID_LENGTH) };
}

/** A span in a document's trace. */
export function ofDocument(name: string, { tenantId, documentId }: { readonly tenantId: string; readonly documentId: string }, attributes: Attributes = {}): NewSpan {
  return { name, parent: { documentId }, attributes: { 'sello.tenant_id': tenantId, 'sello.document_id': documentId, ...attributes } };
}

/** The first span of a document's trace: the call that brought it in, until its number was taken. */
export function firstOfDocument(document: { readonly tenantId: string; readonly documentId: string }, documentType: string): NewSpan {
  return { ...ofDocument('document accepted', document, { 'sello.document_type': documentType }), parent: { documentId: document.documentId, begins: true } };
}
