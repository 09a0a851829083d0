import { dec, money, sum, type Decimal } from '../../../shared/decimal.js';
import type { Finding } from '../../../shared/finding.js';
import { percentOf, rateOf } from '../../money.js';
import type { ComputedTotals, DocumentContent, DocumentTax, SupportingDocument, WithheldTax } from '../content.js';
import { defineRules, equal, finding, repeated } from '../rules/rule.js';

const SPECIFICATION = 'Ficha técnica 2.32, anexo del comprobante de retención';

const RULES = defineRules({
  'withholding.total_tax': {
    es: 'El total de impuestos no es la suma de los valores retenidos',
    en: 'The total tax is not the sum of the amounts withheld',
    reference: SPECIFICATION,
  },
  'withholding.total': {
    es: 'El total de una retención es el valor retenido',
    en: 'The total of a withholding is the amount withheld',
    reference: SPECIFICATION,
  },
  'withholding.total_discount': {
    es: 'El descuento total no es la suma de los descuentos de las líneas',
    en: 'The total discount is not the sum of the discounts of the lines',
    reference: SPECIFICATION,
  },
  'withholding.subtotal': {
    es: 'El subtotal no es la suma de las líneas antes de descuentos',
    en: 'The subtotal is not the sum of the lines before discounts',
    reference: SPECIFICATION,
  },
  'withholding.supports_subtotal': {
    es: 'Subtotal menos descuento no es la suma de los totales sin impuestos de los documentos de sustento',
    en: 'Subtotal minus discount is not the sum of the subtotals of the supporting documents',
    reference: SPECIFICATION,
  },
  'withholding.summary_repeated': {
    es: 'El impuesto, código y porcentaje ya están en otra entrada',
    en: 'Another entry has this tax, code and percentage already',
    reference: SPECIFICATION,
  },
  'withholding.summary_extra': {
    es: 'Ningún documento de sustento tiene esta retención',
    en: 'No supporting document has this withholding',
    reference: SPECIFICATION,
  },
  'withholding.summary_missing': {
    es: 'Falta la entrada de una retención que los documentos de sustento tienen',
    en: 'The entry of a withholding that supporting documents have is missing',
    reference: SPECIFICATION,
  },
  'withholding.summary_base': {
    es: 'La base no es la suma de las bases en los documentos de sustento',
    en: 'The base is not the sum of the bases in the supporting documents',
    reference: SPECIFICATION,
  },
  'withholding.summary_amount': {
    es: 'El valor no es la suma de los valores retenidos en los documentos de sustento',
    en: 'The amount is not the sum of the amounts withheld in the supporting documents',
    reference: SPECIFICATION,
  },
});

/** The header of both forms: `total_tax` = `total` = what is withheld; subtotal and discount are those of the lines. */
export function* checkWithholdingTotals(content: DocumentContent): Generator<Finding> {
  const withheld = sum(content.taxes.map((tax) => tax.taxAmount));
  const discount = sum(content.lines.map((line) => line.discount));
  const net = sum(content.lines.map((line) => line.subtotal));
  yield* equal(RULES['withholding.subtotal'], '/subtotal', net.plus(discount), content.subtotal);
  yield* equal(RULES['withholding.total_discount'], '/total_discount', discount, content.totalDiscount);
  const ofTax = [...equal(RULES['withholding.total_tax'], '/total_tax', withheld, content.totalTax)];
  yield* ofTax;
  // As in the other types: from a wrong part no total follows.
  if (ofTax.length === 0) yield* equal(RULES['withholding.total'], '/total', dec(content.totalTax), content.total);
}

/** The full form's header against its supporting documents: `taxes` groups them by tax, code and percentage. */
export function* checkSummary(content: DocumentContent, documents: readonly SupportingDocument[]): Generator<Finding> {
  const subtotals = sum(documents.map((document) => document.subtotal));
  if (!dec(content.subtotal).minus(dec(content.totalDiscount)).eq(subtotals)) {
    yield finding(RULES['withholding.supports_subtotal'], '/subtotal', money(subtotals), content.subtotal);
  }
  const groups = groupsOf(documents);
  const keys = content.taxes.map(({ taxCode, taxRateCode, rate }) => keyOf(taxCode, taxRateCode, percentOf(rate)));
  for (const [key, index] of repeated(keys, (entry) => entry)) {
    yield finding(RULES['withholding.summary_repeated'], `/taxes/${index}`, null, key);
  }
  for (const [index, tax] of content.taxes.entries()) {
    const key = keys[index] ?? '';
    const group = groups.get(key);
    if (group === undefined) {
      yield finding(RULES['withholding.summary_extra'], `/taxes/${index}`, null, key);
      continue;
    }
    yield* equal(RULES['withholding.summary_base'], `/taxes/${index}/taxable_base`, group.base, tax.taxableBase);
    yield* equal(RULES['withholding.summary_amount'], `/taxes/${index}/tax_amount`, group.amount, tax.taxAmount);
  }
  for (const key of groups.keys()) {
    if (!keys.includes(key)) yield finding(RULES['withholding.summary_missing'], '/taxes', key);
  }
}

/**
 * Totals of the full form for a caller that leaves them to the service: what the supporting documents withhold, summed
 * up by tax, code and percentage. Null for the short form, whose `taxes` only the caller knows.
 */
export function withholdingTotals({ lines, withholding }: DocumentContent): ComputedTotals | null {
  if (withholding === null) return null;
  const taxes = [...groupsOf(withholding.supportingDocuments).values()].map(
    ({ taxCode, withholdingCode, rate, base, amount }): DocumentTax => ({
      taxCode,
      taxRateCode: withholdingCode,
      taxableBase: money(base),
      rate: rateOf(rate),
      taxAmount: money(amount),
      tariff: null,
    }),
  );
  const discount = sum(lines.map((line) => line.discount));
  const withheld = money(sum(taxes.map((tax) => tax.taxAmount)));
  return {
    subtotal: money(sum(lines.map((line) => line.subtotal)).plus(discount)),
    totalDiscount: money(discount),
    totalTax: withheld,
    total: withheld,
    taxes,
  };
}

interface Group extends Pick<WithheldTax, 'taxCode' | 'withholdingCode' | 'rate'> {
  readonly base: Decimal;
  readonly amount: Decimal;
}

function groupsOf(documents: readonly SupportingDocument[]): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>();
  for (const { taxCode, withholdingCode, rate, taxableBase, amount } of documents.flatMap((one) => one.withholdings)) {
    const key = keyOf(taxCode, withholdingCode, money(dec(rate)));
    const group = groups.get(key);
    const base = group?.base.plus(dec(taxableBase)) ?? dec(taxableBase);
    groups.set(key, { taxCode, withholdingCode, rate, base, amount: group?.amount.plus(dec(amount)) ?? dec(amount) });
  }
  return groups;
}

const keyOf = (taxCode: string, code: string, percent: string): string => `${taxCode}/${code}/${percent}`;
