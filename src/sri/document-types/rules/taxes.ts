import { Decimal, dec, money, round2, sameDecimal, sum } from '../../../shared/decimal.js';
import type { Finding } from '../../../shared/finding.js';
import { CENT, nearly, roundingOf, taxAmount } from '../../money.js';
import { PLASTIC_BAG_CODES } from '../../tables/activities.js';
import { CONSTRUCTION_MATERIALS, TAX } from '../../tables/taxes.js';
import { lookup } from '../../tables/code-table.js';
import type { DocumentContent, DocumentLine, DocumentTax } from '../content.js';
import { groupKey, ratesDay, type TaxRate } from '../tax-rates.js';
import { defineRules, finding, repeated } from './rule.js';
import {
  amountRule,
  checkCodes,
  checkNothingDue,
  checkTaxAmount,
  checkTaxEntry,
  effectiveRate,
  type TaxPointers,
} from './tax-entry.js';

const ARITHMETIC = 'Ficha técnica 2.32, anexo 3 y mensaje 52';
const TABLES = 'Ficha técnica 2.32, tablas 16 a 18';

const RULES = defineRules({
  'line.taxes_missing': {
    es: 'La línea no dice sus impuestos: indique tax_rate_code o taxes',
    en: 'The line does not tell its taxes: give tax_rate_code or taxes',
    reference: TABLES,
  },
  'line.taxes_not_derivable': {
    es: 'Este impuesto no se deduce del código: detállelo en taxes',
    en: 'This tax does not derive from its code: itemise it in taxes',
    reference: TABLES,
  },
  'line.tax_rate_code_contradicted': {
    es: 'Los impuestos detallados en taxes no incluyen el de tax_rate_code: deje uno de los dos',
    en: 'The taxes itemised in taxes do not include the one of tax_rate_code: leave one of the two',
    reference: TABLES,
  },
  'line.one_iva': {
    es: 'Cada línea lleva exactamente una tarifa de IVA',
    en: 'Each line carries exactly one IVA rate',
    reference: TABLES,
  },
  'line.tax_repeated': {
    es: 'La línea repite el mismo impuesto y tarifa',
    en: 'The line repeats the same tax and rate',
    reference: TABLES,
  },
  'line.iva_base': {
    es: 'La base de IVA no es el subtotal de la línea más su ICE',
    en: 'The IVA base is not the subtotal of the line plus its ICE',
    reference: ARITHMETIC,
  },
  'line.construction_material': {
    severity: 'warning',
    es: 'La tarifa de 5 % pide en aux_code un código de material de construcción',
    en: 'The 5 % rate asks for a construction material code in aux_code',
    reference: 'Ficha técnica 2.32, anexo 23 y tabla 31',
  },
  'line.plastic_bag': {
    severity: 'warning',
    es: 'Las fundas plásticas van en una línea propia, con su código de fundas en main_code',
    en: 'Plastic bags have a line of their own, with their code of bags in main_code',
    reference: 'Ficha técnica 2.32, anexo 18',
  },
  'line.plastic_bag_amount': {
    severity: 'warning',
    es: 'El ICE de las fundas plásticas no es cantidad × tarifa por funda',
    en: 'The ICE of the plastic bags is not quantity × tariff of a bag',
    reference: 'Ficha técnica 2.32, tabla 18 y anexo 18',
  },
  'taxes.repeated': {
    es: 'El impuesto y tarifa ya están en otra entrada',
    en: 'Another entry has this tax and rate already',
    reference: TABLES,
  },
  'taxes.without_line': {
    es: 'Ninguna línea tiene este impuesto y tarifa',
    en: 'No line has this tax and rate',
    reference: ARITHMETIC,
  },
  'taxes.missing': {
    es: 'Falta la entrada de un impuesto que las líneas tienen',
    en: 'The entry of a tax that lines have is missing',
    reference: ARITHMETIC,
  },
  'taxes.tariff': {
    es: 'La tarifa no es la de ninguna de las líneas con este impuesto y código',
    en: 'The tariff is that of none of the lines with this tax and rate code',
    reference: ARITHMETIC,
  },
  'taxes.base': {
    es: 'La base imponible no es la suma de las bases de las líneas',
    en: 'The taxable base is not the sum of the bases of the lines',
    reference: ARITHMETIC,
  },
  'taxes.amount': {
    es: 'El valor del impuesto no es la suma de los impuestos de las líneas',
    en: 'The tax amount is not the sum of the taxes of the lines',
    reference: ARITHMETIC,
  },
  'taxes.amount_of_lines': {
    severity: 'warning',
    es: 'El impuesto redondeado línea por línea se aparta más de un centavo de base x tarifa; el SRI puede rechazarlo (mensaje 52)',
    en: 'The tax rounded line by line is more than a cent beside base x rate; the SRI may refuse it (message 52)',
    reference: ARITHMETIC,
  },
});

