import { createPrivateKey, createPublicKey, X509Certificate, type KeyObject } from 'node:crypto';
import { CertificateError, describeCertificate, type CertificateDescription } from './certificate.js';
import { Asn1Error } from './der.js';
import { Pkcs12Error } from './pkcs12-error.js';
import { readBags, type CertificateBag, type KeyBag } from './pkcs12-bags.js';

export { Pkcs12Error, type Pkcs12Reason } from './pkcs12-error.js';

/** An opened container: the pair of key and certificate that signs. */
export interface SigningIdentity {
  /** DER of the PKCS#8 `PrivateKeyInfo`, unencrypted: a secret. */
  readonly privateKeyPkcs8: Buffer;
  readonly certificateDer: Buffer;
}

/** Largest file taken, in bytes. Files of the authorities have 3 to 15 KB. */
export const MAX_PKCS12_BYTES = 64 * 1024;

/** The ficha técnica asks for RSA 2048 (§6.8). */
const MIN_RSA_BITS = 2048;
const MAX_RSA_BITS = 8192;
const MIN_RSA_EXPONENT = 65537n;

interface Candidate extends SigningIdentity {
  readonly description: CertificateDescription;
  readonly friendlyNames: readonly string[];
  readonly sameLocalKeyId: boolean;
}

/**
 * Opens a `.p12` file and picks the pair that signs documents: of the
 * certificates that have their private key in the file, no authority's own
 * certificate, key usage digitalSignature, valid at `now`; of several, the one
 * named "signing", then the one that ends latest. A pair that is only expired
 * (or not valid yet) is still returned when no better one exists: the caller
 * judges the dates.
 *
 * Both old (RC2-40, 3DES) and new (AES, PBKDF2) encryption are read. Old files
 * cost pure JavaScript derivation time, so call this off the event loop.
 *
 * @throws Pkcs12Error with the reason; never anything about the password or key
 */
export function openPkcs12(bytes: Uint8Array, password: string, now: Date): SigningIdentity {
  if (bytes.length > MAX_PKCS12_BYTES) {
    throw new Pkcs12Error('too_large', `the file exceeds ${MAX_PKCS12_BYTES} bytes`);
  }
  const bags = readBags(Buffer.from(bytes), password);
  if (bags.keys.length === 0) throw new Pkcs12Error('no_private_key', 'the file holds no private key');
  if (bags.certificates.length === 0) throw new Pkcs12Error('no_certificate', 'the file holds no certificate');
  const candidates = pairUp(bags.keys, bags.certificates);
  const { privateKeyPkcs8, certificateDer } = choose(candidates, now);
  return { privateKeyPkcs8, certificateDer };
}

/** Every key with every certificate that carries its public key. */
function pairUp(keyBags: readonly KeyBag[], certificateBags: readonly CertificateBag[]): Candidate[] {
  const keys = keyBags.map((bag) => ({ bag, publicKey: publicKeyOf(bag.pkcs8) }));
  const candidates: Candidate[] = [];
  for (const certificateBag of certificateBags) {
    const spki = certificatePublicKey(certificateBag.der);
    if (spki === null) continue;
    for (const { bag, publicKey } of keys) {
      if (publicKey === null || !exportSpki(publicKey).equals(spki)) continue;
      candidates.push({
        privateKeyPkcs8: bag.pkcs8,
        certificateDer: certificateBag.der,
        description: describeReadable(certificateBag.der),
        friendlyNames: [bag.friendlyName, certificateBag.friendlyName].filter((name) => name !== null),
        sameLocalKeyId: bag.localKeyId !== null && certificateBag.localKeyId?.equals(bag.localKeyId) === true,
      });
    }
  }
  if (candidates.length > 0) return candidates;
  if (keys.every(({ publicKey }) => publicKey === null)) {
    throw new Pkcs12Error('unsupported_key', 'the private key is of a type that cannot be read');
  }
  throw new Pkcs12Error('key_mismatch', 'no certificate of the file belongs to its private key');
}

/** Applies the selection rule step by step; each step that leaves nothing says why. */
function choose(candidates: readonly Candidate[], now: Date): Candidate {
  const leaves = narrow(
    candidates,
    ({ description }) => !description.isCa,
    'no_signing_key',
    'only the certificate of an authority has a private key',
  );
  const signing = narrow(
    leaves,
    ({ description }) => description.keyUsage.includes('digitalSignature'),
    'no_signing_key',
    'no certificate has the key usage digitalSignature',
  );
  const rsa = narrow(
    signing,
    ({ description }) => description.publicKeyType === 'rsa',
    'unsupported_key',
    'the signing key is not RSA',
  );
  const strong = narrow(
    rsa,
    isStrong,
    'weak_key',
    `the RSA key must have ${MIN_RSA_BITS} to ${MAX_RSA_BITS} bits and an exponent of at least ${MIN_RSA_EXPONENT}`,
  );
  const issued = narrow(
    strong,
    ({ description }) => !description.isSelfIssued,
    'self_signed',
    'the certificate was not issued by an authority',
  );
  const inForce = issued.filter(({ description }) => description.validFrom <= now && now <= description.validTo);
  const [best] = [...(inForce.length > 0 ? inForce : issued)].sort(byPreference);
  if (best === undefined) throw new Error('unreachable: narrow() never returns an empty list');
  return best;
}

function narrow(
  candidates: readonly Candidate[],
  keep: (candidate: Candidate) => boolean,
  reason: ConstructorParameters<typeof Pkcs12Error>[0],
  detail: string,
): readonly Candidate[] {
  const kept = candidates.filter(keep);
  if (kept.length === 0) throw new Pkcs12Error(reason, detail);
  return kept;
}

function byPreference(a: Candidate, b: Candidate): number {
  const named = Number(isNamedSigning(b)) - Number(isNamedSigning(a));
  if (named !== 0) return named;
  const ends = b.description.validTo.getTime() - a.description.validTo.getTime();
  if (ends !== 0) return ends;
  return Number(b.sameLocalKeyId) - Number(a.sameLocalKeyId);
}

function isNamedSigning(candidate: Candidate): boolean {
  return candidate.friendlyNames.some((name) => /signing/i.test(name));
}

function isStrong({ description, certificateDer }: Candidate): boolean {
  const exponent = new X509Certificate(certificateDer).publicKey.asymmetricKeyDetails?.publicExponent ?? 0n;
  const bits = description.publicKeyBits;
  return bits >= MIN_RSA_BITS && bits <= MAX_RSA_BITS && exponent >= MIN_RSA_EXPONENT;
}

/** Null for a key that OpenSSL cannot load. */
function publicKeyOf(pkcs8: Buffer): KeyObject | null {
  try {
    return createPublicKey(createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }));
  } catch {
    return null;
  }
}

function certificatePublicKey(der: Buffer): Buffer | null {
  try {
    return exportSpki(new X509Certificate(der).publicKey);
  } catch {
    return null;
  }
}

function exportSpki(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' });
}

function describeReadable(der: Buffer): CertificateDescription {
  try {
    return describeCertificate(der);
  } catch (error) {
    if (error instanceof CertificateError || error instanceof Asn1Error) {
      throw new Pkcs12Error('malformed', 'a certificate of the file cannot be read');
    }
    throw error;
  }
}
