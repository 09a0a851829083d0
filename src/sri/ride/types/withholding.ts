import type { DocumentContent } from '../../document-types/content.js';
import { SUPPORTING_DOCUMENTS } from '../../tables/supporting-documents.js';
import { WITHHELD_TAX, withholdingTable } from '../../tables/withholding.js';
import { lookup } from '../../tables/code-table.js';
import { day, figure, named, percentOfFraction, sumFigure } from '../figures.js';
import { field } from '../page/field-grid.js';
import { type Column, flowTable } from '../page/table.js';
import { closing } from '../parts/closing.js';
import { contactFields, fieldPanel, receiverFields } from '../parts/receiver.js';
import { reimbursementsTable } from '../parts/reimbursements.js';
import { supportingDocumentsTable } from '../parts/supporting-documents.js';
import { amount, type TotalLine } from '../parts/totals.js';
import { PART_GAP, type RideBody, totalsOf } from './ride-type.js';

/** One withheld tax with the document that it was withheld on. */
interface Withheld {
  readonly documentType: string | null;
  readonly documentNumber: string;
  readonly documentDate: string;
  readonly period: string;
  readonly base: string;
  readonly taxCode: string;
  readonly code: string;
  /** Percent. */
  readonly rate: string;
  readonly amount: string;
  readonly notes: readonly string[];
}

const TAX_NAMES: ReadonlyMap<string, string> = new Map([
  [WITHHELD_TAX.income, 'RENTA'],
  [WITHHELD_TAX.iva, 'IVA'],
  [WITHHELD_TAX.isd, 'ISD'],
]);

/** Comprobante de retención, short form (1.0.0) and full form (2.0.0) in one layout. Its XML has no payments of its own. */
export const withholdingBody: RideBody = (flow, input) => {
  const { content } = input;
  const rows = withheldOf(content);
  const documents = content.withholding?.supportingDocuments ?? [];
  const reimbursements = documents.flatMap((document) => document.reimbursements);
  const fields = [
    ...receiverFields(content),
    ...contactFields(content),
    ...field('Ejercicio fiscal', periodOf(content), 3),
    ...field('Parte relacionada', relatedParty(content), 3),
  ];
  flow.place(fieldPanel(flow.pen, fields, flow.width), PART_GAP);
  const unpaid = { ...input, content: { ...content, payments: [] } };
  const end = closing(flow, unpaid, totalsOf(flow, totalsPerTax(rows), 'TOTAL RETENIDO', figure(content.total)));
  flowTable(flow, columnsOf(content), rows, { keep: documents.length === 0 ? end.keep : 0 });
  supportingDocumentsTable(flow, documents, content.issueDate, reimbursements.length === 0 ? end.keep : 0);
  reimbursementsTable(flow, reimbursements, end.keep);
  end.draw(flow);
};

function relatedParty({ withholding }: DocumentContent): string | null {
  if (withholding === null) return null;
  return withholding.relatedParty ? 'SI' : 'NO';
}

/** `mm/yyyy`; the short form has the month of its issue date. */
function periodOf({ withholding, issueDate }: DocumentContent): string {
  return withholding?.fiscalPeriod ?? day(issueDate).slice(3);
}

function withheldOf(content: DocumentContent): readonly Withheld[] {
  const period = periodOf(content);
  if (content.withholding === null) {
    return content.taxes.map((tax) => ({
      documentType: content.modifiedDocumentType,
      documentNumber: content.modifiedDocumentNumber ?? '',
      documentDate: day(content.modifiedDocumentIssueDate),
      period,
      base: tax.taxableBase,
      taxCode: tax.taxCode,
      code: tax.taxRateCode,
      rate: percentOfFraction(tax.rate),
      amount: tax.taxAmount,
      notes: [],
    }));
  }
  return content.withholding.supportingDocuments.flatMap((document) =>
    document.withholdings.map((tax) => ({
      documentType: document.documentType,
      documentNumber: document.number,
      documentDate: day(document.issueDate),
      period,
      base: tax.taxableBase,
      taxCode: tax.taxCode,
      code: tax.withholdingCode,
      rate: tax.rate,
      amount: tax.amount,
      notes: [
        ...(tax.dividend === null
          ? []
          : [
              `Dividendos pagados el ${day(tax.dividend.paymentDate)}, utilidades de ${tax.dividend.fiscalYear}, ` +
                `impuesto a la renta de la sociedad ${figure(tax.dividend.incomeTaxPaid)}`,
            ]),
        ...(tax.bananaBoxes === null
          ? []
          : [`${tax.bananaBoxes.boxes} cajas de banano a ${figure(tax.bananaBoxes.pricePerBox)}`]),
      ],
    })),
  );
}

function columnsOf({ issueDate }: DocumentContent): readonly Column<Withheld>[] {
  const concept = (row: Withheld): string[] => {
    const table = withholdingTable(row.taxCode);
    const name = table === undefined ? undefined : lookup(table, row.code, issueDate)?.es;
    return name === undefined ? [] : [name];
  };
  return [
    {
      title: 'Comprobante',
      width: 84,
      text: (row) =>
        row.documentType === null ? '' : named(SUPPORTING_DOCUMENTS, row.documentType, issueDate).toUpperCase(),
    },
    { title: 'Número', width: 'figures', text: (row) => row.documentNumber },
    { title: 'Fecha emisión', width: 'figures', text: (row) => row.documentDate },
    { title: 'Ejercicio fiscal', width: 'figures', text: (row) => row.period },
    { title: 'Base imponible', align: 'right', width: 'figures', text: (row) => figure(row.base) },
    {
      title: 'Impuesto',
      width: 'rest',
      text: (row) => TAX_NAMES.get(row.taxCode) ?? row.taxCode,
      notes: (row) => [...concept(row), ...row.notes],
    },
    { title: 'Código', width: 'figures', text: (row) => row.code },
    { title: '% retención', align: 'right', width: 'figures', text: (row) => figure(row.rate) },
    { title: 'Valor retenido', align: 'right', width: 'figures', text: (row) => figure(row.amount) },
  ];
}

function totalsPerTax(rows: readonly Withheld[]): readonly TotalLine[] {
  return [...TAX_NAMES].flatMap(([code, name]) =>
    amount(`RETENCIÓN ${name}`, sumFigure(rows.filter((row) => row.taxCode === code).map((row) => row.amount))),
  );
}
