import { createPrivateKey, createPublicKey, X509Certificate, type KeyObject } from 'node:crypto';
import { certificateCarriesRuc, CertificateError, describeCertificate, keyFlaw, RSA_LIMITS, type CertificateDescription } from './certificate.js';
import { followChain, type CertificateChain } from './chain.js';
import { Asn1Error, childAt, childrenOf, expectTag, octetsOf, readAsn1, TAG } from './der.js';
import { Pkcs12Error, type Pkcs12Reason } from './pkcs12-error.js';
import { readBags, type CertificateBag, type KeyBag } from './pkcs12-bags.js';
import { MAX_PKCS12_BYTES } from './pkcs12-size.js';

export { Pkcs12Error, type Pkcs12Reason } from './pkcs12-error.js';

/** An opened container: the pair of key and certificate that signs. */
export interface SigningIdentity {
  /** DER of the PKCS#8 `PrivateKeyInfo`, unencrypted: a secret. */
  readonly privateKeyPkcs8: Buffer;
  readonly certificateDer: Buffer;
}

interface Candidate extends SigningIdentity {
  readonly description: CertificateDescription;
  readonly friendlyNames: readonly string[];
  readonly sameLocalKeyId: boolean;
}

/** A container with a pair, whether that pair can sign or not. */
export interface InspectedContainer extends SigningIdentity {
  /** Why not even this pair, the best of the file, can sign; null when it can. RUC and dates are the caller's to judge. */
  readonly refusal: Pkcs12Reason | null;
  /** How many pairs of key and certificate the file holds. */
  readonly pairs: number;
  readonly chain: CertificateChain;
}

/**
 * Opens a `.p12` file and picks the pair that signs documents: of the
 * certificates that have their private key in the file, no authority's own
 * certificate, key usage digitalSignature, of the taxpayer `ruc`, valid at
 * `now`; of several, the one named "signing", then the one that ends latest. A
 * pair of another taxpayer, or that is only expired (or not valid yet), is
 * still returned when no better one exists: the caller judges RUC and dates. A
 * pair that cannot sign is described as fully as it can, with its `refusal`.
 *
 * Both old (RC2-40, 3DES) and new (AES, PBKDF2) encryption are read. Old files
 * cost pure JavaScript derivation time, so call this off the event loop.
 *
 * @throws Pkcs12Error when the file does not open or holds no pair; never
 * anything about the password or key
 */
export function inspectPkcs12(bytes: Uint8Array, password: string, ruc: string, now: Date): InspectedContainer {
  const { candidates, certificates } = readPairs(bytes, password);
  const { best, refusal } = choose(candidates, ruc, now);
  const { privateKeyPkcs8, certificateDer } = best;
  return {
    privateKeyPkcs8,
    certificateDer,
    refusal: refusal?.reason ?? null,
    pairs: candidates.length,
    chain: followChain(certificateDer, certificates),
  };
}

/** For benchmarks and tests: as `inspectPkcs12` for any taxpayer, but throws the refusal. */
export function openPkcs12(bytes: Uint8Array, password: string, now: Date): SigningIdentity {
  const { candidates } = readPairs(bytes, password);
  const { best, refusal } = choose(candidates, null, now);
  if (refusal !== null) throw refusal;
  return { privateKeyPkcs8: best.privateKeyPkcs8, certificateDer: best.certificateDer };
}

function readPairs(bytes: Uint8Array, password: string): { candidates: readonly Candidate[]; certificates: readonly Buffer[] } {
  if (bytes.length > MAX_PKCS12_BYTES) {
    throw new Pkcs12Error('too_large', `the file exceeds ${MAX_PKCS12_BYTES} bytes`);
  }
  const { keys, certificates } = readBags(Buffer.from(bytes), password);
  if (keys.length === 0) throw new Pkcs12Error('no_private_key', 'the file holds no private key');
  if (certificates.length === 0) throw new Pkcs12Error('no_certificate', 'the file holds no certificate');
  return { candidates: pairUp(keys, certificates), certificates: certificates.map(({ der }) => der) };
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

/** What a pair must be, in this order, and why a file without any such pair cannot serve. */
const DEMANDS: readonly (readonly [keep: (candidate: Candidate) => boolean, reason: Pkcs12Reason, detail: string])[] = [
  [({ description }) => !description.isCa, 'no_signing_key', 'only the certificate of an authority has a private key'],
  [
    ({ description }) => description.keyUsage.includes('digitalSignature'),
    'no_signing_key',
    'no certificate has the key usage digitalSignature',
  ],
  [({ description }) => keyFlaw(description) !== 'unsupported_key', 'unsupported_key', 'the signing key is not RSA'],
  [
    ({ description }) => keyFlaw(description) === null,
    'weak_key',
    `the RSA key must have ${RSA_LIMITS.minBits} to ${RSA_LIMITS.maxBits} bits and an exponent of at least ${RSA_LIMITS.minExponent}`,
  ],
  [({ description }) => !description.isSelfIssued, 'self_signed', 'the certificate was not issued by an authority'],
];

/** Narrows by each demand that some candidate meets; the first that none meets is the reason to refuse them all. A file may hold pairs of several taxpayers. */
function choose(candidates: readonly Candidate[], ruc: string | null, now: Date): { best: Candidate; refusal: Pkcs12Error | null } {
  let [left, refusal]: [readonly Candidate[], Pkcs12Error | null] = [candidates, null];
  for (const [keep, reason, detail] of DEMANDS) {
    const kept = left.filter(keep);
    if (kept.length > 0) left = kept;
    else refusal ??= new Pkcs12Error(reason, detail);
  }
  const preferences: readonly ((candidate: Candidate) => boolean)[] = [
    ({ description }) => ruc !== null && certificateCarriesRuc(description, ruc),
    ({ description }) => description.validFrom <= now && now <= description.validTo,
  ];
  for (const prefer of preferences) {
    const preferred = left.filter(prefer);
    if (preferred.length > 0) left = preferred;
  }
  const [best] = [...left].sort(byPreference);
  if (best === undefined) throw new Error('unreachable: there is at least one candidate');
  return { best, refusal };
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

/** Null for a key that OpenSSL cannot load, or would compute with for hours. */
function publicKeyOf(pkcs8: Buffer): KeyObject | null {
  try {
    const key = createPublicKey(createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }));
    return key.asymmetricKeyType === 'rsa' && !isBoundedByModulus(pkcs8) ? null : key;
  } catch {
    return null;
  }
}

/** Whether no number of an RSA key is longer than its modulus. OpenSSL looks at none of them, and its time grows with the cube of their length. */
function isBoundedByModulus(pkcs8: Buffer): boolean {
  const rsaKey = readAsn1(octetsOf(childAt(readAsn1(pkcs8), 2)));
  const [, modulus, ...others] = childrenOf(rsaKey);
  const { length } = expectTag(modulus, TAG.integer).content;
  return others.every(({ content }) => content.length <= length);
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

/** Names are kept and shown; real ones have some hundreds. */
const LONGEST_NAME = 2_000;

function describeReadable(der: Buffer): CertificateDescription {
  try {
    const description = describeCertificate(der);
    if (Math.max(description.subject.length, description.issuerName.length) > LONGEST_NAME) {
      throw new Pkcs12Error('malformed', `a name in a certificate of the file has more than ${LONGEST_NAME} characters`);
    }
    return description;
  } catch (error) {
    if (error instanceof CertificateError || error instanceof Asn1Error) {
      throw new Pkcs12Error('malformed', 'a certificate of the file cannot be read');
    }
    throw error;
  }
}
