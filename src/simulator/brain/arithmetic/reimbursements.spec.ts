import { readElement, withDocument } from '../xml/parse.js';
import { reimbursementDifferences } from './reimbursements.js';

interface Figures {
  readonly totals?: readonly [all: string, base: string, tax: string] | null;
  readonly taxes?: string;
  readonly day?: string;
}

const tax = (code: string, tariff: string, base: string, amount: string): string =>
  `<detalleImpuesto><codigo>2</codigo><codigoPorcentaje>${code}</codigoPorcentaje><tarifa>${tariff}</tarifa>` +
  `<baseImponibleReembolso>${base}</baseImponibleReembolso><impuestoReembolso>${amount}</impuestoReembolso></detalleImpuesto>`;

const GOOD = tax('4', '15', '20.00', '3.00') + tax('0', '0', '5.00', '0.00');

function judge({ totals = ['28.00', '25.00', '3.00'], taxes = GOOD, day = '10/09/2026' }: Figures): string {
  const [all, base, amount] = totals ?? [];
  const header =
    totals === null
      ? ''
      : `<totalComprobantesReembolso>${all}</totalComprobantesReembolso><totalBaseImponibleReembolso>${base}` +
        `</totalBaseImponibleReembolso><totalImpuestoReembolso>${amount}</totalImpuestoReembolso>`;
  const detail =
    taxes === ''
      ? ''
      : `<reembolsos><reembolsoDetalle><fechaEmisionDocReembolso>${day}</fechaEmisionDocReembolso>` +
        `<detalleImpuestos>${taxes}</detalleImpuestos></reembolsoDetalle></reembolsos>`;
  const root = withDocument(Buffer.from(`<doc>${header}${detail}</doc>`), (document) => readElement(document.root));
  return reimbursementDifferences(root, root).join('; ');
}

it.each<[string, Figures]>([
  ['totals that are the sums', {}],
  ['one cent', { totals: ['28.01', '25.00', '3.01'] }],
  ['no reimbursement at all', { totals: null, taxes: '' }],
  ['the sum of rounded lines', { totals: ['28.20', '25.00', '3.20'], taxes: tax('4', '15', '25.00', '3.20') }],
  ['twice the tax, of lines that were each rounded up to a cent', { totals: ['32.50', '25.00', '7.50'], taxes: tax('4', '15', '25.00', '7.50') }],
  ['a rate of its day', { taxes: tax('2', '12.00', '25.00', '3.00'), day: '01/03/2024' }],
])('takes %s', (_name, figures) => expect(judge(figures)).toBe(''));

it.each<[string, Figures, string]>([
  ['another total', { totals: ['28.02', '25.00', '3.00'] }, 'El total de reembolsos'],
  ['another base', { totals: ['28.00', '25.02', '3.00'] }, 'El total de bases de reembolso'],
  ['another tax', { totals: ['28.00', '25.00', '2.98'] }, 'El total de impuestos de reembolso'],
  ['totals alone', { taxes: '' }, 'no tienen detalle'],
  ['detail alone', { totals: null }, 'El total de reembolsos'],
  ['a rate of another day', { taxes: tax('2', '12.00', '25.00', '3.00') }, 'no corresponde a la tarifa'],
  ['more than rounding makes of it', { totals: ['32.51', '25.00', '7.51'], taxes: tax('4', '15', '25.00', '7.51') }, 'El IVA de un reembolso'],
  ['a wrong amount', { taxes: tax('4', '15', '100.00', '9.99') }, 'El IVA de un reembolso'],
])('reports %s', (_name, figures, text) => expect(judge(figures)).toContain(text));
