import type { DocumentContent, DocumentTypeCode, IssuerSnapshot } from '../../../src/sri/document-types/content.js';
import { PLAIN_CONTENT } from '../../../src/sri/document-types/content.js';
import { DEFAULT_RUC } from '../pki.js';
import {
  carrier,
  foreignTrade,
  goods,
  payments,
  reimbursement,
  substituteGuide,
  totalsOf,
  type Goods,
} from './goods.js';
import { addDays, cents, dec, Random } from './random.js';
import { withholding } from './withholding.js';

export interface RandomDocument {
  readonly content: DocumentContent;
  readonly issuer: IssuerSnapshot;
  /** Day of the pre-flight and of the SRI's clock. */
  readonly today: string;
  readonly sequential: number;
}

export const TYPES: readonly DocumentTypeCode[] = ['01', '03', '04', '05', '06', '07'];
export const MOST_DAYS = 90;

/** A document of the type that its seed determines: it foots, and nearly always passes. */
export function anyDocument(type: DocumentTypeCode, seed: number): RandomDocument {
  const random = new Random(seed);
  const today = random.day('2026-01-01', 364);
  const issueDate = random.chance(0.5) ? today : addDays(today, -random.int(0, MOST_DAYS));
  const issuer = anyIssuer(random, type);
  const content = { ...common(random, type, issueDate), ...OWN[type](random, issueDate) };
  const foreign = content.buyerIdType === '08';
  const own = type === '07' ? withholding(random, issueDate, foreign) : {};
  return { content: { ...content, ...own }, issuer, today, sequential: random.int(1, 999_999_999) };
}

function anyIssuer(random: Random, type: DocumentTypeCode): IssuerSnapshot {
  return {
    ruc: DEFAULT_RUC,
    legalName: random.text(300),
    tradeName: random.maybe(0.5, () => random.text(300)),
    headOfficeAddress: random.text(300),
    keepsAccounts: random.chance(0.5),
    specialTaxpayer: random.maybe(0.3, () => random.digits(type === '07' ? random.int(3, 5) : random.int(3, 13))),
    withholdingAgent: random.maybe(0.3, () => String(random.int(1, 99_999_999))),
    largeTaxpayer: random.maybe(0.2, () => 'NAC-GCFOIOC21-00000001'),
    rimpe: random.pick(['none', 'none', 'entrepreneur', 'popular_business']),
    defaultPaymentMethod: random.pick(['01', '20']),
    establishmentCode: random.digits(3),
    establishmentAddress: random.maybe(0.5, () => random.text(300)),
    emissionPointCode: random.digits(3),
    providerRuc: random.maybe(0.8, () => '0990012348001'),
    environment: random.pick(['1', '2']),
  };
}

function common(random: Random, type: DocumentTypeCode, issueDate: string): DocumentContent {
  const [buyerIdType, buyerId] = random.identification();
  return {
    documentType: type,
    issueDate,
    subtotal: '0.00',
    totalDiscount: '0.00',
    totalTax: '0.00',
    total: '0.00',
    buyerIdType,
    buyerId,
    buyerName: random.text(300),
    buyerEmail: random.maybe(0.3, () => 'cliente@example.com'),
    buyerAddress: random.maybe(0.5, () => random.text(300)),
    modifiedDocumentId: null,
    modifiedDocumentType: null,
    modifiedDocumentNumber: null,
    modifiedDocumentIssueDate: null,
    reason: null,
    lines: [],
    taxes: [],
    payments: [],
    numericCode: random.digits(8),
    additionalInfo: random.list(0, 13, (index) => ({ name: `${index} ${random.text(290)}`, value: random.text(300) })),
    ...PLAIN_CONTENT,
  };
}

type Own = (random: Random, issueDate: string) => Partial<DocumentContent>;

const OWN: Readonly<Record<DocumentTypeCode, Own>> = {
  '01': invoice,
  '03': (random, issueDate) => {
    const made = goods(random, { ratesOn: issueDate, onlyIva: true, motives: false, most: 8 });
    const reimbursements = random.chance(0.2) ? random.list(1, 3, () => reimbursement(random, issueDate)) : [];
    return { ...sale(random, made, [], issueDate), reimbursements };
  },
  '04': (random, issueDate) => {
    const modified = modifies(random, issueDate);
    const ratesOn = modified.modifiedDocumentIssueDate;
    const made = goods(random, { ratesOn, onlyIva: false, motives: false, most: 8 });
    return { ...made, ...totalsOf(made), ...modified, reason: random.text(300) };
  },
  '05': (random, issueDate) => {
    const modified = modifies(random, issueDate);
    const ratesOn = modified.modifiedDocumentIssueDate;
    const made = goods(random, { ratesOn, onlyIva: false, motives: true, most: 8 });
    return { ...sale(random, made, [], issueDate), ...modified, reason: random.maybe(0.5, () => random.text(300)) };
  },
  '06': deliveryGuide,
  '07': () => ({}),
};

