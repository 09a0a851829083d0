import { dec, money, sum } from '../../../shared/decimal.js';
import type { Finding } from '../../../shared/finding.js';
import { lookup } from '../../tables/code-table.js';
import { FINAL_CONSUMER } from '../../tables/documents.js';
import { AMOUNT_LIMITS, LIMIT } from '../../tables/limits.js';
import type { DocumentContent, IssuerSnapshot, RuleContext } from '../document.js';
import { checkAdditionalInfo } from '../rules/additional-info.js';
import { checkBuyer } from '../rules/buyer.js';
import { checkIssueDate } from '../rules/issue-date.js';
import { checkLines } from '../rules/lines.js';
import { checkPayments } from '../rules/payments.js';
import { defineRules, finding } from '../rules/rule.js';
import { checkTaxes } from '../rules/taxes.js';
import { checkTexts } from '../rules/texts.js';
import { checkTotals } from '../rules/totals.js';

const RULES = defineRules({
  'invoice.final_consumer_limit': {
    es: 'Una factura a consumidor final no puede superar este valor: identifique al comprador',
    en: 'An invoice to a final consumer may not exceed this amount: identify the buyer',
    reference: 'Ficha técnica 2.32, table 6',
  },
  'invoice.tip': {
    es: 'La propina no puede superar el 10 % del subtotal',
    en: 'The tip may not exceed 10 % of the subtotal',
    reference: 'Ficha técnica 2.32, annex 3',
  },
  'invoice.delivery_guide_number': {
    es: 'El número de guía de remisión tiene la forma 000-000-000000000',
    en: 'The delivery guide number has the form 000-000-000000000',
    reference: 'Ficha técnica 2.32, annex 3',
  },
  'invoice.unused_field': {
    severity: 'warning',
    es: 'Una factura no lleva este campo; no se envía al SRI',
    en: 'An invoice does not carry this field; it is not sent to the SRI',
    reference: 'Ficha técnica 2.32, annex 3',
  },
});

const GUIDE_NUMBER = /^[0-9]{3}-[0-9]{3}-[0-9]{9}$/;
const LARGEST_TIP = '0.10';

/** Every rule of the invoice in one pass. */
export function checkInvoice(
  content: DocumentContent,
  issuer: IssuerSnapshot,
  context: RuleContext,
): readonly Finding[] {
  return [
    ...checkIssueDate(content, context),
    ...checkBuyer(content),
    ...checkFinalConsumerLimit(content),
    ...checkLines(content),
    ...checkTaxes(content),
    ...checkTotals(content),
    ...checkTip(content),
    ...checkPayments(content),
    ...checkTexts(content),
    ...checkAdditionalInfo(content, issuer),
    ...checkReferences(content),
  ];
}

function* checkFinalConsumerLimit(content: DocumentContent): Generator<Finding> {
  const limit = lookup(AMOUNT_LIMITS, LIMIT.finalConsumer, content.issueDate);
  if (content.buyerIdType === FINAL_CONSUMER.idType && limit !== undefined && dec(content.total).gt(limit.amount)) {
    yield finding(RULES['invoice.final_consumer_limit'], '/total', `≤ ${limit.amount}`, content.total);
  }
}

function* checkTip(content: DocumentContent): Generator<Finding> {
  if (content.tip === null) return;
  const most = sum(content.lines.map((line) => line.subtotal)).times(LARGEST_TIP);
  if (dec(content.tip).gt(money(most))) yield finding(RULES['invoice.tip'], '/tip', `≤ ${money(most)}`, content.tip);
}

function* checkReferences(content: DocumentContent): Generator<Finding> {
  if (content.deliveryGuideNumber !== null && !GUIDE_NUMBER.test(content.deliveryGuideNumber)) {
    const actual = content.deliveryGuideNumber;
    yield finding(RULES['invoice.delivery_guide_number'], '/delivery_guide_number', '000-000-000000000', actual);
  }
  const unused = [
    ['/reason', content.reason],
    ['/modified_document_id', content.modifiedDocumentId],
    ['/modified_document_type', content.modifiedDocumentType],
    ['/modified_document_number', content.modifiedDocumentNumber],
    ['/modified_document_issue_date', content.modifiedDocumentIssueDate],
  ] as const;
  for (const [pointer, value] of unused) {
    if (value !== null) yield finding(RULES['invoice.unused_field'], pointer, null, value.slice(0, 64));
  }
}
