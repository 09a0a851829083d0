import type { DocumentLine } from '../../document-types/content.js';
import { type Consignee, consigneesOf } from '../../document-types/06-delivery-guide/consignees.js';
import { SUPPORTING_DOCUMENTS } from '../../tables/supporting-documents.js';
import { day, decimalsOf, figure, named } from '../figures.js';
import { heading, stack } from '../page/block.js';
import { type Field, field } from '../page/field-grid.js';
import { type Column, flowTable } from '../page/table.js';
import { TEXT } from '../page/style.js';
import { closing } from '../parts/closing.js';
import { detailNotes, when } from '../parts/goods-table.js';
import { fieldPanel } from '../parts/receiver.js';
import { tripFields } from '../parts/transport.js';
import { PART_GAP, type RideBody } from './ride-type.js';

/** Guía de remisión: the trip, then each addressee with the goods that go there. No amounts. */
export const deliveryGuideBody: RideBody = (flow, input) => {
  const { content } = input;
  if (content.transport !== null) {
    flow.place(fieldPanel(flow.pen, tripFields(content.transport), flow.width), PART_GAP);
  }
  const consignees = consigneesOf(content);
  const end = closing(flow, input, null);
  for (const [index, consignee] of consignees.entries()) {
    const title = consignees.length === 1 ? 'Destinatario' : `Destinatario ${index + 1} de ${consignees.length}`;
    const panel = fieldPanel(flow.pen, consigneeFields(consignee, content.issueDate), flow.width);
    const block = stack([heading(flow.pen, title), panel]);
    // A panel is only useful together with the first of its goods.
    flow.ensure(block.height + 80);
    flow.place(block, 4);
    flowTable(flow, columnsOf(consignee.lines), consignee.lines, {
      keep: index === consignees.length - 1 ? end.keep : 0,
    });
    flow.advance(12);
  }
  end.draw(flow);
};

function consigneeFields(consignee: Consignee, asOf: string): readonly Field[] {
  const support = consignee.supportingDocument;
  const name = support === null ? '' : named(SUPPORTING_DOCUMENTS, support.documentType, asOf).toUpperCase();
  return [
    ...field('Razón social / Nombres y apellidos (destinatario)', consignee.name, 6, TEXT.strong),
    ...field('Identificación (destinatario)', consignee.id, consignee.establishment === null ? 6 : 3),
    ...field('Cód. establecimiento destino', consignee.establishment, 3),
    ...field('Destino (punto de llegada)', consignee.address, consignee.route === null ? 12 : 6),
    ...field('Ruta', consignee.route, 6),
    ...field('Motivo del traslado', consignee.reason, consignee.customsDocument === null ? 12 : 6),
    ...field('Documento aduanero', consignee.customsDocument, 6),
    ...field('Comprobante de venta', support === null ? null : `${name} ${support.number}`, 6),
    ...field('Fecha de emisión', support === null ? null : day(support.issueDate), 6),
    ...field('Número de autorización', support?.authorizationNumber, 12),
  ];
}

function columnsOf(lines: readonly DocumentLine[]): readonly Column<DocumentLine>[] {
  const quantity = decimalsOf(lines.map((line) => line.quantity));
  return [
    { title: 'Cantidad', align: 'right', width: 'figures', text: (line) => figure(line.quantity, quantity) },
    { title: 'Descripción', width: 'rest', text: (line) => line.description, notes: detailNotes },
    { title: 'Código principal', width: 90, text: (line) => line.mainCode ?? '' },
    ...when<DocumentLine>(
      lines.some((line) => line.auxCode !== null),
      { title: 'Código auxiliar', width: 90, text: (line) => line.auxCode ?? '' },
    ),
  ];
}
