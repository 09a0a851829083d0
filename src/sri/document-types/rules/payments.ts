import { dec, money, sum } from '../../../shared/decimal.js';
import type { Finding } from '../../../shared/finding.js';
import { codesAsOf, isKnown, lookup } from '../../tables/code-table.js';
import { AMOUNT_LIMITS, LIMIT } from '../../tables/limits.js';
import { PAYMENT_METHODS, TIME_UNITS } from '../../tables/payments.js';
import type { DocumentContent } from '../content.js';
import { defineRules, finding, repeated } from './rule.js';

const TABLE_24 = 'Ficha técnica 2.32, tabla 24';

const RULES = defineRules({
  'payments.number_repeated': {
    es: 'El número de línea del pago está repetido',
    en: 'The line number of the payment is repeated',
    reference: TABLE_24,
  },
  'payments.method': {
    es: 'Forma de pago desconocida o fuera de vigencia',
    en: 'Payment method unknown or not in force',
    reference: TABLE_24,
  },
  'payments.sum': {
    es: 'Los pagos no suman el total',
    en: 'The payments do not add up to the total',
    reference: 'Ficha técnica 2.32, anexo 3 y tabla 24',
  },
  'payments.time_unit': {
    severity: 'warning',
    es: 'Unidad de tiempo poco usual; se envía tal cual',
    en: 'Unusual time unit; it is sent as it is',
    reference: TABLE_24,
  },
  'payments.time_unit_missing': {
    severity: 'warning',
    es: 'El plazo no dice su unidad de tiempo: indique time_unit',
    en: 'The term does not tell its unit of time: give time_unit',
    reference: TABLE_24,
  },
  'payments.cash': {
    severity: 'warning',
    es: 'El comprador no puede deducir un pago de este valor hecho fuera del sistema financiero',
    en: 'The buyer may not deduct a payment of this amount made outside the financial system',
    reference: 'LRTI, artículo 103',
  },
});

const CASH = '01';

/** Payment entries: known methods that add up to the total exactly. */
export function* checkPayments(content: DocumentContent): Generator<Finding> {
  const { payments, issueDate } = content;
  for (const [payment, index] of repeated(payments, ({ lineNumber }) => String(lineNumber))) {
    yield finding(
      RULES['payments.number_repeated'],
      `/payments/${index}/line_number`,
      null,
      String(payment.lineNumber),
    );
  }
  const cashLimit = lookup(AMOUNT_LIMITS, LIMIT.cash, issueDate);
  for (const [index, payment] of payments.entries()) {
    const { paymentMethodCode: method, term, timeUnit } = payment;
    if (lookup(PAYMENT_METHODS, method, issueDate) === undefined) {
      yield finding(RULES['payments.method'], `/payments/${index}/payment_method_code`, codesAsOf(PAYMENT_METHODS, issueDate), method);
    }
    if (timeUnit !== null && timeUnit !== '' && !isKnown(TIME_UNITS, timeUnit)) {
      yield finding(RULES['payments.time_unit'], `/payments/${index}/time_unit`, codesAsOf(TIME_UNITS, issueDate), timeUnit);
    }
    if (term !== null && term > 0 && (timeUnit === null || timeUnit === '')) {
      yield finding(RULES['payments.time_unit_missing'], `/payments/${index}/time_unit`, 'dias, meses…');
    }
    if (method === CASH && cashLimit !== undefined && dec(payment.total).gt(dec(cashLimit.amount))) {
      yield finding(RULES['payments.cash'], `/payments/${index}/total`, cashLimit.amount, payment.total);
    }
  }
  const cash = payments.filter(({ paymentMethodCode }) => paymentMethodCode === CASH).map(({ total }) => total);
  const isTooMuch = (total: string): boolean => cashLimit !== undefined && dec(total).gt(dec(cashLimit.amount));
  // Entries of cash that pass one by one, and not together.
  if (isTooMuch(money(sum(cash))) && !cash.some(isTooMuch)) {
    yield finding(RULES['payments.cash'], '/payments', cashLimit?.amount, money(sum(cash)));
  }
  const paid = sum(payments.map((payment) => payment.total));
  if (!paid.eq(dec(content.total))) yield finding(RULES['payments.sum'], '/payments', content.total, money(paid));
}
