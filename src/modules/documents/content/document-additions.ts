import type { Camelized } from '../../../platform/http/camelize.js';
import type {
  ForeignTrade,
  Reimbursement,
  SubstituteGuide,
  SupportingDocument,
  Transport,
  WithheldTax,
  Withholding,
} from '../../../sri/document-types/content.js';
import type { ForeignTradeDto, ReimbursementDto, SubstituteGuideDto } from '../documents.additions.dto.js';
import type { TransportDto } from '../documents.delivery.dto.js';
import type { DocumentTaxDto } from '../documents.line.dto.js';
import type { SupportingDocumentDto, WithheldTaxDto, WithholdingDto } from '../documents.withholding.dto.js';
import { toTax } from './document-tax.js';

/**
 * The fields that only some types have, from body to content: absent ones null or
 * empty, and every object with its fields in one order, so that equal requests have
 * equal fingerprints.
 */

export function toForeignTrade(trade: Camelized<ForeignTradeDto>): ForeignTrade {
  return {
    incoterm: trade.incoterm,
    incotermPlace: trade.incotermPlace,
    originCountry: trade.originCountry,
    loadingPort: trade.loadingPort,
    destinationPort: trade.destinationPort,
    destinationCountry: trade.destinationCountry ?? null,
    acquisitionCountry: trade.acquisitionCountry ?? null,
    incotermSubtotal: trade.incotermSubtotal ?? null,
    freight: trade.freight ?? null,
    insurance: trade.insurance ?? null,
    customsCharges: trade.customsCharges ?? null,
    otherCharges: trade.otherCharges ?? null,
  };
}

export function toReimbursement(entry: Camelized<ReimbursementDto>): Reimbursement {
  return {
    supplierIdType: entry.supplierIdType,
    supplierId: entry.supplierId,
    supplierCountry: entry.supplierCountry ?? null,
    supplierType: entry.supplierType,
    documentType: entry.documentType,
    documentNumber: entry.documentNumber,
    issueDate: entry.issueDate,
    authorizationNumber: entry.authorizationNumber,
    taxes: entry.taxes.map((tax: Camelized<DocumentTaxDto>) => toTax(tax)),
  };
}

export function toSubstituteGuide(guide: Camelized<SubstituteGuideDto>): SubstituteGuide {
  return {
    originAddress: guide.originAddress,
    destinationAddress: guide.destinationAddress,
    startDate: guide.startDate,
    endDate: guide.endDate,
    carrier: toCarrier(guide.carrier),
    plate: guide.plate,
    destinations: guide.destinations.map((destination) => ({
      reason: destination.reason,
      customsDocument: destination.customsDocument ?? null,
      establishment: destination.establishment ?? null,
      route: destination.route ?? null,
    })),
  };
}

const toCarrier = ({ idType, id, name }: Transport['carrier']): Transport['carrier'] => ({ idType, id, name });

export function toTransport(transport: Camelized<TransportDto>): Transport {
  return {
    originAddress: transport.originAddress,
    carrier: toCarrier(transport.carrier),
    startDate: transport.startDate,
    endDate: transport.endDate,
    plate: transport.plate,
    route: transport.route ?? null,
    destinationEstablishment: transport.destinationEstablishment ?? null,
    customsDocument: transport.customsDocument ?? null,
    destinations: (transport.destinations ?? []).map((destination) => ({
      id: destination.id,
      name: destination.name,
      address: destination.address,
      reason: destination.reason,
      route: destination.route ?? null,
      establishment: destination.establishment ?? null,
      customsDocument: destination.customsDocument ?? null,
      supportingDocument: destination.supportingDocument ? toSupport(destination.supportingDocument) : null,
      lineNumbers: destination.lineNumbers,
    })),
  };
}

type SupportDto = NonNullable<NonNullable<Camelized<TransportDto>['destinations']>[number]['supportingDocument']>;

const toSupport = (support: SupportDto) => ({
  documentType: support.documentType,
  number: support.number,
  authorizationNumber: support.authorizationNumber ?? null,
  issueDate: support.issueDate,
});

export function toWithholding(withholding: Camelized<WithholdingDto>): Withholding {
  return {
    fiscalPeriod: withholding.fiscalPeriod,
    relatedParty: withholding.relatedParty,
    subjectType: withholding.subjectType ?? null,
    supportingDocuments: withholding.supportingDocuments.map((document) => toSupportingDocument(document)),
  };
}

function toSupportingDocument(document: Camelized<SupportingDocumentDto>): SupportingDocument {
  return {
    sustentoCode: document.sustentoCode,
    documentType: document.documentType,
    number: document.number,
    issueDate: document.issueDate,
    accountingDate: document.accountingDate ?? null,
    authorizationNumber: document.authorizationNumber ?? null,
    paymentLocation: document.paymentLocation,
    regimeType: document.regimeType ?? null,
    country: document.country ?? null,
    treaty: document.treaty ?? null,
    subtotal: document.subtotal,
    total: document.total,
    taxes: document.taxes.map(({ taxCode, taxRateCode, taxableBase, tariff, taxAmount }) => ({ taxCode, taxRateCode, taxableBase, tariff, taxAmount })),
    withholdings: document.withholdings.map((entry) => toWithheldTax(entry)),
    payments: document.payments.map(({ paymentMethodCode, total }) => ({ paymentMethodCode, total })),
    reimbursements: (document.reimbursements ?? []).map((entry) => toReimbursement(entry)),
  };
}

function toWithheldTax({ dividend, bananaBoxes, ...entry }: Camelized<WithheldTaxDto>): WithheldTax {
  return {
    taxCode: entry.taxCode,
    withholdingCode: entry.withholdingCode,
    taxableBase: entry.taxableBase,
    rate: entry.rate,
    amount: entry.amount,
    dividend: dividend ? { paymentDate: dividend.paymentDate, incomeTaxPaid: dividend.incomeTaxPaid, fiscalYear: dividend.fiscalYear } : null,
    bananaBoxes: bananaBoxes ? { boxes: bananaBoxes.boxes, pricePerBox: bananaBoxes.pricePerBox } : null,
  };
}