const CONSTRUCTION_RATE = '5';
const PLASTIC_BAGS = '3680';
/** Its lines are motives, without codes. */
const DEBIT_NOTE = '05';

/**
 * Taxes of the lines, then `taxes` as the lines grouped by tax and rate. Tolerance
 * one cent per tax amount and per group (base and amount); bases of lines exact.
 * Expects normalised content: a line whose taxes are still null could not be derived.
 */
export function* checkTaxes(content: DocumentContent): Generator<Finding> {
  for (const [index, line] of content.lines.entries()) {
    yield* checkLineTaxes(line, index, ratesDay(content));
    if (content.documentType === DEBIT_NOTE) continue;
    yield* checkMaterial(line, index, ratesDay(content));
    yield* checkPlasticBags(line, index, ratesDay(content));
  }
  yield* checkGroups(content);
}

function* checkLineTaxes(line: DocumentLine, index: number, asOf: string): Generator<Finding> {
  const at = `/lines/${index}`;
  if (line.taxes === null || line.taxes.length === 0) {
    yield* explainMissing(line, at, asOf);
    return;
  }
  if (line.taxRateCode !== null && !line.taxes.some((tax) => isOwn(tax, line))) {
    const itemised = line.taxes.map(groupKey).join(', ');
    yield finding(RULES['line.tax_rate_code_contradicted'], `${at}/tax_rate_code`, itemised, `${line.taxCode}/${line.taxRateCode}`);
  }
  const ivas = line.taxes.filter((tax) => tax.taxCode === TAX.iva);
  if (ivas.length !== 1) yield finding(RULES['line.one_iva'], `${at}/taxes`, '1', String(ivas.length));
  for (const [tax, position] of repeated(line.taxes, groupKey)) {
    yield finding(RULES['line.tax_repeated'], `${at}/taxes/${position}`, null, groupKey(tax));
  }
  const ivaBase = sum([line.subtotal, ...line.taxes.filter((tax) => tax.taxCode === TAX.ice).map((tax) => tax.taxAmount)]);
  for (const [position, tax] of line.taxes.entries()) {
    const entry = `${at}/taxes/${position}`;
    const pointers = pointersTo(entry, isOwn(tax, line) ? at : entry);
    const rate = yield* checkTaxEntry(tax, pointers, asOf);
    if (rate !== null) yield* checkTaxAmount(tax, rate, pointers);
    if (tax.taxCode === TAX.iva && !ivaBase.eq(dec(tax.taxableBase))) {
      yield finding(RULES['line.iva_base'], `${at}/taxes/${position}/taxable_base`, money(ivaBase), tax.taxableBase);
    }
  }
}

function* explainMissing(line: DocumentLine, at: string, asOf: string): Generator<Finding> {
  if (line.taxRateCode === null) {
    yield finding(RULES['line.taxes_missing'], `${at}/tax_rate_code`);
    return;
  }
  const codes = { taxCode: line.taxCode, taxRateCode: line.taxRateCode };
  const rate = yield* checkCodes(codes, { taxCode: `${at}/tax_code`, rateCode: `${at}/tax_rate_code` }, asOf);
  if (rate !== null) yield finding(RULES['line.taxes_not_derivable'], `${at}/tax_code`, TAX.iva, line.taxCode);
}

