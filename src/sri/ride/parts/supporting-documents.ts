import type { SupportingDocument, SupportingTax } from '../../document-types/content.js';
import { taxRate } from '../../document-types/tax-rates.js';
import {
  FOREIGN_REGIMES,
  PAYMENT_LOCATIONS,
  SUPPORTING_DOCUMENTS,
  SUSTENTO_CODES,
} from '../../tables/supporting-documents.js';
import { IVA_RATES, TAX, TAX_CODES } from '../../tables/taxes.js';
import { lookup } from '../../tables/code-table.js';
import type { Flow } from '../page/flow.js';
import { type Column, flowTable } from '../page/table.js';
import { day, figure, named, percent } from '../figures.js';
import { countryName } from './foreign-trade.js';
import { methodName } from './payments.js';

/** The documents that a withholding of the full form rests on, with their taxes and how they were paid. */
export function supportingDocumentsTable(
  flow: Flow,
  documents: readonly SupportingDocument[],
  asOf: string,
  keep: number,
): void {
  if (documents.length === 0) return;
  flow.advance(10);
  flowTable(flow, columnsOf(documents, asOf), documents, { title: 'Documentos de sustento', keep });
}

function columnsOf(documents: readonly SupportingDocument[], asOf: string): readonly Column<SupportingDocument>[] {
  const booked = documents.some((document) => document.accountingDate !== null);
  return [
    {
      title: 'Comprobante y sustento',
      width: 'rest',
      text: (document) => `${named(SUPPORTING_DOCUMENTS, document.documentType, asOf)} ${document.number}`,
      notes: (document) => notesOf(document, asOf),
    },
    { title: 'Fecha emisión', width: 'figures', text: (document) => day(document.issueDate) },
    ...(booked
      ? [
          {
            title: 'Registro contable',
            width: 'figures' as const,
            text: (document: SupportingDocument) => day(document.accountingDate),
          },
        ]
      : []),
    { title: 'Total sin impuestos', align: 'right', width: 'figures', text: (document) => figure(document.subtotal) },
    { title: 'Importe total', align: 'right', width: 'figures', text: (document) => figure(document.total) },
  ];
}

function notesOf(document: SupportingDocument, asOf: string): readonly string[] {
  return [
    ...(document.authorizationNumber === null ? [] : [`Autorización: ${document.authorizationNumber}`]),
    `Sustento: ${document.sustentoCode} - ${named(SUSTENTO_CODES, document.sustentoCode, asOf)}`,
    ...document.taxes.map(
      (tax) => `${taxName(tax, document.issueDate)}: base ${figure(tax.taxableBase)}, valor ${figure(tax.taxAmount)}`,
    ),
    ...document.payments.map(
      (payment) => `Pago: ${methodName(payment.paymentMethodCode, asOf)}, ${figure(payment.total)}`,
    ),
    ...abroad(document, asOf),
  ];
}

function taxName(tax: SupportingTax, asOf: string): string {
  const name = named(TAX_CODES, tax.taxCode, asOf);
  const untaxed = tax.taxCode === TAX.iva && ['6', '7'].includes(tax.taxRateCode);
  if (untaxed) return lookup(IVA_RATES, tax.taxRateCode, asOf)?.es ?? name;
  return isPercentage(tax, asOf) ? `${name} ${percent(tax.tariff)}%` : `${name}, tarifa ${figure(tax.tariff)}`;
}

/** ICE and IRBPNR may be due by the unit; of a code that no table knows, only the figure is certain. */
function isPercentage({ taxCode, taxRateCode }: SupportingTax, asOf: string): boolean {
  if (taxCode === TAX.iva) return true;
  const rate = taxRate(taxCode, taxRateCode, asOf);
  return typeof rate !== 'string' && rate.percent !== null;
}

function abroad(document: SupportingDocument, asOf: string): readonly string[] {
  if (document.paymentLocation === '01') return [];
  return [
    [
      named(PAYMENT_LOCATIONS, document.paymentLocation, asOf),
      ...(document.regimeType === null ? [] : [named(FOREIGN_REGIMES, document.regimeType, asOf).toLowerCase()]),
      ...(document.country === null ? [] : [`país ${countryName(document.country, asOf)}`]),
      ...(document.treaty === null ? [] : [`convenio de doble tributación: ${document.treaty ? 'SI' : 'NO'}`]),
    ].join(', '),
  ];
}
