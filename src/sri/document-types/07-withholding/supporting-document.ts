import { dec, money, sum } from '../../../shared/decimal.js';
import type { Finding } from '../../../shared/finding.js';
import { daysBetween } from '../../../shared/guayaquil.js';
import { nearly } from '../../money.js';
import { codesAsOf, lookup } from '../../tables/code-table.js';
import { PAYMENT_METHODS } from '../../tables/payments.js';
import { REIMBURSEMENT_DOCUMENT, REIMBURSEMENT_NOTES, SUPPORTING_NOTES, SUSTENTO_CODES } from '../../tables/supporting-documents.js';
import { TAX } from '../../tables/taxes.js';
import { BANANA_CODES, WITHHELD_TAX } from '../../tables/withholding.js';
import type { DocumentContent, SupportingDocument, SupportingTax, WithheldTax } from '../content.js';
import { rucOf } from '../rules/identification.js';
import { checkReimbursements } from '../rules/reimbursements.js';
import { defineRules, excerpt, finding, repeated } from '../rules/rule.js';
import { checkSupport, supportPointers } from '../rules/supporting-reference.js';
import { checkTaxEntry, checkTaxOfOther, tariffOf } from '../rules/tax-entry.js';
import { groupKey } from '../tax-rates.js';
import { checkPaymentPlace } from './payment-place.js';
import { checkWithheldTax, MOST_DIGITS } from './withheld-tax.js';

const ANNEX = 'Ficha técnica 2.32, anexo del comprobante de retención 2.0.0';

const SUPPORT_RULES = defineRules({
  'withholding.late': {
    severity: 'warning',
    es: 'El comprobante de retención se emite hasta cinco días después del documento de sustento',
    en: 'A withholding certificate is issued within five days after the supporting document',
    reference: 'Reglamento de comprobantes de venta, artículo 8',
  },
});

