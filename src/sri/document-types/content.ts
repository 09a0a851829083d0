/**
 * The fiscal content of a document as the kernel sees it: what the caller sent,
 * validated for shape and normalised (text NFC and trimmed, decimals as plain
 * decimal strings, codes instead of aliases). All money is in US dollars.
 * Stored as it is in `document_contents`.
 */
export interface DocumentContent {
  readonly documentType: DocumentTypeCode;
  /** Guayaquil calendar day, `YYYY-MM-DD`. */
  readonly issueDate: string;
  /** Sum of the lines before discount. */
  readonly subtotal: string;
  readonly totalDiscount: string;
  readonly totalTax: string;
  readonly total: string;
  readonly buyerIdType: string | null;
  readonly buyerId: string | null;
  readonly buyerName: string | null;
  readonly buyerEmail: string | null;
  readonly buyerAddress: string | null;
  readonly modifiedDocumentId: string | null;
  readonly modifiedDocumentType: string | null;
  readonly modifiedDocumentNumber: string | null;
  readonly modifiedDocumentIssueDate: string | null;
  readonly reason: string | null;
  readonly lines: readonly DocumentLine[];
  readonly taxes: readonly DocumentTax[];
  readonly payments: readonly DocumentPayment[];
  /** 8 digits, part of the access key. */
  readonly numericCode: string;
  readonly additionalInfo: readonly NameValue[];
  readonly tip: string | null;
  readonly deliveryGuideNumber: string | null;
  readonly vehiclePlate: string | null;
  /** Exports (01). */
  readonly foreignTrade: ForeignTrade | null;
  /** Documents paid on behalf of the buyer (01, 03) or of the withholding subject (07 keeps its own). */
  readonly reimbursements: readonly Reimbursement[];
  /** Charges of third parties added to the total outside the tax bases (01; needs version 2.1.0). */
  readonly thirdPartyCharges: readonly ThirdPartyCharge[];
  /** The invoice stands in for a delivery guide (01; needs version 2.1.0). */
  readonly substituteGuide: SubstituteGuide | null;
  /** The trip of a delivery guide (06). */
  readonly transport: Transport | null;
  /** Full form of a withholding (07, version 2.0.0). */
  readonly withholding: Withholding | null;
  /** Authorization number of a guide's supporting document (06), where that is one of the issuer's own and authorized. */
  readonly modifiedDocumentAuthorization?: string;
  /** Not fiscal: false keeps the document from being mailed to the buyer; absent where nobody asked for that. */
  readonly sendEmail?: false;
}

export interface ForeignTrade {
  readonly incoterm: string;
  readonly incotermPlace: string;
  /** Countries: three digits of table 25. */
  readonly originCountry: string;
  readonly loadingPort: string;
  readonly destinationPort: string;
  readonly destinationCountry: string | null;
  readonly acquisitionCountry: string | null;
  readonly incotermSubtotal: string | null;
  readonly freight: string | null;
  readonly insurance: string | null;
  readonly customsCharges: string | null;
  readonly otherCharges: string | null;
}

export interface Reimbursement {
  readonly supplierIdType: string;
  readonly supplierId: string;
  readonly supplierCountry: string | null;
  /** 01 natural person, 02 company. */
  readonly supplierType: string;
  readonly documentType: string;
  /** `001-002-000000003`. */
  readonly documentNumber: string;
  readonly issueDate: string;
  readonly authorizationNumber: string;
  readonly taxes: readonly DocumentTax[];
}

export interface ThirdPartyCharge {
  readonly concept: string;
  readonly total: string;
}

export interface Carrier {
  readonly idType: string;
  readonly id: string;
  readonly name: string;
}

export interface SubstituteGuide {
  readonly originAddress: string;
  readonly destinationAddress: string;
  readonly startDate: string;
  readonly endDate: string;
  readonly carrier: Carrier;
  readonly plate: string;
  readonly destinations: readonly {
    readonly reason: string;
    readonly customsDocument: string | null;
    readonly establishment: string | null;
    readonly route: string | null;
  }[];
}

export interface Transport {
  readonly originAddress: string;
  readonly carrier: Carrier;
  readonly startDate: string;
  readonly endDate: string;
  readonly plate: string;
  readonly route: string | null;
  readonly destinationEstablishment: string | null;
  readonly customsDocument: string | null;
  /** Several consignees; empty: the buyer is the only one. */
  readonly destinations: readonly Destination[];
}

export interface Destination {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly reason: string;
  readonly route: string | null;
  readonly establishment: string | null;
  readonly customsDocument: string | null;
  readonly supportingDocument: SupportingReference | null;
  /** Lines that go to this consignee. */
  readonly lineNumbers: readonly number[];
}

export interface SupportingReference {
  readonly documentType: string;
  /** `001-002-000000003`. */
  readonly number: string;
  readonly authorizationNumber: string | null;
  readonly issueDate: string;
}

