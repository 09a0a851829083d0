import { figure } from '../figures.js';
import { field } from '../page/field-grid.js';
import { closing } from '../parts/closing.js';
import { goodsTable } from '../parts/goods-table.js';
import { modifiedDocumentFields } from '../parts/modified-document.js';
import { contactFields, fieldPanel, receiverFields } from '../parts/receiver.js';
import { taxedTotals } from '../parts/totals.js';
import { PART_GAP, type RideBody, totalsOf } from './ride-type.js';

/** Nota de crédito. Its XML has neither payments nor units of measure. */
export const creditNoteBody: RideBody = (flow, input) => {
  const { content } = input;
  const fields = [
    ...receiverFields(content),
    ...contactFields(content),
    ...modifiedDocumentFields(content),
    ...field('Razón de modificación', content.reason, 12),
  ];
  flow.place(fieldPanel(flow.pen, fields, flow.width), PART_GAP);
  const unpaid = { ...input, content: { ...content, payments: [] } };
  const end = closing(flow, unpaid, totalsOf(flow, taxedTotals(content), 'VALOR TOTAL', figure(content.total)));
  goodsTable(flow, { ...content, lines: content.lines.map((line) => ({ ...line, unitOfMeasure: null })) }, end.keep);
  end.draw(flow);
};