function sale(
  random: Random,
  made: Goods,
  charges: readonly (string | null)[],
  issueDate: string,
): Partial<DocumentContent> {
  const totals = totalsOf(made, charges);
  return { ...made, ...totals, payments: payments(random, totals.total, issueDate) };
}

function invoice(random: Random, issueDate: string): Partial<DocumentContent> {
  const made = goods(random, {
    ratesOn: issueDate,
    onlyIva: false,
    motives: false,
    most: random.chance(0.03) ? 120 : 8,
  });
  const trade = random.maybe(0.1, () => foreignTrade(random));
  const thirdPartyCharges = random.chance(0.15)
    ? random.list(1, 3, () => ({ concept: random.text(300), total: random.amount(500_00) }))
    : [];
  const net = made.lines.reduce((total, { subtotal }) => total.plus(subtotal), dec('0'));
  const mostTip = Math.min(Number(net.times(10).toDecimalPlaces(0, 1)), 1_000_000_00);
  const tip = random.maybe(0.2, () => cents(random.int(0, mostTip)));
  const charges = [
    tip,
    ...(trade === null ? [] : [trade.freight, trade.insurance, trade.customsCharges, trade.otherCharges]),
    ...thirdPartyCharges.map(({ total }) => total),
  ];
  const fields = sale(random, made, charges, issueDate);
  const small = dec(fields.total ?? '0').lte(50);
  const nobody = { buyerIdType: null, buyerId: null, buyerName: null };
  return {
    ...fields,
    ...(small && random.chance(0.5) ? nobody : {}),
    tip,
    foreignTrade: trade,
    thirdPartyCharges,
    reimbursements: random.chance(0.1) ? random.list(1, 3, () => reimbursement(random, issueDate)) : [],
    substituteGuide: random.maybe(0.1, () => substituteGuide(random, issueDate)),
    deliveryGuideNumber: random.maybe(0.1, () => random.documentNumber()),
    vehiclePlate: random.maybe(0.1, () => 'ABC1234'),
  };
}

/** The modified document may be years old: its day decides the rates. */
function modifies(random: Random, issueDate: string) {
  return {
    modifiedDocumentType: random.pick(['01', '01', '01', '03']),
    modifiedDocumentNumber: random.documentNumber(),
    modifiedDocumentIssueDate: addDays(issueDate, -(random.chance(0.5) ? random.int(0, 30) : random.int(0, 3_000))),
  };
}

function deliveryGuide(random: Random, issueDate: string): Partial<DocumentContent> {
  const { lines } = goods(random, { ratesOn: issueDate, onlyIva: true, motives: false, most: 8 });
  const zero = { unitPrice: '0.000000', discount: '0.00', subtotal: '0.00', taxRateCode: '0', taxes: null };
  const groups = random.chance(0.5) ? random.int(1, Math.min(3, lines.length)) : 0;
  const support = (): {
    documentType: string;
    number: string;
    authorizationNumber: string | null;
    issueDate: string;
  } => ({
    documentType: random.pick(['01', '03', '16']),
    number: random.documentNumber(),
    authorizationNumber: random.maybe(0.8, () => random.authorization(issueDate)),
    issueDate: addDays(issueDate, -random.int(0, 30)),
  });
  const own = random.maybe(0.5, support);
  return {
    lines: lines.map((line) => ({ ...line, ...zero })),
    taxes: [{ taxCode: '2', taxRateCode: '0', taxableBase: '0.00', rate: '0.0000', taxAmount: '0.00', tariff: null }],
    buyerAddress: random.text(300),
    reason: random.text(300),
    ...(own === null || groups > 0
      ? {}
      : {
          modifiedDocumentType: own.documentType,
          modifiedDocumentNumber: own.number,
          modifiedDocumentIssueDate: own.issueDate,
        }),
    transport: {
      originAddress: random.text(300),
      carrier: carrier(random),
      startDate: issueDate,
      endDate: random.day(issueDate, 10),
      plate: random.pick(['ABC1234', 'AB123C', 'XYZ-987', 'P 1']),
      route: random.maybe(0.5, () => random.text(300)),
      destinationEstablishment: random.maybe(0.5, () => random.digits(3)),
      customsDocument: random.maybe(0.3, () => random.text(20)),
      destinations: Array.from({ length: groups }, (_, index) => ({
        id: random.identification()[1],
        name: random.text(300),
        address: random.text(300),
        reason: random.text(300),
        route: random.maybe(0.5, () => random.text(300)),
        establishment: random.maybe(0.5, () => random.digits(3)),
        customsDocument: random.maybe(0.3, () => random.text(20)),
        supportingDocument: random.maybe(0.5, support),
        lineNumbers: lines.filter((_line, at) => at % groups === index).map(({ lineNumber }) => lineNumber),
      })),
    },
  };
}