const RULES = defineRules({
  'withholding.date_unusual': {
    severity: 'warning',
    es: 'La fecha está a más de cinco años antes o uno después de la emisión de la retención: verifíquela',
    en: 'The date is more than five years before or one after the issue of the certificate: verify it',
    reference: ANNEX,
  },
  'withholding.sustento': {
    es: 'Código de sustento desconocido',
    en: 'Unknown sustento code',
    reference: 'Catálogo del ATS, tabla 5',
  },
  'withholding.empty': {
    es: 'Se necesita al menos un elemento',
    en: 'At least one element is needed',
    reference: ANNEX,
  },
  'withholding.income_base': {
    es: 'Las bases de renta deben sumar el total sin impuestos del documento; lo no sujeto va con código 332 y 0 %',
    en: "The income-tax bases must add up to the document's subtotal; what is not subject goes with code 332 and 0 %",
    reference: `${ANNEX} y mensaje 52`,
  },
  'withholding.iva_base_exceeded': {
    es: 'Las bases de IVA suman más que el IVA del documento',
    en: "The IVA bases add up to more than the document's IVA",
    reference: `${ANNEX} y mensaje 52`,
  },
  'withholding.iva_base_partial': {
    severity: 'warning',
    es: 'Las bases de IVA suman menos que el IVA del documento: verifique que no falte ninguna; lo no retenido puede ir con código 7 u 8',
    en: "The IVA bases add up to less than the document's IVA: verify that none is missing; what is not withheld may go with code 7 or 8",
    reference: ANNEX,
  },
  'withholding.document_total': {
    severity: 'warning',
    es: 'El importe total no es su total sin impuestos más impuestos: verifique propina, flete, terceros, IVA devuelto',
    en: "The document's total is not its subtotal plus taxes: verify tip, freight, third-party charges, refunded IVA",
    reference: 'Ficha técnica 2.32, anexo 3',
  },
  'withholding.tariff': {
    es: 'La tarifa tiene como máximo tres cifras significativas',
    en: 'The tariff has at most three significant digits',
    reference: ANNEX,
  },
  'withholding.payment_method': {
    es: 'Forma de pago desconocida o fuera de vigencia',
    en: 'Payment method unknown or not in force',
    reference: 'Ficha técnica 2.32, tabla 24',
  },
  'withholding.payments': {
    es: 'Los pagos no suman el importe total del documento',
    en: "The payments do not add up to the document's total",
    reference: `${ANNEX} y mensaje 52`,
  },
  'withholding.dividend': {
    es: 'Con sustento 10 cada retención de renta detalla el dividendo; con otro, ninguna',
    en: 'With sustento 10 every income-tax entry tells the dividend; with another, none',
    reference: ANNEX,
  },
  'withholding.fiscal_year': {
    es: 'El ejercicio de las utilidades es un año de 1900 a 2099',
    en: 'The year of the profits is one from 1900 to 2099',
    reference: ANNEX,
  },
  'withholding.banana_boxes': {
    es: 'Los códigos de banano detallan cajas y precio; los demás, no',
    en: 'The banana codes tell boxes and price; the others do not',
    reference: ANNEX,
  },
  'withholding.banana_count': {
    es: 'El número de cajas va de 0 a 9999999',
    en: 'The number of boxes is from 0 to 9999999',
    reference: ANNEX,
  },
  'withholding.tax_repeated': {
    severity: 'warning',
    es: 'El impuesto y tarifa ya están en otra entrada de este documento: verifique que no conste dos veces',
    en: 'Another entry of this document has this tax and rate already: verify that it is not told twice',
    reference: ANNEX,
  },
  'withholding.iva_bases': {
    severity: 'warning',
    es: 'Las bases de IVA, también las de tarifa 0 %, no suman el subtotal más el ICE: verifique que no falte ninguna',
    en: 'The IVA bases, those at 0 % too, do not add up to the subtotal plus ICE: verify that none is missing',
    reference: ANNEX,
  },
  'withholding.reimbursements': {
    es: 'El documento tipo 41 detalla los reembolsos, sus notas (47, 48) pueden; los demás, no',
    en: 'A document of type 41 lists its reimbursements, its notes (47, 48) may; others do not',
    reference: ANNEX,
  },
  'withholding.reimbursement_tariff': {
    es: 'En los reembolsos de una retención la tarifa es un número entero; de una por unidad con decimales indique tariff 0',
    en: 'In the reimbursements of a withholding the tariff is a whole number; of one per unit with decimals give tariff 0',
    reference: ANNEX,
  },
});

const DIVIDENDS = '10';
const DAYS_TO_ISSUE = 5;
const MOST_DAYS_AHEAD = 366;
const MOST_DAYS_BEHIND = 5 * 366;
const MOST_BOXES = 9_999_999;

/** One supporting document of the full form, of a certificate of this day and buyer: itself, its taxes, what is withheld, how it was paid. */
export function* checkSupportingDocument(
  document: SupportingDocument,
  at: string,
  { issueDate, buyerIdType, buyerId }: Pick<DocumentContent, 'issueDate' | 'buyerIdType' | 'buyerId'>,
): Generator<Finding> {
  if (lookup(SUSTENTO_CODES, document.sustentoCode, issueDate) === undefined) {
    yield finding(RULES['withholding.sustento'], `${at}/sustento_code`, codesAsOf(SUSTENTO_CODES, issueDate), excerpt(document.sustentoCode));
  }
  yield* checkSupport({ ...document, sellerRuc: rucOf(buyerIdType, buyerId) }, supportPointers(at), issueDate);
  yield* checkDelay(document.issueDate, `${at}/issue_date`, issueDate);
  yield* checkNearness(document.accountingDate, `${at}/accounting_date`, issueDate);
  yield* checkPaymentPlace(document, at, issueDate);
  for (const list of ['taxes', 'withholdings', 'payments'] as const) {
    if (document[list].length === 0) yield finding(RULES['withholding.empty'], `${at}/${list}`);
  }
  for (const [index, tax] of document.taxes.entries()) {
    yield* checkSupportingTax(tax, `${at}/taxes/${index}`, document);
  }
  for (const [index, entry] of document.withholdings.entries()) {
    yield* checkEntry(entry, `${at}/withholdings/${index}`, document, issueDate);
  }
  yield* checkTaxGroups(document, at);
  yield* checkSums(document, at);
  yield* checkPayments(document, at, issueDate);
  yield* checkReimbursed(document, at, issueDate);
}

