import { type Decimal, dec, money, sum } from '../../shared/decimal.js';
import { taxAmount } from '../money.js';
import type { DocumentContent, DocumentTax, IssuerSnapshot } from './content.js';
import { documentType } from './registry.js';
import { effectiveRate } from './rules/tax-entry.js';
import { groupKey, ratesDay, taxRate } from './tax-rates.js';

/**
 * Totals and tax groups made from the lines, for callers that leave them to the
 * service: subtotal before discounts, discounts, taxes grouped by tax and rate
 * (sums of the rounded lines; in a debit note, which shows no taxes of lines, the
 * tax of the group's base), and the total with tip, export and third-party charges.
 * A line whose tax cannot be derived contributes none; the rules say why. Types whose
 * totals are of another kind make their own.
 */
export function withComputedTotals(content: DocumentContent, issuer: IssuerSnapshot): DocumentContent {
  const type = documentType(content.documentType);
  const own = type?.totals?.(content);
  if (own) return { ...content, ...own };
  const lines = type?.normalise({ ...content, taxes: [] }, issuer).content.lines ?? content.lines;
  const discount = sum(lines.map((line) => line.discount));
  const subtotal = sum(lines.map((line) => line.subtotal)).plus(discount);
  const summed = groups(lines.flatMap((line) => line.taxes ?? []));
  const taxes = content.documentType === '05' ? summed.map((tax) => ofBase(tax, ratesDay(content))) : summed;
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

/** Whether totals can be computed from the content. Those of a short withholding (07) cannot: they are what the caller withholds. */
export function hasComputableTotals(content: DocumentContent): boolean {
  return documentType(content.documentType)?.totals?.(content) !== null;
}

function groups(taxes: readonly DocumentTax[]): readonly DocumentTax[] {
  const grouped = new Map<string, DocumentTax>();
  for (const tax of taxes) {
    const group = grouped.get(groupKey(tax));
    const add = (mine: string, theirs: string | undefined): string => money(dec(mine).plus(dec(theirs ?? '0')));
    grouped.set(groupKey(tax), {
      ...tax,
      taxableBase: add(tax.taxableBase, group?.taxableBase),
      taxAmount: add(tax.taxAmount, group?.taxAmount),
    });
  }
  return [...grouped.values()];
}

/** A group whose amount is its base times its rate; for ICE and IRBPNR the amounts of the lines stand, for no rate gives them. */
function ofBase(tax: DocumentTax, asOf: string): DocumentTax {
  const rate = taxRate(tax.taxCode, tax.taxRateCode, asOf);
  if (typeof rate === 'string' || !rate.binding) return tax;
  return { ...tax, taxAmount: money(taxAmount(tax.taxableBase, effectiveRate(tax, rate))) };
}

function charges({ tip, foreignTrade, thirdPartyCharges }: DocumentContent): Decimal {
  const exportCharges = foreignTrade
    ? [foreignTrade.freight, foreignTrade.insurance, foreignTrade.customsCharges, foreignTrade.otherCharges]
    : [];
  return sum(
    [tip, ...exportCharges, ...thirdPartyCharges.map((charge) => charge.total)].map((amount) => amount ?? '0'),
  );
}
