import { type Decimal, dec, money, sum } from '../../shared/decimal.js';
import { spreadTaxes, taxAmount } from '../money.js';
import { FINAL_CONSUMER, IDENTIFICATION_TYPES } from '../tables/documents.js';
import { TAX } from '../tables/taxes.js';
import type { DocumentContent, DocumentLine, DocumentPayment, DocumentTax, IssuerSnapshot } from './content.js';
import type { Normalised } from './document-type.js';
import { defineRules, excerpt, finding } from './rules/rule.js';
import { groupKey, ratesDay, taxRate } from './tax-rates.js';

/**
 * What the service fills in where the specification lets a caller omit it. Each
 * document type composes the pieces it needs. All are pure and leave alone what
 * the caller gave.
 */
const RULES = defineRules({
  'payments.defaulted': {
    severity: 'warning',
    es: 'Sin formas de pago: se usa la del emisor por el total',
    en: "No payments given: the issuer's default method is used for the total",
    reference: 'Ficha técnica 2.32, tabla 24',
  },
  'payments.time_unit_alone': {
    severity: 'warning',
    es: 'La unidad de tiempo no tiene plazo: no se envía al SRI',
    en: 'The time unit has no term: it is not sent to the SRI',
    reference: 'Ficha técnica 2.32, anexo 3',
  },
});

/** Buyer type aliases (`RUC`, `CEDULA`...) as codes, and the final consumer's name in the letters that the SRI writes. */
export function withBuyerCode(content: DocumentContent): DocumentContent {
  const row = IDENTIFICATION_TYPES.rows.find(({ alias }) => alias === content.buyerIdType);
  const buyerIdType = row?.code ?? content.buyerIdType;
  const buyerName = buyerIdType === FINAL_CONSUMER.idType ? prescribedName(content.buyerName) : content.buyerName;
  return { ...content, buyerIdType, buyerName };
}

function prescribedName(name: string | null): string | null {
  const upper = name?.trim().toUpperCase();
  return [FINAL_CONSUMER.name, FINAL_CONSUMER.testName].find((prescribed) => prescribed === upper) ?? name;
}

/** A document that names no buyer at all goes to the final consumer; one that names that type need say no more. */
export function withFinalConsumer(content: DocumentContent): DocumentContent {
  const { buyerIdType, buyerId, buyerName } = content;
  const namesNobody = buyerIdType === null && buyerId === null && buyerName === null;
  if (!namesNobody && buyerIdType !== FINAL_CONSUMER.idType) return content;
  return {
    ...content,
    buyerIdType: FINAL_CONSUMER.idType,
    buyerId: buyerId ?? FINAL_CONSUMER.id,
    buyerName: buyerName ?? FINAL_CONSUMER.name,
  };
}

/** A line without main code gets its line number: the SRI refuses lines without one. */
export function withLineCodes(content: DocumentContent): DocumentContent {
  return {
    ...content,
    lines: content.lines.map((line) =>
      line.mainCode === null || line.mainCode === '' ? { ...line, mainCode: String(line.lineNumber) } : line,
    ),
  };
}

/** Payments as they are sent: the issuer's default where there are none, and no time unit without a term. */
export function withPayments(content: DocumentContent, issuer: IssuerSnapshot): Normalised {
  return content.payments.length > 0 ? withoutLoneUnits(content) : withDefaultPayment(content, issuer);
}

function withDefaultPayment(content: DocumentContent, issuer: IssuerSnapshot): Normalised {
  const payment: DocumentPayment = {
    lineNumber: 1,
    paymentMethodCode: issuer.defaultPaymentMethod,
    total: content.total,
    term: null,
    timeUnit: null,
  };
  const warning = finding(RULES['payments.defaulted'], '/payments', issuer.defaultPaymentMethod);
  return { content: { ...content, payments: [payment] }, warnings: [warning] };
}

