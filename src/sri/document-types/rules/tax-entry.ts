import { dec, Decimal, money, sameDecimal } from '../../../shared/decimal.js';
import type { Finding } from '../../../shared/finding.js';
import { fractionOf, nearly, percentOf, roundingOf, taxAmount } from '../../money.js';
import { type SpecificRate, TAX } from '../../tables/taxes.js';
import type { DocumentTax } from '../content.js';
import { rateCodesInForce, taxRate, type TaxRate } from '../tax-rates.js';
import { defineRules, finding, type Rule } from './rule.js';

const TABLES = 'Ficha técnica 2.32, tablas 16 a 18';

const TAX_ENTRY_RULES = defineRules({
  'tax.code': { es: 'Código de impuesto desconocido', en: 'Unknown tax code', reference: TABLES },
  'tax.rate_code': { es: 'Código de tarifa desconocido', en: 'Unknown rate code', reference: TABLES },
  'tax.rate_code_not_in_force': {
    es: 'El código de tarifa no está vigente en la fecha que rige',
    en: 'The rate code is not in force on the day that decides',
    reference: TABLES,
  },
  'tax.rate_code_of_original': {
    severity: 'warning',
    es: 'El código de tarifa no está vigente en la fecha de esta nota: verifique que lo estuviera en la del documento que modifica',
    en: 'The rate code is not in force on the day of this note: verify that it was on that of the document that it modifies',
    reference: 'Ficha técnica 2.32, anexos de las notas de crédito y débito',
  },
  'tax.rate_code_unlisted': {
    severity: 'warning',
    es: 'Este código de ICE no está en la tabla de esta versión para la fecha que rige: verifíquelo con la ley vigente',
    en: "This code of ICE is not in this version's table for the day that decides: verify it with the law in force",
    reference: TABLES,
  },
  'tax.rate_code_awaits_decree': {
    severity: 'warning',
    es: 'Esta versión no conoce un decreto que ponga en uso esta tarifa en todo el país en la fecha que rige: verifíquelo',
    en: 'This version knows no decree that puts this rate to use in the whole country on the day that decides: verify it',
    reference: 'Ficha técnica 2.32, tabla 17',
  },
  'tax.rate': {
    es: 'La tarifa no corresponde al código de tarifa',
    en: 'The rate does not belong to the rate code',
    reference: TABLES,
  },
  'tax.rate_unusual': {
    severity: 'warning',
    es: 'La tarifa difiere de la publicada para este código; rige la ley vigente',
    en: 'The rate differs from the one published for this code; the law in force decides',
    reference: TABLES,
  },
  'tax.tariff_missing': {
    es: 'Este código tiene tarifa específica, o de más del 100 %: indíquela en tariff',
    en: 'This code has a specific rate, or one of more than 100 %: give it in tariff',
    reference: TABLES,
  },
  'tax.amount': {
    es: 'El valor del impuesto no es base imponible × tarifa',
    en: 'The tax amount is not taxable base × rate',
    reference: 'Ficha técnica 2.32, anexo 3 y mensaje 52',
  },
  'tax.amount_at_zero_rate': {
    severity: 'warning',
    es: 'Con 0 % no hay nada que cobrar ni retener: el valor debería ser 0.00',
    en: 'Nothing is due at 0 %: the amount should be 0.00',
    reference: 'Ficha técnica 2.32, anexo 3 y mensaje 52',
  },
  'tax.amount_unusual': {
    severity: 'warning',
    es: 'El ICE no es base imponible × tarifa: verifique su parte específica y su base',
    en: 'The ICE is not taxable base × rate: verify its specific part and its base',
    reference: 'Ficha técnica 2.32, anexo 3 y tabla 18',
  },
  'tax.units_unusual': {
    severity: 'warning',
    es: 'El valor no es un número entero de unidades × tarifa por unidad',
    en: 'The amount is not a whole number of units × the tariff of a unit',
    reference: TABLES,
  },
  'tax.amount_of_lines': {
    severity: 'warning',
    es: 'El impuesto de este documento no es base imponible × tarifa: verifique que sume los de sus líneas',
    en: "This document's tax is not taxable base × rate: verify that it adds up those of its lines",
    reference: 'Ficha técnica 2.32, anexo 3',
  },
});

/** Where the parts of an entry stand in the request. */
export interface TaxPointers {
  readonly taxCode: string;
  readonly rateCode: string;
  readonly rate: string;
  readonly tariff: string;
  readonly amount: string;
}

