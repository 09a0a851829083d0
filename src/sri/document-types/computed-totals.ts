import { type Decimal, dec, money, sum } from '../../shared/decimal.js';
import type { DocumentContent, DocumentTax, IssuerSnapshot } from './document.js';
import { documentType } from './registry.js';
import { groupKey } from './tax-rates.js';

/**
 * Totals and tax groups made from the lines, for callers that leave them to the
 * service: subtotal before discounts, discounts, taxes grouped by tax and rate
 * (sums of the rounded lines), and the total with tip, export and third-party
 * charges. A line whose tax cannot be derived contributes none; the rules say why.
 */
export function withComputedTotals(content: DocumentContent, issuer: IssuerSnapshot): DocumentContent {
  const lines = documentType(content.documentType)?.normalise({ ...content, taxes: [] }, issuer).content.lines ?? content.lines;
  const discount = sum(lines.map((line) => line.discount));
  const subtotal = sum(lines.map((line) => line.subtotal)).plus(discount);
  const taxes = groups(lines.flatMap((line) => line.taxes ?? []));
  const totalTax = sum(taxes.map((tax) => tax.taxAmount));
  return {
    ...content,
    subtotal: money(subtotal),
    totalDiscount: money(discount),
    totalTax: money(totalTax),
    total: money(subtotal.minus(discount).plus(totalTax).plus(charges(content))),
    taxes,
  };
}

function groups(taxes: readonly DocumentTax[]): readonly DocumentTax[] {
  const grouped = new Map<string, DocumentTax>();
  for (const tax of taxes) {
    const group = grouped.get(groupKey(tax));
    const add = (mine: string, theirs: string | undefined): string => money(dec(mine).plus(theirs ?? '0'));
    grouped.set(groupKey(tax), {
      ...tax,
      taxableBase: add(tax.taxableBase, group?.taxableBase),
      taxAmount: add(tax.taxAmount, group?.taxAmount),
    });
  }
  return [...grouped.values()];
}

function charges({ tip, foreignTrade, thirdPartyCharges }: DocumentContent): Decimal {
  const exportCharges = foreignTrade ? [foreignTrade.freight, foreignTrade.insurance, foreignTrade.customsCharges, foreignTrade.otherCharges] : [];
  return sum([tip, ...exportCharges, ...thirdPartyCharges.map((charge) => charge.total)].map((amount) => amount ?? '0'));
}