function withoutLoneUnits(content: DocumentContent): Normalised {
  const warnings = content.payments.flatMap(({ term, timeUnit }, index) =>
    term === null && isTold(timeUnit) ? [finding(RULES['payments.time_unit_alone'], `/payments/${index}/time_unit`, null, excerpt(timeUnit))] : [],
  );
  if (warnings.length === 0) return { content, warnings };
  const payments = content.payments.map((payment) => (payment.term === null ? { ...payment, timeUnit: null } : payment));
  return { content: { ...content, payments }, warnings };
}

const isTold = (text: string | null): text is string => text !== null && text !== '';

/** Payments without a term are paid at once, 0 days: the ficha asks for a term on settlements (03). A term keeps its unit. */
export function withTerms(content: DocumentContent): DocumentContent {
  return {
    ...content,
    payments: content.payments.map((payment) => (payment.term === null ? { ...payment, ...AT_ONCE } : payment)),
  };
}

const AT_ONCE = { term: 0, timeUnit: 'dias' } as const;

/**
 * Taxes of the lines that give only a rate code, from the table of the day that decides.
 * Lines whose code says nothing (unknown, expired, or a tax that needs itemising)
 * keep null, and the rules say why.
 *
 * Each line is rounded by itself, unless the caller's group is nearer to the tax of
 * the group's base: then the cents are spread so that the lines add up to that tax,
 * each within a cent of its own.
 */
export function withLineTaxes(content: DocumentContent): DocumentContent {
  const pending = new Map<string, { index: number; tax: DocumentTax }[]>();
  for (const [index, line] of content.lines.entries()) {
    const tax = line.taxes === null ? derive(line, ratesDay(content)) : null;
    if (tax === null) continue;
    const members = pending.get(groupKey(tax));
    if (members === undefined) pending.set(groupKey(tax), [{ index, tax }]);
    else members.push({ index, tax });
  }
  const lines = [...content.lines];
  for (const [key, members] of pending) {
    const amounts = amountsOf(
      members.map(({ tax }) => tax),
      shareOf(content, key),
    );
    for (const [position, { index, tax }] of members.entries()) {
      const line = lines[index];
      if (line !== undefined) lines[index] = { ...line, taxes: [{ ...tax, taxAmount: amounts[position] ?? '0.00' }] };
    }
  }
  return { ...content, lines };
}

function derive(line: DocumentLine, asOf: string): DocumentTax | null {
  if (line.taxRateCode === null || line.taxCode !== TAX.iva) return null;
  const rate = taxRate(line.taxCode, line.taxRateCode, asOf);
  if (typeof rate === 'string' || rate.fraction === null) return null;
  return {
    taxCode: line.taxCode,
    taxRateCode: line.taxRateCode,
    taxableBase: line.subtotal,
    rate: rate.fraction,
    taxAmount: '0.00',
    tariff: null,
  };
}

/** What the caller's group leaves for the lines that give only a rate code, once the itemised ones have theirs. */
function shareOf(content: DocumentContent, key: string): Decimal | null {
  const group = content.taxes.find((tax) => groupKey(tax) === key);
  if (group === undefined) return null;
  const itemised = content.lines.flatMap(({ taxes }) => (taxes ?? []).filter((tax) => groupKey(tax) === key));
  return dec(group.taxAmount).minus(sum(itemised.map((tax) => tax.taxAmount)));
}

function amountsOf(taxes: readonly DocumentTax[], share: Decimal | null): readonly string[] {
  const apart = taxes.map((tax) => taxAmount(tax.taxableBase, tax.rate));
  const together = apart.reduce((total, amount) => total.plus(amount), dec('0'));
  if (share === null || together.eq(share)) return apart.map(money);
  const spread = spreadTaxes(taxes.map((tax) => tax.taxableBase), taxes[0]?.rate ?? '0');
  const spreadTotal = spread.reduce((total, amount) => total.plus(amount), dec('0'));
  // The group may itself be a cent beside its base x rate: whichever comes nearer to it.
  const miss = (total: Decimal): Decimal => total.minus(share).abs();
  return (miss(spreadTotal).lt(miss(together)) ? spread : apart).map(money);
}