function* checkMaterial({ taxes, auxCode }: DocumentLine, index: number, asOf: string): Generator<Finding> {
  const isReduced = taxes?.some(({ taxCode, taxRateCode }) => taxCode === TAX.iva && taxRateCode === CONSTRUCTION_RATE) ?? false;
  if (isReduced && lookup(CONSTRUCTION_MATERIALS, auxCode ?? '', asOf) === undefined) {
    yield finding(RULES['line.construction_material'], `/lines/${index}/aux_code`, 'F01…', auxCode);
  }
}

/** A line of bags tells in its quantity how many there are: of no other tax per unit does a line tell the units. */
function* checkPlasticBags({ taxes, mainCode, quantity }: DocumentLine, index: number, asOf: string): Generator<Finding> {
  for (const [position, tax] of (taxes ?? []).entries()) {
    if (tax.taxCode !== TAX.ice || tax.taxRateCode !== PLASTIC_BAGS || tax.tariff === null) continue;
    if (lookup(PLASTIC_BAG_CODES, mainCode ?? '', asOf) === undefined) {
      yield finding(RULES['line.plastic_bag'], `/lines/${index}/main_code`, PLASTIC_BAG_CODES.rows.map(({ code }) => code).join(', '), mainCode);
      continue;
    }
    const expected = taxAmount(quantity, tax.tariff);
    if (!nearly(expected, tax.taxAmount)) {
      yield finding(RULES['line.plastic_bag_amount'], `/lines/${index}/taxes/${position}/tax_amount`, money(expected), tax.taxAmount);
    }
  }
}

function* checkGroups(content: DocumentContent): Generator<Finding> {
  const ofLines = new Map<string, DocumentTax[]>();
  for (const tax of content.lines.flatMap((line) => line.taxes ?? [])) {
    const members = ofLines.get(groupKey(tax));
    if (members === undefined) ofLines.set(groupKey(tax), [tax]);
    else members.push(tax);
  }
  for (const [tax, index] of repeated(content.taxes, groupKey)) {
    yield finding(RULES['taxes.repeated'], `/taxes/${index}`, null, groupKey(tax));
  }
  for (const [index, tax] of content.taxes.entries()) {
    const pointers = pointersTo(`/taxes/${index}`);
    const rate = yield* checkTaxEntry(tax, pointers, ratesDay(content));
    const members = ofLines.get(groupKey(tax));
    if (members === undefined) {
      // An unknown or expired code was named above; its lines could not be derived.
      if (rate !== null) yield finding(RULES['taxes.without_line'], `/taxes/${index}`, null, groupKey(tax));
      continue;
    }
    yield* checkGroup({ content, tax, members, at: `/taxes/${index}`, rate });
  }
  const declared = new Set(content.taxes.map(groupKey));
  for (const key of ofLines.keys()) {
    if (!declared.has(key)) yield finding(RULES['taxes.missing'], '/taxes', key);
  }
}

/** A tax of the header with those of the lines that it sums up. */
interface TaxGroup {
  readonly content: DocumentContent;
  readonly tax: DocumentTax;
  readonly members: readonly DocumentTax[];
  /** Its pointer. */
  readonly at: string;
  readonly rate: TaxRate | null;
}

function* checkGroup(group: TaxGroup): Generator<Finding> {
  const { tax, members, at } = group;
  yield* checkTariff(group);
  const base = sum(members.map((member) => member.taxableBase));
  if (!nearly(base, tax.taxableBase)) {
    yield finding(RULES['taxes.base'], `${at}/taxable_base`, money(base), tax.taxableBase);
  }
  yield* checkGroupAmount(group);
}

