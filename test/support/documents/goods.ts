import { taxRate } from '../../../src/sri/document-types/tax-rates.js';
import type {
  DocumentContent,
  DocumentLine,
  DocumentPayment,
  DocumentTax,
  ForeignTrade,
  Reimbursement,
  SubstituteGuide,
} from '../../../src/sri/document-types/content.js';
import { rowsAsOf } from '../../../src/sri/tables/code-table.js';
import { PAYMENT_METHODS } from '../../../src/sri/tables/payments.js';
import { CONSTRUCTION_MATERIALS, ICE_RATES, IVA_RATES, type IvaRate } from '../../../src/sri/tables/taxes.js';
import { Decimal } from '../../../src/shared/decimal.js';
import { addDays, cents, dec, money, type Random, round2 } from './random.js';

/** Random lines, taxes, totals and payments that foot, of the types that sell, buy or correct a sale. */

export interface Goods {
  readonly lines: readonly DocumentLine[];
  readonly taxes: readonly DocumentTax[];
}

export interface GoodsOptions {
  /** Day whose rates hold. */
  readonly ratesOn: string;
  readonly onlyIva: boolean;
  /** Motives of a debit note: quantity 1, no discount, taxes derived. */
  readonly motives: boolean;
  readonly most: number;
}

export function goods(random: Random, options: GoodsOptions): Goods {
  const slack = { spent: false, excise: random.maybe(0.1, () => '12.50') };
  const lines = numbered(
    random.list(1, options.most, () => line(random, options, slack)),
    random,
  );
  const taxes = groupsOf(random, lines, options, slack);
  return { lines, taxes };
}

function line(
  random: Random,
  { ratesOn, onlyIva, motives }: GoodsOptions,
  slack: Slack,
): Omit<DocumentLine, 'lineNumber'> {
  const quantity = motives ? '1.000000' : random.fine(2_000);
  const unitPrice = motives ? `${random.amount(1_000_00)}0000` : random.fine(5_000);
  const gross = round2(dec(quantity).times(unitPrice));
  const discount = motives || random.chance(0.6) ? '0.00' : portion(random, money(gross));
  // Half a cent below zero is nothing.
  const subtotal = money(Decimal.max(0, round2(dec(quantity).times(unitPrice).minus(discount))));
  const iva = random.pick(ivaRates(ratesOn));
  const itemised = !motives && random.chance(0.4);
  return {
    description: random.text(300),
    mainCode: random.maybe(0.8, () => random.text(25)),
    auxCode:
      iva.code === '5' ? random.pick(CONSTRUCTION_MATERIALS.rows).code : random.maybe(0.2, () => random.text(25)),
    unitOfMeasure: random.maybe(0.2, () => random.text(50)),
    quantity,
    unitPrice,
    discount,
    subtotal,
    taxCode: '2',
    taxRateCode: itemised ? null : iva.code,
    taxes: itemised ? itemisedTaxes(random, subtotal, iva, onlyIva, ratesOn, slack) : null,
    additionalDetails: motives ? [] : random.list(0, 3, () => ({ name: random.text(300), value: random.text(300) })),
  };
}

/** The rates of a day, among them those that a decree may have put to use. */
export const ivaRates = (day: string): readonly IvaRate[] => IVA_RATES.rows.filter(({ from, to }) => (from ?? '') <= day && day <= (to ?? '9'));

/** An amount from nothing to all of it. */
function portion(random: Random, amount: string): string {
  const whole = Math.min(Number(dec(amount).times(100)), 100_000_000);
  return random.chance(0.05) ? cents(whole) : cents(random.int(0, whole));
}

interface Slack {
  /** Whether a cent is off somewhere in the document already: rounding differs between billing systems. */
  spent: boolean;
  /** Percentage of excise that differs from the printed table, for the law moves on: a warning. */
  readonly excise: string | null;
}

/** The amount, or one cent beside it: once in a document at most. */
function nearly(random: Random, amount: string, slack: Slack): string {
  if (slack.spent || !random.chance(0.1)) return amount;
  const other = dec(amount).plus(random.pick(['0.01', '-0.01']));
  if (other.isNegative()) return amount;
  slack.spent = true;
  return money(other);
}