/** Warns about a certificate later than the days the regulation gives. */
export function* checkDelay(supportDate: string, pointer: string, issueDate: string): Generator<Finding> {
  if (daysBetween(supportDate, issueDate) > DAYS_TO_ISSUE) {
    yield finding(SUPPORT_RULES['withholding.late'], pointer, `+${DAYS_TO_ISSUE} d`, supportDate);
  }
}

/** Warns of a day so far off that the year may be a slip. */
function* checkNearness(day: string | null, pointer: string, issueDate: string): Generator<Finding> {
  if (day === null) return;
  const ahead = daysBetween(issueDate, day);
  if (ahead > MOST_DAYS_AHEAD || -ahead > MOST_DAYS_BEHIND) yield finding(RULES['withholding.date_unusual'], pointer, issueDate, day);
}

function* checkSupportingTax(tax: SupportingTax, at: string, { documentType, issueDate }: SupportingDocument): Generator<Finding> {
  const { taxCode, taxRateCode, taxableBase, tariff, taxAmount } = tax;
  if (dec(tariff).precision(true) > MOST_DIGITS) {
    yield finding(RULES['withholding.tariff'], `${at}/tariff`, null, tariff);
  }
  const seen = { taxCode, taxRateCode, taxableBase, taxAmount, tariff, rate: '0' };
  const pointers = {
    taxCode: `${at}/tax_code`,
    rateCode: `${at}/tax_rate_code`,
    rate: `${at}/tariff`,
    tariff: `${at}/tariff`,
    amount: `${at}/tax_amount`,
  };
  const rate = yield* checkTaxEntry(seen, pointers, issueDate, { isNote: SUPPORTING_NOTES.includes(documentType), tariffsOnly: true });
  if (rate !== null) yield* checkTaxOfOther(seen, rate, pointers);
}

function* checkEntry(
  entry: WithheldTax,
  at: string,
  document: SupportingDocument,
  issueDate: string,
): Generator<Finding> {
  yield* checkWithheldTax(
    {
      taxCode: entry.taxCode,
      code: entry.withholdingCode,
      base: entry.taxableBase,
      percent: entry.rate,
      amount: entry.amount,
    },
    { taxCode: `${at}/tax_code`, code: `${at}/withholding_code`, percent: `${at}/rate`, amount: `${at}/amount` },
    [issueDate, document.issueDate],
  );
  const isIncome = entry.taxCode === WITHHELD_TAX.income;
  if ((entry.dividend !== null) !== (isIncome && document.sustentoCode === DIVIDENDS)) {
    yield finding(RULES['withholding.dividend'], `${at}/dividend`, null, excerpt(document.sustentoCode));
  }
  if (entry.dividend !== null && !/^(19|20)[0-9]{2}$/.test(entry.dividend.fiscalYear)) {
    const actual = excerpt(entry.dividend.fiscalYear);
    yield finding(RULES['withholding.fiscal_year'], `${at}/dividend/fiscal_year`, null, actual);
  }
  yield* checkNearness(entry.dividend?.paymentDate ?? null, `${at}/dividend/payment_date`, issueDate);
  if ((entry.bananaBoxes !== null) !== (isIncome && BANANA_CODES.includes(entry.withholdingCode))) {
    yield finding(RULES['withholding.banana_boxes'], `${at}/banana_boxes`, null, excerpt(entry.withholdingCode));
  }
  const boxes = entry.bananaBoxes?.boxes ?? 0;
  if (boxes < 0 || boxes > MOST_BOXES) {
    yield finding(RULES['withholding.banana_count'], `${at}/banana_boxes/boxes`, `≤ ${MOST_BOXES}`, String(boxes));
  }
}

