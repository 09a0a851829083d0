import type { DocumentContent, ForeignTrade } from '../../document-types/content.js';
import { COUNTRIES } from '../../tables/supporting-documents.js';
import { type Field, field } from '../page/field-grid.js';
import { named } from '../figures.js';
import { amount, type TotalLine } from './totals.js';

/** Terms and places of an export. */
export function foreignTradeFields(trade: ForeignTrade, { issueDate }: DocumentContent): readonly Field[] {
  const country = (code: string | null): string | null => (code === null ? null : countryName(code, issueDate));
  return [
    { label: 'Comercio exterior', value: 'EXPORTADOR', span: 3 },
    ...field('Incoterm', trade.incoterm, 3),
    ...field('Lugar del incoterm', trade.incotermPlace, 3),
    ...field('Incoterm del total sin impuestos', trade.incotermSubtotal, 3),
    ...field('País de origen', country(trade.originCountry), 3),
    ...field('Puerto de embarque', trade.loadingPort, 3),
    ...field('País de destino', country(trade.destinationCountry), 3),
    ...field('Puerto de destino', trade.destinationPort, 3),
    ...field('País de adquisición', country(trade.acquisitionCountry), 3),
  ];
}

/** `593 - Ecuador`; a country that the table lacks is shown by its code. */
export function countryName(code: string, asOf: string): string {
  const name = named(COUNTRIES, code, asOf);
  return name === code ? code : `${code} - ${name}`;
}

/** Charges of an export, part of the total. */
export function foreignTradeTotals(trade: ForeignTrade | null): readonly TotalLine[] {
  if (trade === null) return [];
  return [
    ...amount('FLETE INTERNACIONAL', trade.freight),
    ...amount('SEGURO INTERNACIONAL', trade.insurance),
    ...amount('GASTOS ADUANEROS', trade.customsCharges),
    ...amount('GASTOS DE TRANSPORTE Y OTROS', trade.otherCharges),
  ];
}
