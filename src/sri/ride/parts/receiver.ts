import type { DocumentContent, DocumentTypeCode } from '../../document-types/content.js';
import { IDENTIFICATION_TYPES } from '../../tables/documents.js';
import { lookup } from '../../tables/code-table.js';
import { type Block, panel, PADDING } from '../page/block.js';
import { type Field, field, fieldGrid } from '../page/field-grid.js';
import type { Pen } from '../page/pen.js';
import { TEXT } from '../page/style.js';
import { day } from '../figures.js';

/** Name, identification and issue date of who receives the document. */
export function receiverFields(content: DocumentContent): readonly Field[] {
  return [
    { label: 'Razón social / Nombres y apellidos', value: content.buyerName ?? '—', span: 6, style: TEXT.strong },
    { label: identificationLabel(content), value: content.buyerId ?? '—', span: 3 },
    { label: 'Fecha de emisión', value: day(content.issueDate), span: 3 },
  ];
}

function identificationLabel({ buyerIdType, issueDate }: DocumentContent): string {
  const type = buyerIdType === null ? undefined : lookup(IDENTIFICATION_TYPES, buyerIdType, issueDate);
  if (type === undefined) return 'Identificación';
  return type.es.startsWith('Identificación') ? type.es : `Identificación (${type.es})`;
}

/** Address and e-mail, where the document has them. The address only of types whose XML has it too. */
export function contactFields(content: DocumentContent): readonly Field[] {
  const address = WITH_ADDRESS.includes(content.documentType) ? content.buyerAddress : null;
  return [
    ...field('Dirección', address, content.buyerEmail === null ? 12 : 6),
    ...field('Correo electrónico', content.buyerEmail, address === null ? 12 : 6),
  ];
}

const WITH_ADDRESS: readonly DocumentTypeCode[] = ['01', '03'];

/** A shaded panel of labelled values. */
export function fieldPanel(pen: Pen, fields: readonly Field[], width: number): Block {
  return panel(pen, fieldGrid(pen, fields, width - 2 * PADDING), width);
}
