import { createHash, X509Certificate } from 'node:crypto';
import {
  Asn1Error,
  childrenOf,
  childAt,
  expectTag,
  integerOf,
  oidOf,
  readAsn1,
  TAG,
  textOf,
  type Asn1,
} from './der.js';
import { javaIssuerName, nameAttribute, readableName } from './issuer-name.js';

export type KeyUsage =
  | 'digitalSignature'
  | 'nonRepudiation'
  | 'keyEncipherment'
  | 'dataEncipherment'
  | 'keyAgreement'
  | 'keyCertSign'
  | 'cRLSign'
  | 'encipherOnly'
  | 'decipherOnly';

/** What the service needs to know of a certificate. */
export interface CertificateDescription {
  /** Readable distinguished name, for people. */
  readonly subject: string;
  /** `X509IssuerName`: exactly what Java reads back as the issuer (RFC 2253). */
  readonly issuerName: string;
  /** Decimal, of any size. */
  readonly serialNumber: string;
  /** Every 13-digit value found where the authorities of Ecuador put the RUC. */
  readonly rucs: readonly string[];
  /** 10 digits of the natural person, when the certificate names one. */
  readonly cedula: string | null;
  readonly validFrom: Date;
  readonly validTo: Date;
  /** Empty when the certificate has no KeyUsage extension. */
  readonly keyUsage: readonly KeyUsage[];
  readonly isCa: boolean;
  /** Issuer and subject are the same name. */
  readonly isSelfIssued: boolean;
  /** `rsa`, `ec`, ... as node:crypto names it. */
  readonly publicKeyType: string;
  /** Modulus length of an RSA key, 0 for other keys. */
  readonly publicKeyBits: number;
  /** Public exponent of an RSA key, 0 for other keys. */
  readonly publicKeyExponent: bigint;
  /** Lower-case hexadecimal SHA-256 of the DER. */
  readonly fingerprintSha256: string;
}

/** The bytes are not a readable X.509 certificate. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError';
}

const OID = {
  basicConstraints: '2.5.29.19',
  keyUsage: '2.5.29.15',
  subjectSerialNumber: '2.5.4.5',
  organizationIdentifier: '2.5.4.97',
  oldAnfRuc: '1.3.6.1.4.1.18332.19.2',
} as const;

/**
 * Decree 181/2011 gave all accredited authorities the same suffixes below their
 * own private arc: `.3.1` identity card or passport, `.3.11` RUC. The arc itself
 * is left open, since new authorities are accredited.
 */
const RUC_EXTENSION = /^1\.3\.6\.1\.4\.1(?:\.\d+)+\.3\.11$/;
const IDENTITY_EXTENSION = /^1\.3\.6\.1\.4\.1(?:\.\d+)+\.3\.1$/;

const USAGE_BITS: readonly KeyUsage[] = [
  'digitalSignature',
  'nonRepudiation',
  'keyEncipherment',
  'dataEncipherment',
  'keyAgreement',
  'keyCertSign',
  'cRLSign',
  'encipherOnly',
  'decipherOnly',
];

/**
 * Reads a certificate.
 * @throws CertificateError when the bytes are not one
 */
export function describeCertificate(der: Buffer): CertificateDescription {
  try {
    return describe(der);
  } catch (error) {
    if (error instanceof Asn1Error) throw new CertificateError(`not a certificate: ${error.message}`, { cause: error });
    throw error;
  }
}

/** The ficha técnica asks for RSA 2048 (§6.8). */
export const RSA_LIMITS = { minBits: 2048, maxBits: 8192, minExponent: 65537n } as const;

/** Why the key of a certificate cannot sign documents: it is not RSA, or of a strength out of bounds. */
export function keyFlaw(description: CertificateDescription): 'unsupported_key' | 'weak_key' | null {
  const { publicKeyType, publicKeyBits, publicKeyExponent } = description;
  if (publicKeyType !== 'rsa') return 'unsupported_key';
  const strong = publicKeyBits >= RSA_LIMITS.minBits && publicKeyBits <= RSA_LIMITS.maxBits && publicKeyExponent >= RSA_LIMITS.minExponent;
  return strong ? null : 'weak_key';
}

/**
 * Whether documents of this RUC may be signed with the certificate: it names
 * the RUC itself, or it is the certificate of the natural person whose identity
 * card starts the RUC (some carry no usable RUC extension). A company
 * certificate names its legal representative's identity card too, but only the
 * company's RUC counts there: the SRI refuses any other (message 39).
 */
export function certificateCarriesRuc(description: CertificateDescription, ruc: string): boolean {
  if (description.rucs.includes(ruc)) return true;
  const { cedula } = description;
  if (cedula === null || !/^\d{13}$/.test(ruc) || !ruc.startsWith(cedula)) return false;
  return description.rucs.every((carried) => carried.startsWith(cedula));
}