function itemisedTaxes(
  random: Random,
  subtotal: string,
  iva: { readonly code: string; readonly percent: string },
  onlyIva: boolean,
  ratesOn: string,
  slack: Slack,
): readonly DocumentTax[] {
  const taxes: DocumentTax[] = [];
  const ice = onlyIva || !random.chance(0.3) ? null : exciseTax(random, subtotal, ratesOn, slack);
  if (ice !== null) taxes.push(ice);
  const base = money(dec(subtotal).plus(ice?.taxAmount ?? '0'));
  const rate = dec(iva.percent).div(100).toFixed(4);
  const taxAmount = nearly(random, money(round2(dec(base).times(rate))), slack);
  const tariff = random.chance(0.1) ? iva.percent : null;
  taxes.push({ taxCode: '2', taxRateCode: iva.code, taxableBase: base, rate, taxAmount, tariff });
  if (!onlyIva && random.chance(0.1)) {
    const bottles = random.int(1, 500);
    const fields = { taxCode: '5', taxRateCode: '5001', rate: '0.0000', tariff: '0.02' };
    taxes.push({ ...fields, taxableBase: subtotal, taxAmount: cents(2 * bottles) });
  }
  return taxes;
}

function exciseTax(random: Random, subtotal: string, ratesOn: string, slack: Slack): DocumentTax {
  const rows = rowsAsOf(ICE_RATES, ratesOn);
  // A code that no table of ours has, by whatever rate.
  if (rows.length === 0 || random.chance(0.1)) {
    const fields = { taxCode: '3', taxRateCode: random.pick(['3533', '3541', '3072']), rate: '0.0000', tariff: null };
    return { ...fields, taxableBase: subtotal, taxAmount: random.amount(500_00) };
  }
  const row = random.pick(rows);
  if (row.specific !== null) {
    const fields = { taxCode: '3', taxRateCode: row.code, rate: '0.0000', tariff: row.specific.amount ?? '13.20' };
    return { ...fields, taxableBase: subtotal, taxAmount: random.amount(500_00) };
  }
  const percent = slack.excise ?? row.percent ?? '0.00';
  const rate = dec(percent).div(100).toFixed(4);
  const amount = random.chance(0.2) ? random.amount(500_00) : money(round2(dec(subtotal).times(rate)));
  const taxAmount = nearly(random, amount, slack);
  const tariff = dec(percent).gt(100) || random.chance(0.2) ? percent : null;
  return { taxCode: '3', taxRateCode: row.code, taxableBase: subtotal, rate, taxAmount, tariff };
}

/** Line numbers in order, with gaps now and then: they need only differ. */
function numbered(lines: readonly Omit<DocumentLine, 'lineNumber'>[], random: Random): readonly DocumentLine[] {
  const step = random.chance(0.9) ? 1 : 10;
  return lines.map((entry, index) => ({ ...entry, lineNumber: (index + 1) * step }));
}

/** `taxes` of the document: sums of the lines, or, where no line is itemised, the tax of the group's base. */
function groupsOf(
  random: Random,
  lines: readonly DocumentLine[],
  options: GoodsOptions,
  slack: Slack,
): readonly DocumentTax[] {
  const groups = new Map<string, DocumentTax & { readonly derived: boolean }>();
  for (const entry of lines) {
    for (const tax of entry.taxes ?? [derivedTax(entry, options.ratesOn)]) {
      const key = `${tax.taxCode}/${tax.taxRateCode}`;
      const group = groups.get(key);
      groups.set(key, {
        ...tax,
        taxableBase: money(dec(tax.taxableBase).plus(group?.taxableBase ?? '0')),
        taxAmount: money(dec(tax.taxAmount).plus(group?.taxAmount ?? '0')),
        derived: entry.taxes === null && (group?.derived ?? true),
      });
    }
  }
  const ofBase = options.motives || random.chance(0.4);
  return [...groups.values()].map(({ derived, ...tax }) => {
    const taxAmount = ofBase && derived ? money(round2(dec(tax.taxableBase).times(tax.rate))) : tax.taxAmount;
    return { ...tax, taxAmount: nearly(random, taxAmount, slack) };
  });
}

function derivedTax(entry: DocumentLine, ratesOn: string): DocumentTax {
  const rate = taxRate('2', entry.taxRateCode ?? '', ratesOn);
  if (typeof rate === 'string' || rate.fraction === null) throw new Error(`no rate for ${String(entry.taxRateCode)}`);
  return {
    taxCode: '2',
    taxRateCode: entry.taxRateCode ?? '',
    taxableBase: entry.subtotal,
    rate: rate.fraction,
    taxAmount: money(round2(dec(entry.subtotal).times(rate.fraction))),
    tariff: null,
  };
}

