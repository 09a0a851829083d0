import type { DocumentContent, DocumentTax, SupportingDocument, SupportingTax, WithheldTax } from '../../../src/sri/document-types/content.js';
import { Decimal } from '../../../src/shared/decimal.js';
import { rowsAsOf } from '../../../src/sri/tables/code-table.js';
import { PAYMENT_METHODS } from '../../../src/sri/tables/payments.js';
import { ICE_RATES } from '../../../src/sri/tables/taxes.js';
import {
  BANANA_CODES,
  INCOME_WITHHOLDING,
  ISD_WITHHOLDING,
  IVA_WITHHOLDING,
} from '../../../src/sri/tables/withholding.js';
import { ivaRates, reimbursement } from './goods.js';
import { addDays, cents, dec, money, type Random, round2 } from './random.js';

type Fields = Partial<DocumentContent>;

/** What a withholding certificate has beyond the common fields, short or full, footing. */
export function withholding(random: Random, issueDate: string, foreignBuyer: boolean): Fields {
  return random.chance(0.4) ? shortForm(random, issueDate) : fullForm(random, issueDate, foreignBuyer);
}

function shortForm(random: Random, issueDate: string): Fields {
  const day = addDays(issueDate, -random.int(0, 10));
  const seen = new Set<string>();
  const taxes = random
    .list(1, 4, () => withheld(random, random.pick(['1', '1', '2', '6']), random.amount(), issueDate, '01'))
    .filter(
      ({ taxCode, withholdingCode }) =>
        !seen.has(`${taxCode}/${withholdingCode}`) && seen.add(`${taxCode}/${withholdingCode}`),
    )
    .map(summaryOf);
  return {
    ...header(random, taxes, random.amount()),
    modifiedDocumentType: random.pick(['01', '02', '03', '12', '41']),
    modifiedDocumentNumber: random.documentNumber(),
    modifiedDocumentIssueDate: day,
  };
}

function fullForm(random: Random, issueDate: string, foreignBuyer: boolean): Fields {
  const supportingDocuments = random.list(1, 4, () => supportingDocument(random, issueDate));
  const net = supportingDocuments.reduce((total, { subtotal }) => total.plus(subtotal), dec('0'));
  const groups = new Map<string, DocumentTax>();
  for (const entry of supportingDocuments.flatMap((document) => document.withholdings)) {
    const tax = summaryOf(entry);
    const key = `${tax.taxCode}/${tax.taxRateCode}/${tax.rate}`;
    const group = groups.get(key);
    groups.set(key, {
      ...tax,
      taxableBase: money(dec(tax.taxableBase).plus(group?.taxableBase ?? '0')),
      taxAmount: money(dec(tax.taxAmount).plus(group?.taxAmount ?? '0')),
    });
  }
  return {
    ...header(random, [...groups.values()], money(net)),
    withholding: {
      fiscalPeriod: `${issueDate.slice(5, 7)}/${issueDate.slice(0, 4)}`,
      relatedParty: random.chance(0.3),
      subjectType: foreignBuyer ? random.pick(['01', '02']) : null,
      supportingDocuments,
    },
  };
}

/** One line over the net of what was bought; totals are what is withheld. */
function header(random: Random, taxes: readonly DocumentTax[], net: string): Fields {
  const withheldTotal = money(taxes.reduce((total, { taxAmount }) => total.plus(taxAmount), dec('0')));
  return {
    subtotal: net,
    totalDiscount: '0.00',
    totalTax: withheldTotal,
    total: withheldTotal,
    taxes,
    lines: [
      {
        lineNumber: 1,
        description: random.text(300),
        mainCode: null,
        auxCode: null,
        unitOfMeasure: null,
        quantity: '1.000000',
        unitPrice: `${net}0000`,
        discount: '0.00',
        subtotal: net,
        taxCode: '2',
        taxRateCode: '4',
        taxes: null,
        additionalDetails: [],
      },
    ],
  };
}

const summaryOf = (entry: WithheldTax): DocumentTax => ({
  taxCode: entry.taxCode,
  taxRateCode: entry.withholdingCode,
  taxableBase: entry.taxableBase,
  rate: dec(entry.rate).div(100).toFixed(4),
  taxAmount: entry.amount,
  tariff: null,
});