export interface Withholding {
  /** `mm/yyyy`. */
  readonly fiscalPeriod: string;
  readonly relatedParty: boolean;
  /** 01 person, 02 company; only for buyers of type 08. */
  readonly subjectType: string | null;
  readonly supportingDocuments: readonly SupportingDocument[];
}

export interface SupportingDocument {
  readonly sustentoCode: string;
  readonly documentType: string;
  /** `001-002-000000003`. */
  readonly number: string;
  readonly issueDate: string;
  readonly accountingDate: string | null;
  readonly authorizationNumber: string | null;
  /** 01 resident, 02 abroad. */
  readonly paymentLocation: string;
  readonly regimeType: string | null;
  readonly country: string | null;
  /** Double-taxation treaty applies. */
  readonly treaty: boolean | null;
  readonly subtotal: string;
  readonly total: string;
  readonly taxes: readonly SupportingTax[];
  readonly withholdings: readonly WithheldTax[];
  readonly payments: readonly { readonly paymentMethodCode: string; readonly total: string }[];
  readonly reimbursements: readonly Reimbursement[];
}

export interface SupportingTax {
  readonly taxCode: string;
  readonly taxRateCode: string;
  readonly taxableBase: string;
  /** Percent, e.g. `15.00`. */
  readonly tariff: string;
  readonly taxAmount: string;
}

export interface WithheldTax {
  /** 1 income, 2 IVA, 6 ISD. */
  readonly taxCode: string;
  readonly withholdingCode: string;
  readonly taxableBase: string;
  /** Percent withheld, e.g. `1.75`. */
  readonly rate: string;
  readonly amount: string;
  readonly dividend: { readonly paymentDate: string; readonly incomeTaxPaid: string; readonly fiscalYear: string } | null;
  readonly bananaBoxes: { readonly boxes: number; readonly pricePerBox: string } | null;
}

/** The fields that only some documents have, all empty: what a plain document starts from. */
export const PLAIN_CONTENT = {
  tip: null,
  deliveryGuideNumber: null,
  vehiclePlate: null,
  foreignTrade: null,
  reimbursements: [],
  thirdPartyCharges: [],
  substituteGuide: null,
  transport: null,
  withholding: null,
} as const satisfies Partial<DocumentContent>;

export interface DocumentLine {
  readonly lineNumber: number;
  readonly description: string;
  readonly mainCode: string | null;
  readonly auxCode: string | null;
  readonly unitOfMeasure: string | null;
  readonly quantity: string;
  readonly unitPrice: string;
  readonly discount: string;
  /** quantity x unit price - discount, rounded half up to cents. */
  readonly subtotal: string;
  readonly taxCode: string;
  readonly taxRateCode: string | null;
  /** Present when the caller itemised the line's taxes; otherwise they derive from taxCode and taxRateCode. */
  readonly taxes: readonly DocumentTax[] | null;
  readonly additionalDetails: readonly NameValue[];
}

export interface DocumentTax {
  readonly taxCode: string;
  readonly taxRateCode: string;
  readonly taxableBase: string;
  /** Fraction: 0.15 is 15 %. */
  readonly rate: string;
  readonly taxAmount: string;
  /** XML `tarifa` where it is not rate x 100 (specific ICE, IRBPNR). */
  readonly tariff: string | null;
}

export interface DocumentPayment {
  readonly lineNumber: number;
  readonly paymentMethodCode: string;
  readonly total: string;
  readonly term: number | null;
  readonly timeUnit: string | null;
}

export interface NameValue {
  readonly name: string;
  readonly value: string;
}

/** What the issuer was on the moment of issuing; frozen with the document. */
export interface IssuerSnapshot {
  readonly ruc: string;
  readonly legalName: string;
  readonly tradeName: string | null;
  readonly headOfficeAddress: string;
  readonly keepsAccounts: boolean;
  /** Resolution number of `contribuyenteEspecial`. */
  readonly specialTaxpayer: string | null;
  /** Resolution number of `agenteRetencion`, digits only. */
  readonly withholdingAgent: string | null;
  /** Resolution number of Gran Contribuyente. */
  readonly largeTaxpayer: string | null;
  readonly rimpe: 'none' | 'entrepreneur' | 'popular_business';
  readonly defaultPaymentMethod: string;
  readonly establishmentCode: string;
  readonly establishmentAddress: string | null;
  readonly emissionPointCode: string;
  /** RUC of the platform that sends the document (ficha 2.34, annex 26). */
  readonly providerRuc: string | null;
  /** 1 test, 2 production. */
  readonly environment: '1' | '2';
}

export type ComputedTotals = Pick<DocumentContent, 'subtotal' | 'totalDiscount' | 'totalTax' | 'total' | 'taxes'>;

export type DocumentTypeCode = '01' | '03' | '04' | '05' | '06' | '07';
