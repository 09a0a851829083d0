import { createHash, type KeyObject, X509Certificate } from 'node:crypto';
import { childAt, type Der, oidText, readChildren, readDer, stringText, TAG } from './der.js';

/** One attribute of a distinguished name. */
export interface NameAttribute {
  readonly oid: string;
  /** Its decoded text. */
  readonly text: string;
  /** DER of the value, lower-case hexadecimal. */
  readonly der: string;
}

/** RDNs in the order of the certificate; mostly one attribute each. */
export type Name = readonly (readonly NameAttribute[])[];

/** What the SRI looks at in the certificate of a signature. */
export interface SigningCertificate {
  readonly der: Buffer;
  readonly publicKey: KeyObject;
  readonly isRsa: boolean;
  readonly keyBits: number;
  readonly modulus: Buffer | null;
  /** Decimal. */
  readonly serialNumber: string;
  readonly issuer: Name;
  readonly validFrom: Date;
  readonly validTo: Date;
  /** Null when the certificate has no KeyUsage extension. */
  readonly digitalSignature: boolean | null;
  /** 13-digit values that the authorities' RUC carriers hold. */
  readonly rucs: readonly string[];
  /** Cédula of the natural person, 10 digits. */
  readonly cedulas: readonly string[];
  /** Lower-case hexadecimal. */
  readonly fingerprint: string;
}

const KEY_USAGE = '2.5.29.15';
const ORGANIZATION_IDENTIFIER = '2.5.4.97';
const SERIAL_NUMBER = '2.5.4.5';
const OLD_ANF_RUC = '1.3.6.1.4.1.18332.19.2';
const PRIVATE_ARC = '1.3.6.1.4.1.';

/**
 * Reads an X.509 certificate.
 *
 * @throws Error when the bytes are no certificate
 */
export function readCertificate(der: Buffer): SigningCertificate {
  const x509 = new X509Certificate(der);
  const tbs = childAt(readChildren(readDer(der)), 0);
  const fields = readChildren(tbs);
  const first = childAt(fields, 0).tag === 0xa0 ? 1 : 0;
  const subject = readName(childAt(fields, first + 4));
  const extensions = readExtensions(fields.find((field) => field.tag === 0xa3));
  const jwk = x509.publicKey.asymmetricKeyType === 'rsa' ? x509.publicKey.export({ format: 'jwk' }) : {};
  return {
    der,
    publicKey: x509.publicKey,
    isRsa: x509.publicKey.asymmetricKeyType === 'rsa',
    keyBits: x509.publicKey.asymmetricKeyDetails?.modulusLength ?? 0,
    modulus: typeof jwk.n === 'string' ? Buffer.from(jwk.n, 'base64url') : null,
    serialNumber: BigInt(`0x${x509.serialNumber}`).toString(),
    issuer: readName(childAt(fields, first + 2)),
    validFrom: new Date(x509.validFrom),
    validTo: new Date(x509.validTo),
    digitalSignature: digitalSignatureBit(extensions.get(KEY_USAGE)),
    ...identities(subject, extensions),
    fingerprint: createHash('sha256').update(der).digest('hex'),
  };
}

/** A name as the certificate spells it. */
function readName(value: Der): Name {
  return readChildren(value).map((rdn) =>
    readChildren(rdn).map((attribute) => {
      const parts = readChildren(attribute);
      const content = childAt(parts, 1);
      return {
        oid: oidText(childAt(parts, 0).contents),
        text: stringText(content),
        der: content.bytes.toString('hex'),
      };
    }),
  );
}

function readExtensions(wrapper: Der | undefined): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>();
  if (!wrapper) return found;
  for (const extension of readChildren(childAt(readChildren(wrapper), 0))) {
    const parts = readChildren(extension);
    const value = parts.at(-1);
    if (value?.tag === TAG.octetString) found.set(oidText(childAt(parts, 0).contents), value.contents);
  }
  return found;
}

function digitalSignatureBit(extension: Buffer | undefined): boolean | null {
  if (!extension) return null;
  const bits = readDer(extension);
  return bits.tag === TAG.bitString && ((bits.contents[1] ?? 0) & 0x80) !== 0;
}

function identities(
  subject: Name,
  extensions: ReadonlyMap<string, Buffer>,
): { readonly rucs: string[]; readonly cedulas: string[] } {
  const rucs: string[] = [];
  const cedulas: string[] = [];
  for (const [oid, value] of extensions) {
    if (!oid.startsWith(PRIVATE_ARC)) continue;
    if (oid.endsWith('.3.11') || oid === OLD_ANF_RUC) rucs.push(...digitRuns(value, 13));
    if (oid.endsWith('.3.1')) cedulas.push(...digitRuns(value, 10));
  }
  for (const { oid, text } of subject.flat()) {
    if (oid === ORGANIZATION_IDENTIFIER || oid === SERIAL_NUMBER) rucs.push(...digitRuns(Buffer.from(text), 13));
    if (oid === SERIAL_NUMBER) cedulas.push(...digitRuns(Buffer.from(text), 10));
  }
  return { rucs, cedulas };
}

/** Runs of exactly so many digits, whatever string type wraps them. */
function digitRuns(value: Buffer, length: number): string[] {
  return (value.toString('latin1').match(/\d+/g) ?? []).filter((run) => run.length === length);
}
