import type { DocumentContent, DocumentLine } from '../../document-types/content.js';
import type { Flow } from '../page/flow.js';
import { type Column, flowTable } from '../page/table.js';
import { decimalsOf, figure, isZero } from '../figures.js';

/** Details of a line as `name: value`. */
export function detailNotes(line: DocumentLine): readonly string[] {
  return line.additionalDetails.map(({ name, value }) => `${name}: ${value}`);
}

/** A column that only exists when some row has something in it. */
export function when<Row>(condition: boolean, column: Column<Row>): Column<Row>[] {
  return condition ? [column] : [];
}

/** The lines of documents that sell, buy or return goods and services. */
export function goodsTable(flow: Flow, { lines }: DocumentContent, keep: number): void {
  const quantity = decimalsOf(lines.map((line) => line.quantity));
  const price = decimalsOf(lines.map((line) => line.unitPrice));
  const some = (has: (line: DocumentLine) => boolean): boolean => lines.some(has);
  const columns: Column<DocumentLine>[] = [
    { title: 'Código', width: 62, text: (line) => line.mainCode ?? '' },
    ...when<DocumentLine>(
      some((line) => line.auxCode !== null),
      { title: 'Cód. auxiliar', width: 62, text: (line) => line.auxCode ?? '' },
    ),
    { title: 'Descripción', width: 'rest', text: (line) => line.description, notes: detailNotes },
    ...when<DocumentLine>(
      some((line) => line.unitOfMeasure !== null),
      { title: 'Unidad', width: 44, text: (line) => line.unitOfMeasure ?? '' },
    ),
    { title: 'Cantidad', align: 'right', width: 'figures', text: (line) => figure(line.quantity, quantity) },
    { title: 'Precio unitario', align: 'right', width: 'figures', text: (line) => figure(line.unitPrice, price) },
    ...when<DocumentLine>(
      some((line) => !isZero(line.discount)),
      { title: 'Descuento', align: 'right', width: 'figures', text: (line) => figure(line.discount) },
    ),
    { title: 'Precio total', align: 'right', width: 'figures', text: (line) => figure(line.subtotal) },
  ];
  flowTable(flow, columns, lines, { keep });
}
