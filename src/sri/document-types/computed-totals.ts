import { isDeepStrictEqual } from 'node:util';
import { type Decimal, dec, money, sum } from '../../shared/decimal.js';
import { nearly, taxAmount } from '../money.js';
import type { DocumentContent, DocumentTax, IssuerSnapshot } from './content.js';
import { documentType } from './registry.js';
import { effectiveRate } from './rules/tax-entry.js';
import { groupKey, ratesDay, taxRate } from './tax-rates.js';

/**
 * Totals and tax groups made from the lines, for callers that leave them to the
 * service: subtotal before discounts, discounts, taxes grouped by tax and rate
 * (sums of the rounded lines, unless many small ones drift from the tax of the group's
 * base; always that in a debit note, which shows no taxes of lines), and the total with
 * tip, export and third-party charges.
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
  const itemised = new Map(groups(content.lines.flatMap((line) => line.taxes ?? [])).map((tax) => [groupKey(tax), tax]));
  const asOf = ratesDay(content);
  const summed = groups(lines.flatMap((line) => line.taxes ?? []));
  const taxes = summed.map((tax) => (content.documentType === '05' ? ofBase(tax, asOf) : ofLines(tax, itemised.get(groupKey(tax)), asOf)));
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

/**
 * Whether the totals are those that would be computed: whoever left them to the service, or gave the same, loses nothing when they
 * are computed anew. The total of the discounts says nothing of it: the other totals do not come from it.
 */
export function areTotalsComputed(content: DocumentContent, issuer: IssuerSnapshot): boolean {
  const told = ({ subtotal, totalTax, total, taxes }: DocumentContent): unknown => [
    [subtotal, totalTax, total].map((amount) => money(dec(amount))),
    taxes.map((tax) => [groupKey(tax), money(dec(tax.taxableBase)), money(dec(tax.taxAmount))]),
  ];
  return isDeepStrictEqual(told(content), told(withComputedTotals(content, issuer)));
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

/**
 * A group whose amount is the sum of its lines while that is within a cent of the tax of its base; beyond, the SRI would find a
 * difference (message 52): the tax of the base, whose cents `withLineTaxes` spreads. What lines itemise stands, and the rest of the
 * group is taxed without it.
 */
function ofLines(tax: DocumentTax, itemised: DocumentTax | undefined, asOf: string): DocumentTax {
  if (nearly(ofBase(tax, asOf).taxAmount, tax.taxAmount)) return tax;
  const { taxableBase, taxAmount: told } = itemised ?? { taxableBase: '0', taxAmount: '0' };
  const restOf = (whole: string, part: string): string => money(dec(whole).minus(dec(part)));
  const rest = ofBase({ ...tax, taxableBase: restOf(tax.taxableBase, taxableBase), taxAmount: restOf(tax.taxAmount, told) }, asOf);
  return { ...tax, taxAmount: money(dec(rest.taxAmount).plus(dec(told))) };
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