/** The sum of the lines' taxes or, of some taxes, the tax of the group's base; either way no further apart than rounding explains. */
function* checkGroupAmount({ content, tax, members, at, rate }: TaxGroup): Generator<Finding> {
  const amount = sum(members.map((member) => member.taxAmount));
  const isOfBase = isTaxOfBase(content, tax, rate);
  if (!isOfBase && !nearly(amount, tax.taxAmount)) {
    yield finding(RULES['taxes.amount'], `${at}/tax_amount`, money(amount), tax.taxAmount);
    return;
  }
  if (rate === null || rate.specific !== null) return;
  const effective = effectiveRate(tax, rate);
  const exact = dec(tax.taxableBase).times(dec(effective));
  if (isOfBase) {
    yield* checkNothingDue(tax, rate, `${at}/tax_amount`);
    // A debit note shows no taxes of lines.
    if (content.documentType !== DEBIT_NOTE && !nearly(amount, tax.taxAmount) && !nearly(exact, amount, roundedAway(members, effective))) {
      yield finding(RULES['taxes.amount'], `${at}/tax_amount`, money(amount), tax.taxAmount);
    }
    return;
  }
  const leeway = Decimal.max(leewayOf(members.length, exact), roundedAway(members, effective));
  if (!nearly(exact, tax.taxAmount, leeway)) yield finding(amountRule(tax), `${at}/tax_amount`, money(exact), tax.taxAmount);
  else if (tax.taxCode === TAX.iva && content.documentType !== DEBIT_NOTE && !nearly(money(exact), tax.taxAmount)) {
    yield finding(RULES['taxes.amount_of_lines'], `${at}/tax_amount`, money(exact), tax.taxAmount);
  }
}

/**
 * Lines that are rounded to the nearest cent may add up to more than a cent beside base x rate, but never to more than half a cent
 * each and the cent by which a line or the group may be off. Nothing is rounded where nothing is due.
 */
const leewayOf = (lines: number, exact: Decimal): Decimal => roundingOf(exact.isZero() ? 2 : lines + 2);

/**
 * By how much the lines can be beside base x rate because each was rounded, up or down, and the cent by which a line or the group may
 * be off. Of a line that is a cent or more beside its tax no more than the nearest cent was rounding.
 */
function roundedAway(members: readonly DocumentTax[], rate: string): Decimal {
  let total = CENT;
  for (const { taxableBase, taxAmount: told } of members) {
    const exact = dec(taxableBase).times(dec(rate));
    const off = exact.minus(dec(told)).abs();
    total = total.plus(off.lt(CENT) ? off : round2(exact).minus(exact).abs());
  }
  return total;
}

/**
 * A tariff per unit, as that of bottles, must be one of those in the lines, if all lines give theirs. For a tax that is in part
 * a percentage, as most of ICE, the group may give the one or the other.
 */
function* checkTariff({ tax: { tariff }, members, at, rate }: TaxGroup): Generator<Finding> {
  if (tariff === null || rate === null || rate.specific === null || rate.percent !== null) return;
  const told = members.flatMap((member) => member.tariff ?? []);
  if (told.length === members.length && !told.some((one) => sameDecimal(one, tariff))) {
    yield finding(RULES['taxes.tariff'], `${at}/tariff`, told[0], tariff);
  }
}

/**
 * Whether the amount is that of the group's base, rounded once. It may stand instead of the sum of the lines' own amounts: for IVA,
 * and for every tax whose rate binds in a debit note, which shows no taxes of lines.
 */
function isTaxOfBase({ documentType }: DocumentContent, tax: DocumentTax, rate: TaxRate | null): boolean {
  if (rate === null || !rate.binding || !(tax.taxCode === TAX.iva || documentType === DEBIT_NOTE)) return false;
  return nearly(taxAmount(tax.taxableBase, effectiveRate(tax, rate)), tax.taxAmount);
}

/** `codesAt`: where its two codes stand, if elsewhere. Values that a line derives from them are never wrong. */
function pointersTo(at: string, codesAt = at): TaxPointers {
  return {
    taxCode: `${codesAt}/tax_code`,
    rateCode: `${codesAt}/tax_rate_code`,
    rate: `${at}/rate`,
    tariff: `${at}/tariff`,
    amount: `${at}/tax_amount`,
  };
}

/** The tax that a line's own two codes name. */
const isOwn = (tax: DocumentTax, line: DocumentLine): boolean => tax.taxCode === line.taxCode && tax.taxRateCode === line.taxRateCode;
