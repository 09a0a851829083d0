export { Archive } from './archive/archive.js';
export { type Kind, RetentionStore } from './persistence/retention.store.js';
export { ArchiveDocuments } from './use-cases/archive-documents.js';
export { RemovePastRows } from './use-cases/remove-past-rows.js';
