import { dec } from '../../../shared/decimal.js';
import type { Finding } from '../../../shared/finding.js';
import { isCalendarDay } from '../../../shared/guayaquil.js';
import { TAX } from '../../tables/taxes.js';
import type { DocumentContent, IssuerSnapshot, Transport } from '../content.js';
import type { RuleContext } from '../document-type.js';
import { checkAdditionalInfo } from '../rules/additional-info.js';
import { checkBuyer } from '../rules/buyer.js';
import { checkCarriedFields, checkCarriedLineFields, type OptionalField } from '../rules/carried-fields.js';
import { checkIssueDate } from '../rules/issue-date.js';
import { checkLines } from '../rules/lines.js';
import { defineRules, excerpt, finding } from '../rules/rule.js';
import { checkSupport, MODIFIED_POINTERS, modifiedAsSupport } from '../rules/supporting-reference.js';
import { checkTexts } from '../rules/texts.js';
import { taxRate } from '../tax-rates.js';
import { checkDestinations } from './destinations.js';
import { checkTransport } from './transport.js';

const STRUCTURE = 'Ficha técnica 2.32, anexo 3 (guía de remisión)';

const RULES = defineRules({
  'guide.transport_missing': {
    es: 'Una guía de remisión necesita los datos del transporte',
    en: 'A delivery guide needs the data of the transport',
    reference: STRUCTURE,
  },
  'guide.address_missing': {
    es: 'Una guía de remisión necesita la dirección del destinatario',
    en: 'A delivery guide needs the address of the consignee',
    reference: STRUCTURE,
  },
  'guide.reason_missing': {
    es: 'Una guía de remisión necesita el motivo del traslado',
    en: 'A delivery guide needs the reason of the transfer',
    reference: STRUCTURE,
  },
  'guide.money': {
    es: 'Una guía de remisión no lleva valores: este campo va en cero',
    en: 'A delivery guide carries no amounts: this field is zero',
    reference: STRUCTURE,
  },
  'guide.taxes': {
    es: 'Una guía de remisión no lleva impuestos: una sola entrada de IVA en cero',
    en: 'A delivery guide carries no taxes: a single entry of IVA at zero',
    reference: STRUCTURE,
  },
  'guide.support_incomplete': {
    es: 'Tipo, número y fecha del documento de sustento van juntos',
    en: 'Type, number and date of the supporting document go together',
    reference: STRUCTURE,
  },
  'guide.unused_field': {
    severity: 'warning',
    es: 'Una guía de remisión no lleva este campo; no se envía al SRI',
    en: 'A delivery guide does not carry this field; it is not sent to the SRI',
    reference: STRUCTURE,
  },
  'guide.buyer_not_consignee': {
    severity: 'warning',
    es: 'El comprador no está entre los destinatarios de transport.destinations: la guía no lo nombra',
    en: 'The buyer is not among the consignees of transport.destinations: the guide does not name them',
    reference: STRUCTURE,
  },
});

const CARRIED: readonly OptionalField[] = [
  'reason',
  'modifiedDocumentId',
  'modifiedDocumentType',
  'modifiedDocumentNumber',
  'modifiedDocumentIssueDate',
  'transport',
  // Judged with the other amounts.
  'tip',
];

/** Every rule of the delivery guide in one pass. */
export function checkDeliveryGuide(
  content: DocumentContent,
  issuer: IssuerSnapshot,
  context: RuleContext,
): readonly Finding[] {
  return [
    ...checkIssueDate(content, context),
    ...checkBuyer(content, issuer),
    ...checkConsigneeData(content),
    ...checkTrip(content, content.transport),
    ...checkLines(withoutMoney(content)),
    ...checkMoney(content),
    ...checkTaxEntry(content),
    ...checkBuyerSupport(content),
    ...checkTexts(content),
    ...checkAdditionalInfo(content, issuer),
    ...checkUnused(content),
    ...checkCarriedFields(content, CARRIED),
    ...checkCarriedLineFields(content, ['unit_of_measure', 'taxes']),
    ...checkBuyerIsConsignee(content),
  ];
}

function* checkConsigneeData({ buyerAddress, reason }: DocumentContent): Generator<Finding> {
  if (isBlank(buyerAddress)) yield finding(RULES['guide.address_missing'], '/buyer_address');
  if (isBlank(reason)) yield finding(RULES['guide.reason_missing'], '/reason');
}

