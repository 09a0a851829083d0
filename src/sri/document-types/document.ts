import type { Finding } from '../../shared/finding.js';

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
}

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

export interface Numbering {
  readonly sequential: number;
  readonly accessKey: string;
}

export interface RuleContext {
  /** Today in Guayaquil, `YYYY-MM-DD`. */
  readonly today: string;
  readonly maxIssueDateAgeDays: number;
}

export interface Normalised {
  /** Content with everything the service fills in (final consumer, default payment, line codes, line taxes). */
  readonly content: DocumentContent;
  /** Warnings about what was filled in. */
  readonly warnings: readonly Finding[];
}

/** A worked example of a type: golden files, schema and signature tests and the API's documentation iterate these. */
export interface DocumentExample {
  /** File-name-like: `final-consumer`. */
  readonly name: string;
  /** As a caller sends it, before normalising. */
  readonly content: DocumentContent;
  readonly issuer: IssuerSnapshot;
  readonly numbering: Numbering;
}

export type DocumentTypeCode = '01' | '03' | '04' | '05' | '06' | '07';

/** All that one document type brings to the registry. */
export interface DocumentTypeDefinition {
  readonly code: DocumentTypeCode;
  /** Root element, e.g. `factura`. */
  readonly rootElement: string;
  /** Value of the root's `version` attribute for this content. */
  version(content: DocumentContent): string;
  /** Fills in what the specification lets the caller omit. Pure. */
  normalise(content: DocumentContent, issuer: IssuerSnapshot): Normalised;
  /** Every fiscal rule, all findings in one pass. Pure. Expects normalised content. */
  check(content: DocumentContent, issuer: IssuerSnapshot, context: RuleContext): readonly Finding[];
  /** The document element in canonical form (C14N 1.0), without prolog, without signature. Expects normalised content. */
  buildXml(content: DocumentContent, issuer: IssuerSnapshot, numbering: Numbering): string;
  /** File of our schema for this content, absolute path. */
  schemaFile(content: DocumentContent): string;
  /**
   * Where an XML element comes from: element path below the root, without
   * positions, to JSON Pointer; `{name}` stands for the position of that element.
   * The nearest listed ancestor counts.
   */
  readonly schemaPointers: Readonly<Record<string, string>>;
  readonly examples: readonly DocumentExample[];
}
