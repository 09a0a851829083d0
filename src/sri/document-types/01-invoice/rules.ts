import { dec, money, round2, sum } from '../../../shared/decimal.js';
import type { Finding } from '../../../shared/finding.js';
import { FUEL_CODES, TRANSPORT_CODES, TRANSPORT_PLATE_FROM } from '../../tables/activities.js';
import { lookup } from '../../tables/code-table.js';
import { FINAL_CONSUMER } from '../../tables/documents.js';
import { AMOUNT_LIMITS, LIMIT } from '../../tables/limits.js';
import type { DocumentContent, DocumentLine, IssuerSnapshot } from '../content.js';
import type { RuleContext } from '../document-type.js';
import { checkAdditionalInfo } from '../rules/additional-info.js';
import { checkBuyer } from '../rules/buyer.js';
import { checkCarriedFields, type OptionalField } from '../rules/carried-fields.js';
import { checkIssueDate } from '../rules/issue-date.js';
import { checkLines } from '../rules/lines.js';
import { DOCUMENT_NUMBER } from '../rules/modified-document.js';
import { checkPayments } from '../rules/payments.js';
import { isUsualPlate, USUAL_PLATE } from '../rules/plate.js';
import { checkReimbursements } from '../rules/reimbursements.js';
import { defineRules, excerpt, finding } from '../rules/rule.js';
import { checkTaxes } from '../rules/taxes.js';
import { checkTexts } from '../rules/texts.js';
import { checkTotals } from '../rules/totals.js';
import { checkForeignTrade, checkSubstituteGuide, checkThirdPartyCharges } from './extra-rules.js';
import { additionsOf } from './additions.js';

const RULES = defineRules({
  'invoice.final_consumer_limit': {
    es: 'Una factura a consumidor final no puede superar este valor: identifique al comprador',
    en: 'An invoice to a final consumer may not exceed this amount: identify the buyer',
    reference: 'Ficha técnica 2.32, tabla 6',
  },
  'invoice.tip': {
    es: 'La propina no puede superar el 10 % del subtotal',
    en: 'The tip may not exceed 10 % of the subtotal',
    reference: 'Ficha técnica 2.32, anexo 3',
  },
  'invoice.delivery_guide_number': {
    es: 'El número de guía de remisión tiene la forma 000-000-000000000',
    en: 'The delivery guide number has the form 000-000-000000000',
    reference: 'Ficha técnica 2.32, anexo 3',
  },
  // A shop may number its goods as table 30 numbers fuels.
  'invoice.plate_missing': {
    severity: 'warning',
    es: 'La línea lleva un código de combustible o de transporte: si lo es, indique la placa en vehicle_plate',
    en: 'The line has a code of fuel or transport: if it is such, give the plate in vehicle_plate',
    reference: 'Ficha técnica 2.32, anexos 12, 16 y 25; 2.33',
  },
  'invoice.plate_unusual': {
    severity: 'warning',
    es: 'La placa no tiene la forma de una ecuatoriana; se envía tal cual',
    en: 'The plate does not have the form of an Ecuadorian one; it is sent as it is',
    reference: 'Ficha técnica 2.32, tabla 29',
  },
});

const LARGEST_TIP = '0.10';

const CARRIED: readonly OptionalField[] = [
  'payments',
  'tip',
  'deliveryGuideNumber',
  'vehiclePlate',
  'foreignTrade',
  'reimbursements',
  'thirdPartyCharges',
  'substituteGuide',
];

/** Every rule of the invoice in one pass. */
export function checkInvoice(
  content: DocumentContent,
  issuer: IssuerSnapshot,
  context: RuleContext,
): readonly Finding[] {
  return [
    ...checkIssueDate(content, context),
    ...checkBuyer(content, issuer),
    ...checkFinalConsumerLimit(content),
    ...checkLines(content),
    ...checkTaxes(content),
    ...checkTotals(content, additionsOf(content)),
    ...checkTip(content),
    ...checkPayments(content),
    ...checkTexts(content),
    ...checkAdditionalInfo(content, issuer),
    ...checkReferences(content),
    ...checkPlates(content),
    ...checkForeignTrade(content),
    ...checkReimbursements(content.reimbursements, '/reimbursements', content.issueDate),
    ...checkThirdPartyCharges(content),
    ...checkSubstituteGuide(content),
    ...checkCarriedFields(content, CARRIED),
  ];
}

function* checkFinalConsumerLimit(content: DocumentContent): Generator<Finding> {
  const limit = lookup(AMOUNT_LIMITS, LIMIT.finalConsumer, content.issueDate);
  if (content.buyerIdType === FINAL_CONSUMER.idType && limit !== undefined && dec(content.total).gt(dec(limit.amount))) {
    yield finding(RULES['invoice.final_consumer_limit'], '/total', `≤ ${limit.amount}`, content.total);
  }
}

function* checkTip(content: DocumentContent): Generator<Finding> {
  if (content.tip === null) return;
  const most = sum(content.lines.map((line) => line.subtotal)).times(LARGEST_TIP);
  if (dec(content.tip).gt(round2(most))) yield finding(RULES['invoice.tip'], '/tip', `≤ ${money(most)}`, content.tip);
}

function* checkReferences(content: DocumentContent): Generator<Finding> {
  if (content.deliveryGuideNumber !== null && !DOCUMENT_NUMBER.test(content.deliveryGuideNumber)) {
    const actual = content.deliveryGuideNumber;
    yield finding(RULES['invoice.delivery_guide_number'], '/delivery_guide_number', '000-000-000000000', actual);
  }
}

/** The vehicle of who buys fuel, or of who is paid for transport; what plates look like, also that of a trip without a guide of its own. */
function* checkPlates({ vehiclePlate: plate, substituteGuide, lines, issueDate }: DocumentContent): Generator<Finding> {
  if (!plate && lines.some((line) => needsPlate(line, issueDate))) {
    yield finding(RULES['invoice.plate_missing'], '/vehicle_plate', USUAL_PLATE);
  }
  for (const [pointer, told] of [
    ['/vehicle_plate', plate],
    ['/substitute_guide/plate', substituteGuide?.plate ?? null],
  ] as const) {
    if (told && !isUsualPlate(told)) yield finding(RULES['invoice.plate_unusual'], pointer, USUAL_PLATE, excerpt(told));
  }
}

function needsPlate({ mainCode, auxCode }: DocumentLine, issueDate: string): boolean {
  const isTransport = issueDate >= TRANSPORT_PLATE_FROM && lookup(TRANSPORT_CODES, auxCode ?? '', issueDate) !== undefined;
  return isTransport || lookup(FUEL_CODES, mainCode ?? '', issueDate) !== undefined;
}