/** The four totals of lines and taxes, with charges outside the bases. */
export function totalsOf(
  { lines, taxes }: Goods,
  charges: readonly (string | null)[] = [],
): Pick<DocumentContent, 'subtotal' | 'totalDiscount' | 'totalTax' | 'total'> {
  const add = (amounts: readonly (string | null)[]) =>
    amounts.reduce((total, amount) => total.plus(amount ?? '0'), dec('0'));
  const net = add(lines.map(({ subtotal }) => subtotal));
  const totalDiscount = add(lines.map(({ discount }) => discount));
  const totalTax = add(taxes.map(({ taxAmount }) => taxAmount));
  return {
    subtotal: money(net.plus(totalDiscount)),
    totalDiscount: money(totalDiscount),
    totalTax: money(totalTax),
    total: money(net.plus(totalTax).plus(add(charges))),
  };
}

/** None, or up to three entries that add up to the total. */
export function payments(random: Random, total: string, issueDate: string): readonly DocumentPayment[] {
  const count = random.int(0, 3);
  let left = dec(total);
  return Array.from({ length: count }, (_, index) => {
    const amount = index === count - 1 ? left : left.times(random.int(0, 100)).div(100).toDecimalPlaces(2, 1);
    left = left.minus(amount);
    const term = random.maybe(0.4, () => random.int(0, 360));
    return {
      lineNumber: index + 1,
      paymentMethodCode: random.pick(rowsAsOf(PAYMENT_METHODS, issueDate)).code,
      total: money(amount),
      term,
      timeUnit: term === null ? null : random.pick(['dias', 'meses', 'anios']),
    };
  });
}

export function reimbursement(random: Random, issueDate: string, wholeTariffs = false): Reimbursement {
  const day = addDays(issueDate, -random.int(0, 60));
  const [supplierIdType, supplierId] = random.pick([
    ['04', random.ruc()],
    ['05', random.cedula()],
    ['06', 'ab 12/3'],
    ['08', 'US 12/3'],
  ] as const);
  const rates = ivaRates(day).filter(({ percent }) => !wholeTariffs || dec(percent).isInteger());
  return {
    supplierIdType,
    supplierId,
    supplierCountry: random.pick(['593', '110', null]),
    supplierType: random.pick(['01', '02']),
    documentType: random.pick(['01', '02', '03', '12']),
    documentNumber: random.documentNumber(),
    issueDate: day,
    authorizationNumber: random.authorization(day),
    taxes: random.list(1, 3, () => {
      const row = random.pick(rates);
      const [taxableBase, rate] = [random.amount(10_000_00), dec(row.percent).div(100).toFixed(4)];
      const taxAmount = nearly(random, money(round2(dec(taxableBase).times(rate))), { spent: false, excise: null });
      return { taxCode: '2', taxRateCode: row.code, taxableBase, rate, taxAmount, tariff: null };
    }),
  };
}

export function foreignTrade(random: Random): ForeignTrade {
  const charge = (): string | null => random.maybe(0.5, () => random.amount(5_000_00));
  return {
    incoterm: random.pick(['FOB', 'CIF', 'EXW']),
    incotermPlace: random.text(300),
    originCountry: '593',
    loadingPort: random.text(300),
    destinationPort: random.text(300),
    destinationCountry: random.maybe(0.5, () => '110'),
    acquisitionCountry: random.maybe(0.5, () => '110'),
    incotermSubtotal: random.maybe(0.5, () => 'FOB'),
    freight: charge(),
    insurance: charge(),
    customsCharges: charge(),
    otherCharges: charge(),
  };
}

export function substituteGuide(random: Random, issueDate: string): SubstituteGuide {
  const startDate = random.day(issueDate, 5);
  return {
    originAddress: random.text(300),
    destinationAddress: random.text(300),
    startDate,
    endDate: random.day(startDate, 5),
    carrier: carrier(random),
    plate: random.pick(['ABC1234', 'AB123C', 'XYZ-987']),
    destinations: random.list(1, 3, () => ({
      reason: random.text(300),
      customsDocument: random.maybe(0.3, () => random.text(64)),
      establishment: random.maybe(0.5, () => random.digits(3)),
      route: random.maybe(0.5, () => random.text(300)),
    })),
  };
}

/** A carrier; only guides take the names of types (`RUC`) here. */
export function carrier(random: Random): { readonly idType: string; readonly id: string; readonly name: string } {
  const [idType, id] = random.pick([
    ['04', random.ruc()],
    ['05', random.cedula()],
    ['06', 'ab 12/3'],
    ['08', 'US 12/3'],
  ] as const);
  return { idType, id, name: random.text(300) };
}
