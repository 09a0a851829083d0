import type { DocumentLine } from '../../document-types/content.js';
import { figure } from '../figures.js';
import { type Column, flowTable } from '../page/table.js';
import { closing } from '../parts/closing.js';
import { modifiedDocumentFields } from '../parts/modified-document.js';
import { contactFields, fieldPanel, receiverFields } from '../parts/receiver.js';
import { taxedTotals } from '../parts/totals.js';
import { PART_GAP, type RideBody, totalsOf } from './ride-type.js';

const MOTIVES: readonly Column<DocumentLine>[] = [
  { title: 'Razón de la modificación', width: 'rest', text: (line) => line.description },
  { title: 'Valor de la modificación', align: 'right', width: 'figures', text: (line) => figure(line.subtotal) },
];

/** Nota de débito: each line is a motive with its amount. */
export const debitNoteBody: RideBody = (flow, input) => {
  const { content } = input;
  const fields = [...receiverFields(content), ...contactFields(content), ...modifiedDocumentFields(content)];
  flow.place(fieldPanel(flow.pen, fields, flow.width), PART_GAP);
  const end = closing(flow, input, totalsOf(flow, taxedTotals(content), 'VALOR TOTAL', figure(content.total)));
  flowTable(flow, MOTIVES, content.lines, { keep: end.keep });
  end.draw(flow);
};