function* checkTrip(content: DocumentContent, transport: Transport | null): Generator<Finding> {
  if (transport === null) {
    yield finding(RULES['guide.transport_missing'], '/transport');
    return;
  }
  yield* checkTransport(transport, content.issueDate);
  yield* checkDestinations(transport.destinations, content);
}

/** The content with its amounts set to zero: those are judged by {@link checkMoney}; number and quantity follow the rules of every document. */
function withoutMoney(content: DocumentContent): DocumentContent {
  const zero = { unitPrice: '0.000000', discount: '0.00', subtotal: '0.00' };
  return { ...content, lines: content.lines.map((line) => ({ ...line, ...zero })) };
}

function* checkMoney(content: DocumentContent): Generator<Finding> {
  for (const [pointer, amount] of amountsOf(content)) {
    if (amount !== null && !dec(amount).isZero()) yield finding(RULES['guide.money'], pointer, '0.00', amount);
  }
}

function* amountsOf(content: DocumentContent): Generator<readonly [string, string | null]> {
  yield ['/subtotal', content.subtotal];
  yield ['/total_discount', content.totalDiscount];
  yield ['/total_tax', content.totalTax];
  yield ['/total', content.total];
  yield ['/tip', content.tip];
  for (const [index, line] of content.lines.entries()) {
    yield [`/lines/${index}/unit_price`, line.unitPrice];
    yield [`/lines/${index}/discount`, line.discount];
    yield [`/lines/${index}/subtotal`, line.subtotal];
  }
}

function* checkTaxEntry({ taxes, issueDate }: DocumentContent): Generator<Finding> {
  if (taxes.length > 1) yield finding(RULES['guide.taxes'], '/taxes', '1', String(taxes.length));
  for (const [index, tax] of taxes.entries()) {
    const rate = taxRate(tax.taxCode, tax.taxRateCode, issueDate);
    if (tax.taxCode !== TAX.iva || typeof rate === 'string') {
      yield finding(RULES['guide.taxes'], `/taxes/${index}`, '2/0', `${tax.taxCode}/${tax.taxRateCode}`);
    }
    for (const [field, amount] of [
      ['taxable_base', tax.taxableBase],
      ['rate', tax.rate],
      ['tax_amount', tax.taxAmount],
    ] as const) {
      if (!dec(amount).isZero()) yield finding(RULES['guide.taxes'], `/taxes/${index}/${field}`, '0', amount);
    }
  }
}

/** The buyer's supporting document: whole or not at all. */
function* checkBuyerSupport(content: DocumentContent): Generator<Finding> {
  const parts = modifiedAsSupport(content);
  const at = MODIFIED_POINTERS;
  const given = [parts.documentType, parts.number, parts.issueDate].filter((part) => part !== null).length;
  if (given === 0) return;
  for (const name of ['documentType', 'number', 'issueDate'] as const) {
    if (parts[name] === null) yield finding(RULES['guide.support_incomplete'], at[name]);
  }
  if (parts.issueDate !== null && !isCalendarDay(parts.issueDate)) {
    yield finding(RULES['guide.support_incomplete'], at.issueDate, 'YYYY-MM-DD', excerpt(parts.issueDate));
  }
  yield* checkSupport(parts, at, content.issueDate);
}

/** The supporting document of the buyer, where the guide has no place for it. */
function* checkUnused({ modifiedDocumentId: id, modifiedDocumentNumber: number, transport }: DocumentContent): Generator<Finding> {
  const destinations = transport?.destinations.length ?? 0;
  if (id !== null && number === null) yield finding(RULES['guide.unused_field'], '/modified_document_id', null, excerpt(id));
  // Listed destinations name their own supporting documents.
  if (number !== null && destinations > 0) yield finding(RULES['guide.unused_field'], '/modified_document_number', null, excerpt(number));
}

/** Listed destinations replace the buyer: a buyer who is none of them would be neither printed nor sent to the SRI. */
function* checkBuyerIsConsignee({ transport, buyerId }: DocumentContent): Generator<Finding> {
  const ids = transport?.destinations.map(({ id }) => id) ?? [];
  if (ids.length > 0 && buyerId !== null && !ids.includes(buyerId)) {
    yield finding(RULES['guide.buyer_not_consignee'], '/buyer_id', null, excerpt(buyerId));
  }
}

function isBlank(text: string | null): boolean {
  return text === null || text === '';
}
