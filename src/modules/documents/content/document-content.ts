import { camelize } from '../../../platform/http/camelize.js';
import type { DocumentContent, DocumentLine } from '../../../sri/document-types/content.js';
import type { DocumentCreateDto } from '../documents.dto.js';
import { toForeignTrade, toReimbursement, toSubstituteGuide, toTransport, toWithholding } from './document-additions.js';
import { toTax } from './document-tax.js';

/** The fiscal content of a validated body: every field present, absent ones null or empty. Decimals are already plain strings. */
export function toContent(dto: DocumentCreateDto): DocumentContent {
  const body = camelize(dto);
  return {
    documentType: body.documentType,
    issueDate: body.issueDate,
    subtotal: body.subtotal,
    totalDiscount: body.totalDiscount,
    totalTax: body.totalTax,
    total: body.total,
    buyerIdType: body.buyerIdType ?? null,
    buyerId: body.buyerId ?? null,
    buyerName: body.buyerName ?? null,
    buyerEmail: body.buyerEmail ?? null,
    buyerAddress: body.buyerAddress ?? null,
    modifiedDocumentId: body.modifiedDocumentId ?? null,
    modifiedDocumentType: body.modifiedDocumentType ?? null,
    modifiedDocumentNumber: body.modifiedDocumentNumber ?? null,
    modifiedDocumentIssueDate: body.modifiedDocumentIssueDate ?? null,
    reason: body.reason ?? null,
    lines: body.lines.map((line) => toLine(line)),
    taxes: body.taxes.map((tax) => toTax(tax)),
    payments: (body.payments ?? []).map((payment) => ({
      lineNumber: payment.lineNumber,
      paymentMethodCode: payment.paymentMethodCode,
      total: payment.total,
      term: payment.term ?? null,
      timeUnit: payment.timeUnit ?? null,
    })),
    numericCode: body.numericCode,
    additionalInfo: (body.additionalInfo ?? []).map(({ name, value }) => ({ name, value })),
    tip: body.tip ?? null,
    deliveryGuideNumber: body.deliveryGuideNumber ?? null,
    vehiclePlate: body.vehiclePlate ?? null,
    foreignTrade: body.foreignTrade ? toForeignTrade(body.foreignTrade) : null,
    reimbursements: (body.reimbursements ?? []).map((entry) => toReimbursement(entry)),
    thirdPartyCharges: (body.thirdPartyCharges ?? []).map(({ concept, total }) => ({ concept, total })),
    substituteGuide: body.substituteGuide ? toSubstituteGuide(body.substituteGuide) : null,
    transport: body.transport ? toTransport(body.transport) : null,
    withholding: body.withholding ? toWithholding(body.withholding) : null,
    ...(body.sendEmail === false && { sendEmail: false }),
  };
}

type Body = ReturnType<typeof camelize<DocumentCreateDto>>;

function toLine(line: Body['lines'][number]): DocumentLine {
  return {
    lineNumber: line.lineNumber,
    description: line.description,
    mainCode: line.mainCode ?? null,
    auxCode: line.auxCode ?? null,
    unitOfMeasure: line.unitOfMeasure ?? null,
    quantity: line.quantity,
    unitPrice: line.unitPrice,
    discount: line.discount,
    subtotal: line.subtotal,
    taxCode: line.taxCode,
    taxRateCode: line.taxRateCode ?? null,
    taxes: line.taxes?.map((tax) => toTax(tax)) ?? null,
    additionalDetails: (line.additionalDetails ?? []).map(({ name, value }) => ({ name, value })),
  };
}
