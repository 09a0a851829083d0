import { AsyncLocalStorage } from 'node:async_hooks';

/** What every line names that is logged on behalf of one request or one document. */
export interface LogFields {
  request_id?: string;
  document_id?: string;
}

const current = new AsyncLocalStorage<LogFields>();

/** Runs work whose lines in the log, however deep they are written, name these. */
export function withLogFields<T>(fields: LogFields, work: () => T): T {
  return current.run({ ...fields }, work);
}

/** Names the document for the rest of the work under way, once it is known. */
export function noteDocument(documentId: string): void {
  const fields = current.getStore();
  if (fields !== undefined) fields.document_id = documentId;
}

/** What a line written now names. */
export const logFields = (): LogFields => current.getStore() ?? {};