/** In what an entry stands. */
export interface Holder {
  /** A note of somebody else: it uses the rates of a day that is not known here. */
  readonly isNote?: boolean;
  /** Tariffs have no decimals there: one of 0.02 a bottle cannot be written, and is not asked for. */
  readonly wholeTariffs?: boolean;
  /** Every rate stands in `tariff`, as its percentage: `rate` has no field, and is not looked at. */
  readonly tariffsOnly?: boolean;
}

/** The codes of an entry on a day: known, in force. Gives the rate when they are. */
export function* checkCodes(
  codes: { readonly taxCode: string; readonly taxRateCode: string },
  at: Pick<TaxPointers, 'taxCode' | 'rateCode'>,
  asOf: string,
  { isNote = false }: Holder = {},
): Generator<Finding, TaxRate | null> {
  const answer = taxRate(codes.taxCode, codes.taxRateCode, asOf);
  switch (answer) {
    case 'unknown_tax':
      yield finding(TAX_ENTRY_RULES['tax.code'], at.taxCode, '2, 3, 5', codes.taxCode);
      return null;
    case 'unknown_rate':
      yield finding(TAX_ENTRY_RULES['tax.rate_code'], at.rateCode, rateCodesInForce(codes.taxCode, asOf), codes.taxRateCode);
      return null;
    case 'not_in_force': {
      const rule = TAX_ENTRY_RULES[isNote ? 'tax.rate_code_of_original' : 'tax.rate_code_not_in_force'];
      yield finding(rule, at.rateCode, rateCodesInForce(codes.taxCode, asOf), codes.taxRateCode);
      return null;
    }
    default:
      if (answer.awaitsDecree) yield finding(TAX_ENTRY_RULES['tax.rate_code_awaits_decree'], at.rateCode, rateCodesInForce(codes.taxCode, asOf), codes.taxRateCode);
      if (answer.unlisted) yield finding(TAX_ENTRY_RULES['tax.rate_code_unlisted'], at.rateCode, null, codes.taxRateCode);
      return answer;
  }
}

/** An amount for each unit as the holder has room for it: where only whole tariffs have a place, cents are told as none. */
function tariffToTell(amount: string | null, holder: Holder | undefined): string | null {
  return holder?.wholeTariffs === true && amount !== null && !dec(amount).isInteger() ? '0' : amount;
}

/** Codes, then the rate against its code. */
export function* checkTaxEntry(tax: DocumentTax, at: TaxPointers, asOf: string, holder?: Holder): Generator<Finding, TaxRate | null> {
  const rate = yield* checkCodes(tax, at, asOf, holder);
  if (rate === null) return null;
  if (rate.specific !== null && rate.percent === null) {
    const amount = tariffToTell(rate.specific.amount, holder);
    if (tax.tariff === null) yield finding(TAX_ENTRY_RULES['tax.tariff_missing'], at.tariff, amount);
    else if (amount !== null && !sameDecimal(tax.tariff, amount)) {
      yield finding(TAX_ENTRY_RULES['tax.rate_unusual'], at.tariff, amount, tax.tariff);
    }
    return rate;
  }
  if (rate.percent === null || rate.fraction === null) return rate;
  const rule = rate.binding ? TAX_ENTRY_RULES['tax.rate'] : TAX_ENTRY_RULES['tax.rate_unusual'];
  if (tax.tariff !== null) {
    if (!sameDecimal(tax.tariff, rate.percent)) yield finding(rule, at.tariff, rate.percent, tax.tariff);
  }
  // A rate that `rate` has no room for, unless the law in force has lowered it.
  if (tax.tariff === null && dec(rate.fraction).gt(1) && dec(tax.rate).gte(1)) {
    yield finding(TAX_ENTRY_RULES['tax.tariff_missing'], at.tariff, rate.percent);
    return rate;
  }
  if (tax.tariff === null || (rate.binding && holder?.tariffsOnly !== true)) {
    if (!sameDecimal(tax.rate, rate.fraction)) yield finding(rule, at.rate, rate.fraction, tax.rate);
  }
  return rate;
}

