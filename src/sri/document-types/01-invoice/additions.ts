import type { DocumentContent } from '../content.js';

/** Amounts of an invoice's total outside the tax bases: tip, foreign-trade charges, charges of third parties. */
export function additionsOf(content: DocumentContent): readonly string[] {
  const trade = content.foreignTrade;
  return [
    content.tip,
    trade?.freight,
    trade?.insurance,
    trade?.customsCharges,
    trade?.otherCharges,
    ...content.thirdPartyCharges.map((charge) => charge.total),
  ].filter((amount): amount is string => typeof amount === 'string');
}