function describe(der: Buffer): CertificateDescription {
  const tbs = childAt(readAsn1(der), 0, TAG.sequence);
  const fields = childrenOf(tbs);
  // version [0] is optional; then serial, signature, issuer, validity, subject, key.
  const base = fields[0]?.tag === 0xa0 ? 1 : 0;
  const serial = expectTag(fields[base], TAG.integer);
  const issuer = expectTag(fields[base + 2], TAG.sequence);
  const subject = expectTag(fields[base + 4], TAG.sequence);
  const extensions = extensionsOf(fields.slice(base + 6));
  const x509 = openX509(der);
  const publicKey = x509.publicKey;
  return {
    subject: readableName(subject),
    issuerName: javaIssuerName(issuer),
    serialNumber: integerOf(serial).toString(10),
    rucs: rucsOf(extensions, subject),
    cedula: cedulaOf(extensions, subject),
    validFrom: dateOf(x509.validFrom),
    validTo: dateOf(x509.validTo),
    keyUsage: keyUsageOf(extensions.get(OID.keyUsage)),
    isCa: isCa(extensions.get(OID.basicConstraints)),
    isSelfIssued: issuer.encoded.equals(subject.encoded),
    publicKeyType: publicKey.asymmetricKeyType ?? 'unknown',
    publicKeyBits: publicKey.asymmetricKeyDetails?.modulusLength ?? 0,
    publicKeyExponent: publicKey.asymmetricKeyDetails?.publicExponent ?? 0n,
    fingerprintSha256: createHash('sha256').update(der).digest('hex'),
  };
}

function openX509(der: Buffer): X509Certificate {
  try {
    return new X509Certificate(der);
  } catch (error) {
    throw new CertificateError('not a certificate', { cause: error });
  }
}

function dateOf(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new CertificateError('a date of the certificate cannot be read');
  return date;
}

/** Extension identifier to the content of its OCTET STRING. */
function extensionsOf(tail: readonly Asn1[]): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>();
  const holder = tail.find((element) => element.tag === 0xa3);
  if (holder === undefined) return found;
  for (const extension of childrenOf(childAt(holder, 0, TAG.sequence))) {
    const parts = childrenOf(extension);
    const value = parts.at(-1);
    const id = parts[0];
    if (id === undefined || value?.tag !== TAG.octetString) throw new Asn1Error('broken extension');
    found.set(oidOf(id), value.content);
  }
  return found;
}

function keyUsageOf(extension: Buffer | undefined): KeyUsage[] {
  if (extension === undefined) return [];
  const bits = expectTag(readAsn1(extension), TAG.bitString).content.subarray(1);
  return USAGE_BITS.filter((_usage, i) => ((bits[i >> 3] ?? 0) & (0x80 >> (i & 7))) !== 0);
}

function isCa(extension: Buffer | undefined): boolean {
  if (extension === undefined) return false;
  const first = childrenOf(expectTag(readAsn1(extension), TAG.sequence))[0];
  if (first?.tag === TAG.boolean) return (first.content[0] ?? 0) !== 0;
  return false;
}

function rucsOf(extensions: ReadonlyMap<string, Buffer>, subject: Asn1): string[] {
  const texts: string[] = [];
  for (const [id, value] of extensions) {
    if (RUC_EXTENSION.test(id) || id === OID.oldAnfRuc) texts.push(extensionText(value));
  }
  const organization = nameAttribute(subject, OID.organizationIdentifier);
  const organizationRuc = /^(?:VATEC|TINEC)-(\d{13})$/.exec(organization?.trim() ?? '')?.[1];
  if (organizationRuc !== undefined) texts.push(organizationRuc);
  const serialNumber = nameAttribute(subject, OID.subjectSerialNumber)?.trim();
  if (serialNumber !== undefined && /^\d{13}$/.test(serialNumber)) texts.push(serialNumber);
  const rucs = texts.flatMap((text) => text.match(/(?<!\d)\d{13}(?!\d)/g) ?? []);
  return [...new Set(rucs)];
}

function cedulaOf(extensions: ReadonlyMap<string, Buffer>, subject: Asn1): string | null {
  for (const [id, value] of extensions) {
    if (!IDENTITY_EXTENSION.test(id)) continue;
    const digits = /(?<!\d)\d{10}(?!\d)/.exec(extensionText(value))?.[0];
    if (digits !== undefined) return digits;
  }
  const serialNumber = nameAttribute(subject, OID.subjectSerialNumber)?.trim() ?? '';
  return /^IDCEC-(\d{10})$/.exec(serialNumber)?.[1] ?? null;
}

/** OCTET STRINGs around the text of an extension, one within the other; real certificates have one at most. */
const MOST_WRAPPINGS = 4;

/**
 * The text of a private extension: a DER string, sometimes wrapped once more in
 * an OCTET STRING, sometimes bare bytes without any tag.
 */
function extensionText(value: Buffer, wrappings = 0): string {
  if (wrappings > MOST_WRAPPINGS) throw new Asn1Error('nested too deeply');
  const element = elementIn(value);
  if (element?.tag === TAG.octetString) return extensionText(element.content, wrappings + 1);
  return (element && textOf(element)) ?? value.toString('latin1');
}

/** Null for bytes that are none. */
function elementIn(bytes: Buffer): Asn1 | null {
  try {
    return readAsn1(bytes);
  } catch (error) {
    if (error instanceof Asn1Error) return null;
    throw error;
  }
}