function supportingDocument(random: Random, issueDate: string): SupportingDocument {
  const day = addDays(issueDate, -random.int(0, 20));
  const abroad = random.chance(0.2);
  const sustentoCode = random.pick(['01', '02', '03', '06', '10']);
  const documentType = random.pick(['01', '01', '03', '19', '41']);
  const ivas = [supportingTax(random, day), ...(random.chance(0.4) ? [supportingTax(random, day)] : [])];
  const taxes = random.chance(0.2) ? [...ivas, excise(random, day)] : ivas;
  const net = ivas.reduce((total, { taxableBase }) => total.plus(taxableBase), dec('0'));
  const iva = ivas.reduce((total, { taxAmount }) => total.plus(taxAmount), dec('0'));
  const charged = taxes.reduce((total, { taxAmount }) => total.plus(taxAmount), net);
  const total = money(random.chance(0.2) ? charged.plus(random.amount()) : charged);
  const first = random.chance(0.6) ? money(net) : money(net.times(random.int(0, 100)).div(100));
  const rest = money(net.minus(first));
  const withholdings = [
    withheld(random, '1', first, issueDate, sustentoCode),
    ...(dec(rest).isZero() ? [] : [withheld(random, '1', rest, issueDate, sustentoCode)]),
    ...(random.chance(0.6) ? [withheld(random, '2', money(iva), issueDate, sustentoCode)] : []),
    ...(abroad && random.chance(0.5) ? [withheld(random, '6', money(net), issueDate, sustentoCode)] : []),
  ];
  return {
    sustentoCode,
    documentType,
    number: random.documentNumber(),
    issueDate: day,
    accountingDate: random.maybe(0.5, () => issueDate),
    authorizationNumber: random.maybe(0.8, () => random.authorization(day)),
    paymentLocation: abroad ? '02' : '01',
    regimeType: abroad ? random.pick(['01', '02', '03']) : null,
    country: abroad ? '110' : null,
    treaty: abroad ? random.chance(0.5) : null,
    subtotal: money(net),
    total,
    taxes,
    withholdings,
    payments: [{ paymentMethodCode: random.pick(rowsAsOf(PAYMENT_METHODS, issueDate)).code, total }],
    reimbursements: documentType === '41' ? random.list(1, 2, () => reimbursement(random, day, true)) : [],
  };
}

function supportingTax(random: Random, day: string): SupportingTax {
  const row = random.pick(ivaRates(day));
  const taxableBase = random.amount();
  const exact = round2(dec(taxableBase).times(row.percent).div(100));
  const taxAmount = money(exact.isZero() || random.chance(0.8) ? exact : exact.plus(Decimal.min(exact, cents(random.int(0, 500)))));
  return { taxCode: '2', taxRateCode: row.code, taxableBase, tariff: row.percent, taxAmount };
}

function excise(random: Random, day: string): SupportingTax {
  const rows = rowsAsOf(ICE_RATES, day).filter(({ percent, specific }) => percent !== null && specific === null);
  const { code, percent } = random.pick([...rows, { code: '3533', percent: null }]);
  const [taxableBase, tariff] = [random.amount(), percent ?? '0.00'];
  const taxAmount = random.chance(0.3) ? random.amount() : money(round2(dec(taxableBase).times(tariff).div(100)));
  return { taxCode: '3', taxRateCode: code, taxableBase, tariff, taxAmount };
}

function withheld(
  random: Random,
  taxCode: string,
  taxableBase: string,
  issueDate: string,
  sustentoCode: string,
): WithheldTax {
  const table = { '1': INCOME_WITHHOLDING, '2': IVA_WITHHOLDING, '6': ISD_WITHHOLDING }[taxCode];
  const row = random.pick(rowsAsOf(table ?? INCOME_WITHHOLDING, issueDate));
  const rate = row.percent ?? random.pick(['0.00', '1.00', '5.00', '10.00', '25.00']);
  const exact = round2(dec(taxableBase).times(rate).div(100));
  const amount = random.chance(0.1) ? exact.plus('0.01') : exact;
  const isIncome = taxCode === '1';
  return {
    taxCode,
    withholdingCode: row.code,
    taxableBase,
    rate,
    amount: money(amount),
    dividend:
      isIncome && sustentoCode === '10'
        ? { paymentDate: issueDate, incomeTaxPaid: random.amount(), fiscalYear: String(random.int(2015, 2025)) }
        : null,
    bananaBoxes:
      isIncome && BANANA_CODES.includes(row.code)
        ? { boxes: random.int(0, 9_999_999), pricePerBox: cents(random.int(1, 2_000)) }
        : null,
  };
}
