import { figure } from '../figures.js';
import { closing } from '../parts/closing.js';
import { goodsTable } from '../parts/goods-table.js';
import { contactFields, fieldPanel, receiverFields } from '../parts/receiver.js';
import { reimbursementsTable, reimbursementTotals } from '../parts/reimbursements.js';
import { taxedTotals } from '../parts/totals.js';
import { PART_GAP, type RideBody, totalsOf } from './ride-type.js';

/** Liquidación de compra: as an invoice, but its panel names the seller. */
export const purchaseSettlementBody: RideBody = (flow, input) => {
  const { content } = input;
  const { reimbursements } = content;
  flow.place(fieldPanel(flow.pen, [...receiverFields(content), ...contactFields(content)], flow.width), PART_GAP);
  const totals = [...taxedTotals(content), ...reimbursementTotals(reimbursements)];
  const end = closing(flow, input, totalsOf(flow, totals, 'VALOR TOTAL', figure(content.total)));
  goodsTable(flow, content, reimbursements.length === 0 ? end.keep : 0);
  reimbursementsTable(flow, reimbursements, end.keep);
  end.draw(flow);
};