/** Amount = base x rate within a cent. A specific rate is per unit, and no field has the units: what they cannot explain is a warning. */
export function* checkTaxAmount(tax: DocumentTax, rate: TaxRate, at: TaxPointers): Generator<Finding> {
  if (rate.specific !== null) {
    yield* checkUnits(tax, rate, rate.specific, at);
    return;
  }
  const expected = missedAmount(tax, rate);
  if (expected !== null) yield finding(amountRule(tax), at.amount, money(expected), tax.taxAmount);
  else yield* checkNothingDue(tax, rate, at.amount);
}

/** Warns of a tax at a binding rate of 0 % whose amount is not zero: a cent passes as rounding, but there is nothing to round. */
export function* checkNothingDue({ taxAmount: told }: DocumentTax, { binding, fraction }: TaxRate, pointer: string): Generator<Finding> {
  if (binding && fraction !== null) yield* checkZero(fraction, told, pointer);
}

/** Warns of an amount other than zero at a rate of zero, which is a fraction or a percentage. */
export function* checkZero(rate: string, amount: string, pointer: string): Generator<Finding> {
  if (dec(rate).isZero() && !dec(amount).isZero()) yield finding(TAX_ENTRY_RULES['tax.amount_at_zero_rate'], pointer, '0.00', amount);
}

/** A part per unit only adds to that of the percentage. Without one, what is counted and not measured comes in whole units. */
function* checkUnits(tax: DocumentTax, rate: TaxRate, { isCounted }: SpecificRate, at: TaxPointers): Generator<Finding> {
  if (rate.percent !== null) {
    const isPercentage = tax.tariff !== null && sameDecimal(tax.tariff, rate.percent);
    const least = taxAmount(tax.taxableBase, isPercentage ? fractionOf(tax.tariff) : tax.rate);
    if (least.gt(tax.taxAmount) && !nearly(least, tax.taxAmount)) yield finding(TAX_ENTRY_RULES['tax.amount_unusual'], at.amount, `≥ ${money(least)}`, tax.taxAmount);
    return;
  }
  if (isCounted !== true || tax.tariff === null || dec(tax.tariff).isZero()) return;
  const units = dec(tax.taxAmount).div(dec(tax.tariff)).toDecimalPlaces(0);
  const expected = taxAmount(units, tax.tariff);
  if (!expected.eq(tax.taxAmount)) yield finding(TAX_ENTRY_RULES['tax.units_unusual'], at.amount, money(expected), tax.taxAmount);
}

/** About as many lines as a document of 320 KB holds. */
const MOST_LINES = 1_000;

/**
 * Judges the tax of a document that somebody else issued. Its lines are not known here: a difference that their rounding can
 * explain deserves a warning, not a refusal.
 */
export function* checkTaxOfOther(tax: DocumentTax, rate: TaxRate, at: TaxPointers): Generator<Finding> {
  const expected = missedAmount(tax, rate);
  if (expected === null) {
    yield* checkNothingDue(tax, rate, at.amount);
    return;
  }
  // Rounding no more than doubles the tax of a line.
  const ofLines = nearly(expected, tax.taxAmount, Decimal.min(expected, roundingOf(MOST_LINES)));
  const rule = ofLines ? TAX_ENTRY_RULES['tax.amount_of_lines'] : amountRule(tax);
  yield finding(rule, at.amount, money(expected), tax.taxAmount);
}

/** ICE may have parts per unit and legal bases that are in no field: arithmetic within the document cannot refuse it. */
export function amountRule({ taxCode }: Pick<DocumentTax, 'taxCode'>): Rule {
  return TAX_ENTRY_RULES[taxCode === TAX.ice ? 'tax.amount_unusual' : 'tax.amount'];
}

/** Base x rate where the amount is more than a cent beside it, else null. */
function missedAmount(tax: DocumentTax, rate: TaxRate): Decimal | null {
  if (rate.specific !== null) return null;
  const expected = taxAmount(tax.taxableBase, effectiveRate(tax, rate));
  return nearly(expected, tax.taxAmount) ? null : expected;
}

/** The fraction that the amount comes from: the table's where it binds, else `tariff` (rates above 100 %), else `rate`. */
export function effectiveRate(tax: DocumentTax, rate: TaxRate): string {
  if (rate.binding && rate.fraction !== null) return rate.fraction;
  return tax.tariff === null ? tax.rate : fractionOf(tax.tariff);
}

/** XML `tarifa`. */
export function tariffOf({ tariff, rate }: Pick<DocumentTax, 'tariff' | 'rate'>): string {
  return tariff ?? percentOf(rate);
}
