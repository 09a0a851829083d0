import type { ThirdPartyCharge } from '../../document-types/content.js';
import { field } from '../page/field-grid.js';
import type { Flow } from '../page/flow.js';
import { type Column, flowTable } from '../page/table.js';
import { figure, sumFigure } from '../figures.js';
import { closing } from '../parts/closing.js';
import { foreignTradeFields, foreignTradeTotals } from '../parts/foreign-trade.js';
import { goodsTable } from '../parts/goods-table.js';
import { contactFields, fieldPanel, receiverFields } from '../parts/receiver.js';
import { reimbursementsTable, reimbursementTotals } from '../parts/reimbursements.js';
import { amount, taxedTotals } from '../parts/totals.js';
import { substituteGuidePart } from '../parts/transport.js';
import { PART_GAP, type RideBody, totalsOf } from './ride-type.js';

/** Factura. */
export const invoiceBody: RideBody = (flow, input) => {
  const { content } = input;
  const { foreignTrade, substituteGuide, thirdPartyCharges, reimbursements } = content;
  const fields = [
    ...receiverFields(content),
    ...contactFields(content),
    ...field('Guía de remisión', content.deliveryGuideNumber, 6),
    ...field('Placa', content.vehiclePlate, 3),
  ];
  flow.place(fieldPanel(flow.pen, fields, flow.width), PART_GAP);
  if (foreignTrade !== null) {
    flow.place(fieldPanel(flow.pen, foreignTradeFields(foreignTrade, content), flow.width), PART_GAP);
  }
  if (substituteGuide !== null) substituteGuidePart(flow, substituteGuide, PART_GAP);
  const totals = [
    ...taxedTotals(content),
    ...amount('PROPINA', content.tip),
    ...foreignTradeTotals(foreignTrade),
    ...amount('OTROS RUBROS DE TERCEROS', sumFigure(thirdPartyCharges.map((charge) => charge.total))),
    ...reimbursementTotals(reimbursements),
  ];
  const end = closing(flow, input, totalsOf(flow, totals, 'VALOR TOTAL', figure(content.total)));
  const goodsLast = thirdPartyCharges.length + reimbursements.length === 0;
  goodsTable(flow, content, goodsLast ? end.keep : 0);
  thirdPartyTable(flow, thirdPartyCharges, reimbursements.length === 0 ? end.keep : 0);
  reimbursementsTable(flow, reimbursements, end.keep);
  end.draw(flow);
};

const CHARGES: readonly Column<ThirdPartyCharge>[] = [
  { title: 'Concepto', width: 'rest', text: ({ concept }) => concept },
  { title: 'Valor', align: 'right', width: 'figures', text: ({ total }) => figure(total) },
];

function thirdPartyTable(flow: Flow, charges: readonly ThirdPartyCharge[], keep: number): void {
  if (charges.length === 0) return;
  flow.advance(10);
  flowTable(flow, CHARGES, charges, { title: 'Otros rubros de terceros', keep });
}