/** The purchase must be as the tax authority reads it: each tax and rate once, and all that was bought under some rate of IVA. */
function* checkTaxGroups({ taxes, subtotal }: SupportingDocument, at: string): Generator<Finding> {
  for (const [tax, index] of repeated(taxes, groupKey)) {
    yield finding(RULES['withholding.tax_repeated'], `${at}/taxes/${index}`, null, groupKey(tax));
  }
  const ivas = taxes.filter(({ taxCode }) => taxCode === TAX.iva);
  const bases = sum(ivas.map(({ taxableBase }) => taxableBase));
  const expected = sum([subtotal, ...taxes.filter(({ taxCode }) => taxCode === TAX.ice).map(({ taxAmount }) => taxAmount)]);
  if (ivas.length > 0 && !nearly(expected, bases)) {
    yield finding(RULES['withholding.iva_bases'], `${at}/taxes`, money(expected), money(bases));
  }
}

function* checkSums(document: SupportingDocument, at: string): Generator<Finding> {
  const { withholdings, taxes, subtotal, total } = document;
  const bases = (taxCode: string) =>
    sum(withholdings.filter((entry) => entry.taxCode === taxCode).map((entry) => entry.taxableBase));
  const income = bases(WITHHELD_TAX.income);
  if (!income.eq(dec(subtotal))) {
    yield finding(RULES['withholding.income_base'], `${at}/withholdings`, subtotal, money(income));
  }
  const iva = sum(taxes.filter(({ taxCode }) => taxCode === TAX.iva).map(({ taxAmount }) => taxAmount));
  const ofIva = bases(WITHHELD_TAX.iva);
  const withIva = withholdings.some(({ taxCode }) => taxCode === WITHHELD_TAX.iva);
  if (withIva && !nearly(ofIva, iva)) {
    // Only of income tax is the whole sum demanded.
    const rule = RULES[ofIva.gt(iva) ? 'withholding.iva_base_exceeded' : 'withholding.iva_base_partial'];
    yield finding(rule, `${at}/withholdings`, money(iva), money(ofIva));
  }
  const expected = sum(taxes.map(({ taxAmount }) => taxAmount)).plus(dec(subtotal));
  if (!expected.eq(dec(total))) {
    yield finding(RULES['withholding.document_total'], `${at}/total`, money(expected), total);
  }
}

function* checkPayments(document: SupportingDocument, at: string, issueDate: string): Generator<Finding> {
  for (const [index, { paymentMethodCode: method }] of document.payments.entries()) {
    if (lookup(PAYMENT_METHODS, method, issueDate) === undefined) {
      const pointer = `${at}/payments/${index}/payment_method_code`;
      yield finding(RULES['withholding.payment_method'], pointer, codesAsOf(PAYMENT_METHODS, issueDate), excerpt(method));
    }
  }
  const paid = sum(document.payments.map((payment) => payment.total));
  if (document.payments.length > 0 && !paid.eq(dec(document.total))) {
    yield finding(RULES['withholding.payments'], `${at}/payments`, document.total, money(paid));
  }
}

function* checkReimbursed(document: SupportingDocument, at: string, issueDate: string): Generator<Finding> {
  const { reimbursements, documentType } = document;
  const isListed = reimbursements.length > 0;
  if (isListed !== (documentType === REIMBURSEMENT_DOCUMENT) && !(isListed && REIMBURSEMENT_NOTES.includes(documentType))) {
    yield finding(
      RULES['withholding.reimbursements'],
      `${at}/reimbursements`,
      null,
      excerpt(documentType),
    );
  }
  yield* checkReimbursements(reimbursements, `${at}/reimbursements`, issueDate, { wholeTariffs: true });
  for (const [index, { taxes }] of reimbursements.entries()) {
    for (const [position, tax] of taxes.entries()) {
      const tariff = tariffOf(tax);
      if (dec(tariff).isInteger()) continue;
      const told = `${at}/reimbursements/${index}/taxes/${position}`;
      if (tax.tariff === null) yield finding(RULES['withholding.reimbursement_tariff'], `${told}/rate`, null, tariff);
      else yield finding(RULES['withholding.reimbursement_tariff'], `${told}/tariff`, '0', tariff);
    }
  }
}
