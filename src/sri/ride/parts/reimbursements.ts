import type { Reimbursement } from '../../document-types/content.js';
import { SUPPORTING_DOCUMENTS } from '../../tables/supporting-documents.js';
import type { Flow } from '../page/flow.js';
import { type Column, flowTable } from '../page/table.js';
import { day, named, sumFigure } from '../figures.js';

const bases = (entry: Reimbursement): string[] => entry.taxes.map((tax) => tax.taxableBase);
const taxes = (entry: Reimbursement): string[] => entry.taxes.map((tax) => tax.taxAmount);

const COLUMNS: readonly Column<Reimbursement>[] = [
  { title: 'Proveedor', width: 76, text: (entry) => entry.supplierId },
  {
    title: 'Comprobante',
    width: 'rest',
    text: (entry) => named(SUPPORTING_DOCUMENTS, entry.documentType, entry.issueDate),
    notes: (entry) => [`Autorización: ${entry.authorizationNumber}`],
  },
  { title: 'Número', width: 'figures', text: (entry) => entry.documentNumber },
  { title: 'Fecha emisión', width: 'figures', text: (entry) => day(entry.issueDate) },
  { title: 'Base imponible', align: 'right', width: 'figures', text: (entry) => sumFigure(bases(entry)) },
  { title: 'Impuesto', align: 'right', width: 'figures', text: (entry) => sumFigure(taxes(entry)) },
  {
    title: 'Total',
    align: 'right',
    width: 'figures',
    text: (entry) => sumFigure([...bases(entry), ...taxes(entry)]),
  },
];

/** The documents whose expenses are reimbursed. */
export function reimbursementsTable(flow: Flow, entries: readonly Reimbursement[], keep = 0): void {
  if (entries.length === 0) return;
  flow.advance(10);
  flowTable(flow, COLUMNS, entries, { title: 'Comprobantes de reembolso', keep });
}

/** Sums of the reimbursed documents, for the totals. */
export function reimbursementTotals(entries: readonly Reimbursement[]): readonly { label: string; amount: string }[] {
  if (entries.length === 0) return [];
  return [
    { label: 'TOTAL BASE REEMBOLSO', amount: sumFigure(entries.flatMap(bases)) },
    { label: 'TOTAL IMPUESTO REEMBOLSO', amount: sumFigure(entries.flatMap(taxes)) },
    {
      label: 'TOTAL COMPROBANTES REEMBOLSO',
      amount: sumFigure(entries.flatMap((entry) => [...bases(entry), ...taxes(entry)])),
    },
  ];
}
