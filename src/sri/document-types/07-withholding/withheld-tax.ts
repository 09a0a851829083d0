import { dec, money, sameDecimal } from '../../../shared/decimal.js';
import type { Finding } from '../../../shared/finding.js';
import { fractionOf, nearly, taxAmount } from '../../money.js';
import { isKnown, lookup } from '../../tables/code-table.js';
import { WITHHELD_TAX, withholdingTable } from '../../tables/withholding.js';
import { defineRules, excerpt, finding } from '../rules/rule.js';
import { checkZero } from '../rules/tax-entry.js';
import { checkText } from '../rules/texts.js';

const TABLES = 'Ficha técnica 2.32, tablas 19 y 20; catálogo del ATS 3.10';

const RULES = defineRules({
  'withholding.tax': {
    es: 'Se retiene renta (1), IVA (2) o ISD (6)',
    en: 'Income tax (1), IVA (2) or ISD (6) is withheld',
    reference: 'Ficha técnica 2.32, tabla 19',
  },
  'withholding.code': {
    es: 'Código de retención desconocido o no vigente (los casilleros 721 a 731 no son códigos)',
    en: 'Unknown withholding code, or not in force (the form boxes 721 to 731 are no codes)',
    reference: TABLES,
  },
  'withholding.code_unlisted': {
    severity: 'warning',
    es: 'El código de retención de renta no está en el catálogo conocido en esta fecha; verifíquelo',
    en: 'The income-tax code is not in the known catalogue on this date; verify it',
    reference: TABLES,
  },
  'withholding.rate': {
    es: 'El porcentaje no corresponde al código de retención',
    en: 'The percentage does not belong to the withholding code',
    reference: TABLES,
  },
  'withholding.rate_unusual': {
    severity: 'warning',
    es: 'El porcentaje difiere del publicado para este código de renta en esta fecha; verifíquelo',
    en: 'The percentage differs from the one published for this income-tax code on this date; verify it',
    reference: TABLES,
  },
  'withholding.percentage': {
    es: 'Un porcentaje tiene como máximo tres cifras significativas y no supera 100',
    en: 'A percentage has at most three significant digits and does not exceed 100',
    reference: 'Ficha técnica 2.32, anexo del comprobante de retención',
  },
  'withholding.amount': {
    es: 'El valor retenido no es base imponible × porcentaje',
    en: 'The amount withheld is not taxable base × percentage',
    reference: 'Ficha técnica 2.32, anexo del comprobante de retención y mensaje 52',
  },
});

/** What both forms hold of one withheld tax. */
export interface WithheldEntry {
  readonly taxCode: string;
  readonly code: string;
  readonly base: string;
  /** Percentage, `1.75`. */
  readonly percent: string;
  readonly amount: string;
}

export interface WithheldPointers {
  readonly taxCode: string;
  readonly code: string;
  readonly percent: string;
  readonly amount: string;
}

/**
 * One withheld tax: code and percentage at the date, amount = base x percentage within a cent, of which 0 % warns.
 *
 * @param days days whose table rows may hold: that of the certificate and that of the supporting document
 */
export function* checkWithheldTax(
  entry: WithheldEntry,
  at: WithheldPointers,
  days: readonly string[],
): Generator<Finding> {
  yield* checkCode(entry, at, days);
  yield* checkPercentage(entry.percent, at.percent);
  const expected = taxAmount(entry.base, fractionOf(entry.percent));
  if (!nearly(expected, entry.amount)) {
    yield finding(RULES['withholding.amount'], at.amount, money(expected), entry.amount);
    return;
  }
  yield* checkZero(entry.percent, entry.amount, at.amount);
}

function* checkCode(entry: WithheldEntry, at: WithheldPointers, days: readonly string[]): Generator<Finding> {
  const table = withholdingTable(entry.taxCode);
  if (table === undefined) {
    yield finding(RULES['withholding.tax'], at.taxCode, '1, 2, 6', entry.taxCode);
    return;
  }
  // The catalogue of income tax is second-hand: what it says deserves a warning, not a refusal.
  const certain = entry.taxCode !== WITHHELD_TAX.income;
  const rows = days.flatMap((day) => lookup(table, entry.code, day) ?? []);
  if (rows.length === 0) {
    if (certain || isKnown(table, entry.code)) {
      yield finding(RULES[certain ? 'withholding.code' : 'withholding.code_unlisted'], at.code, null, entry.code);
    } else {
      yield* checkText({ pointer: at.code, value: entry.code, max: 5, apiMax: 10, required: true });
      yield finding(RULES['withholding.code_unlisted'], at.code, null, excerpt(entry.code));
    }
    return;
  }
  const percents = rows.flatMap(({ percent }) => percent ?? []);
  if (percents.length > 0 && !percents.some((percent) => sameDecimal(percent, entry.percent))) {
    const rule = RULES[certain ? 'withholding.rate' : 'withholding.rate_unusual'];
    yield finding(rule, at.percent, percents[0], entry.percent);
  }
}

/** `totalDigits` of the schema: 1.75, 150 and 100 fit, 12.75 does not. */
export const MOST_DIGITS = 3;

/** A percentage that is withheld, as the schema takes it and as far as there is something to withhold. */
function* checkPercentage(percent: string, pointer: string): Generator<Finding> {
  const value = dec(percent);
  if (value.gt(100) || value.precision(true) > MOST_DIGITS) {
    yield finding(RULES['withholding.percentage'], pointer, null, percent);
  }
}
