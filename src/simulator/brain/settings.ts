import type { SchemaSource } from './xml/schemas.js';
import type { TaxpayerState } from './taxpayers.js';

/** How this SRI behaves. Everything is data: a copy of the settings and the clock explains every answer. */
export interface SimulatorSettings {
  /** Environments that this host serves: 1 test, 2 production. */
  readonly environments: readonly ('1' | '2')[];
  /** Largest signed document in bytes (ficha técnica, section 7.5: 320 KB). */
  readonly maxDocumentBytes: number;
  /** Virtual time between RECIBIDA and the decision, spread by the document's digest. */
  readonly processingMs: { readonly min: number; readonly max: number };
  /** What a query says while the document is in process. */
  readonly pendingAnswer: 'in_process' | 'empty';
  /** Oldest accepted issue date, in calendar days before today in Guayaquil; 0 accepts only today. */
  readonly issueWindowDays: number;
  /** `factura 1.0.0`-like names of schemas that are no longer accepted (36). */
  readonly discontinuedSchemas: readonly string[];
  readonly schemas: SchemaSource;
  /**
   * How closely documents are looked at. `full`: as the SRI does. `content`: all
   * but the signature. `key`: nothing but the access key that the bytes show, for
   * simulations of many thousand histories.
   */
  readonly scrutiny: 'full' | 'content' | 'key';
  /** Which canonicalizer judges signatures; both are strict, libxml2 is several times faster. */
  readonly signatureEngine: 'xml-crypto' | 'libxml2';
  /** Accepted SignatureMethod algorithms. */
  readonly signatureMethods: readonly string[];
  /** RUCs that differ from a healthy taxpayer. */
  readonly taxpayers: Readonly<Record<string, Partial<TaxpayerState>>>;
  /** Receiver identifications that the registry does not know (59). */
  readonly unknownReceivers: readonly string[];
  /** Lower-case hexadecimal SHA-256 of certificates that their authority revoked (42). */
  readonly revokedCertificates: readonly string[];
  /** Whether a document's field `Simulador` steers what happens to it. */
  readonly magicValues: boolean;
  /** Days (`YYYY-MM-DD`) besides weekends on which the portal's deadlines do not run. */
  readonly holidays: readonly string[];
  /** Entries that the ledger keeps; null keeps all. Counts and digests per key stay either way. */
  readonly ledgerLimit: number | null;
  /** Decided documents whose XML is kept; older ones answer without `comprobante`. Null keeps all. */
  readonly storedDocumentLimit: number | null;
}

const RSA_SHA1 = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1';

/** The SRI of a quiet day, with the schemas of the caller. */
export function defaultSettings(schemas: SchemaSource): SimulatorSettings {
  return {
    environments: ['1', '2'],
    maxDocumentBytes: 320 * 1024,
    processingMs: { min: 0, max: 300 },
    pendingAnswer: 'in_process',
    issueWindowDays: 90,
    discontinuedSchemas: [],
    schemas,
    scrutiny: 'full',
    signatureEngine: 'xml-crypto',
    signatureMethods: [RSA_SHA1],
    taxpayers: {},
    unknownReceivers: [],
    revokedCertificates: [],
    magicValues: true,
    holidays: [],
    ledgerLimit: null,
    storedDocumentLimit: null,
  };
}
