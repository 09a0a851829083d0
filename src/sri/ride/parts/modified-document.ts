import type { DocumentContent } from '../../document-types/content.js';
import { SUPPORTING_DOCUMENTS } from '../../tables/supporting-documents.js';
import { type Field, field } from '../page/field-grid.js';
import { day, named } from '../figures.js';

/** The document that a credit or debit note changes. */
export function modifiedDocumentFields(content: DocumentContent): readonly Field[] {
  const { modifiedDocumentType: type, modifiedDocumentNumber: number, issueDate } = content;
  const name = type === null ? '' : named(SUPPORTING_DOCUMENTS, type, issueDate).toUpperCase();
  return [
    ...field('Comprobante que se modifica', `${name} ${number ?? ''}`.trim(), 6),
    ...field('Fecha de emisión (comprobante a modificar)', day(content.modifiedDocumentIssueDate), 6),
  ];
}
