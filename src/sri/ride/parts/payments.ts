import { lookup } from '../../tables/code-table.js';
import { PAYMENT_METHODS, TIME_UNITS } from '../../tables/payments.js';
import type { DocumentContent, DocumentPayment } from '../../document-types/content.js';
import type { Block } from '../page/block.js';
import type { Flow } from '../page/flow.js';
import type { Pen } from '../page/pen.js';
import { type Column, flowTable, tableBlock } from '../page/table.js';
import { figure } from '../figures.js';
import { when } from './goods-table.js';

/** How the document is paid: method, amount, term and its unit. Nothing when it has no payments. */
export function paymentsBlocks(pen: Pen, content: DocumentContent, width: number): readonly Block[] {
  if (content.payments.length === 0) return [];
  return [tableBlock(pen, columnsOf(content), content.payments, width)];
}

/** The payments over the whole width, where there are more than stand beside the totals. */
export function flowPayments(flow: Flow, content: DocumentContent): void {
  flowTable(flow, columnsOf(content), content.payments);
  flow.advance(8);
}

function columnsOf({ payments, issueDate }: DocumentContent): readonly Column<DocumentPayment>[] {
  const onCredit = payments.some((payment) => payment.term !== null);
  return [
    { title: 'Forma de pago', width: 'rest', text: (payment) => methodName(payment.paymentMethodCode, issueDate) },
    { title: 'Valor', align: 'right', width: 'figures', text: (payment) => figure(payment.total) },
    ...when<DocumentPayment>(onCredit, {
      title: 'Plazo',
      align: 'right',
      width: 'figures',
      text: (payment) => payment.term?.toString() ?? '',
    }),
    ...when<DocumentPayment>(onCredit, {
      title: 'Tiempo',
      width: 60,
      text: (payment) => (payment.timeUnit === null ? '' : unitName(payment.timeUnit, issueDate)),
    }),
  ];
}

/** `20 - Otros con utilización del sistema financiero`. */
export function methodName(code: string, asOf: string): string {
  const row = lookup(PAYMENT_METHODS, code, asOf);
  return row === undefined ? code : `${code} - ${row.es}`;
}

/** The unit with its accent where it is a usual one, else as it was given. */
function unitName(unit: string, asOf: string): string {
  return lookup(TIME_UNITS, unit.toLowerCase(), asOf)?.es.toLowerCase() ?? unit;
}
