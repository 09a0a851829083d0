import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  Asn1Error,
  childrenOf,
  childAt,
  expectTag,
  octetsOf,
  oidOf,
  readAsn1,
  smallIntegerOf,
  TAG,
  textOf,
  type Asn1,
} from './der.js';
import { Pkcs12Error } from './pkcs12-error.js';
import {
  decrypt,
  DecryptionError,
  DerivationBudget,
  derivePkcs12Key,
  passwordForms,
  type PasswordForm,
} from './pkcs12-encryption.js';

export interface KeyBag {
  /** DER of the PKCS#8 `PrivateKeyInfo`, decrypted. */
  readonly pkcs8: Buffer;
  readonly friendlyName: string | null;
  readonly localKeyId: Buffer | null;
}

export interface CertificateBag {
  readonly der: Buffer;
  readonly friendlyName: string | null;
  readonly localKeyId: Buffer | null;
}

export interface Bags {
  readonly keys: readonly KeyBag[];
  readonly certificates: readonly CertificateBag[];
}

const OID = {
  data: '1.2.840.113549.1.7.1',
  encryptedData: '1.2.840.113549.1.7.6',
  keyBag: '1.2.840.113549.1.12.10.1.1',
  shroudedKeyBag: '1.2.840.113549.1.12.10.1.2',
  certificateBag: '1.2.840.113549.1.12.10.1.3',
  safeContentsBag: '1.2.840.113549.1.12.10.1.6',
  x509Certificate: '1.2.840.113549.1.9.22.1',
  friendlyName: '1.2.840.113549.1.9.20',
  localKeyId: '1.2.840.113549.1.9.21',
} as const;

/** Digest of the integrity check: identifier, node:crypto name, bytes. */
const MAC_DIGESTS: Readonly<Record<string, { readonly name: string; readonly length: number }>> = {
  '1.3.14.3.2.26': { name: 'sha1', length: 20 },
  '2.16.840.1.101.3.4.2.1': { name: 'sha256', length: 32 },
  '2.16.840.1.101.3.4.2.2': { name: 'sha384', length: 48 },
  '2.16.840.1.101.3.4.2.3': { name: 'sha512', length: 64 },
};

/**
 * Checks the container's integrity (RFC 7292) and reads every key and
 * certificate in it, in the order of the file.
 * @throws Pkcs12Error
 */
export function readBags(bytes: Buffer, password: string): Bags {
  try {
    return readContainer(bytes, password);
  } catch (error) {
    if (error instanceof Asn1Error) {
      throw new Pkcs12Error('malformed', `the file is not a PKCS#12 container (${error.message})`);
    }
    if (error instanceof DecryptionError)
      throw new Pkcs12Error('wrong_password', 'the password does not open the file');
    throw error;
  }
}

function readContainer(bytes: Buffer, password: string): Bags {
  const [version, authSafe, macData] = childrenOf(expectTag(readAsn1(bytes), TAG.sequence));
  if (smallIntegerOf(expectTag(version)) !== 3) throw new Asn1Error('not version 3');
  const safe = contentInfo(expectTag(authSafe, TAG.sequence));
  if (safe.type !== OID.data) {
    throw new Pkcs12Error('unsupported_algorithm', 'the container is protected by a public key, not by a password');
  }
  const contents = octetsOf(safe.content);
  const budget = new DerivationBudget();
  const intact = integrityCheck(macData, contents, budget);
  for (const form of passwordForms(password)) {
    if (!intact(form)) continue;
    try {
      return readSafe(contents, form, budget);
    } catch (error) {
      // The same characters may still be meant as other octets; anything else is a real failure.
      if (!(error instanceof DecryptionError)) throw error;
    }
  }
  throw new DecryptionError();
}

/** Whether a form of the password satisfies the integrity check; each spelling is derived once. */
function integrityCheck(
  macData: Asn1 | undefined,
  contents: Buffer,
  budget: DerivationBudget,
): (form: PasswordForm) => boolean {
  if (macData === undefined) return () => true;
  const known = new Map<string | null, boolean>();
  return (form) => {
    const matches = known.get(form.characters) ?? macMatches(macData, contents, form, budget);
    known.set(form.characters, matches);
    return matches;
  };
}

function contentInfo(element: Asn1): { type: string; content: Asn1 } {
  const [type, holder] = childrenOf(element);
  return { type: oidOf(expectTag(type)), content: childAt(expectTag(holder, 0xa0), 0) };
}

function macMatches(macData: Asn1, contents: Buffer, form: PasswordForm, budget: DerivationBudget): boolean {
  const [digestInfo, salt, iterations] = childrenOf(macData);
  const [algorithm, expected] = childrenOf(expectTag(digestInfo, TAG.sequence));
  const digest = MAC_DIGESTS[oidOf(childAt(expectTag(algorithm), 0))];
  if (digest === undefined) {
    throw new Pkcs12Error('unsupported_algorithm', 'the integrity check uses an algorithm that is not supported');
  }
  const key = derivePkcs12Key(form, octetsOf(expectTag(salt)), {
    purpose: 'integrity',
    iterations: iterations === undefined ? 1 : smallIntegerOf(iterations),
    length: digest.length,
    digest: digest.name,
    budget,
  });
  const actual = createHmac(digest.name, key).update(contents).digest();
  const wanted = octetsOf(expectTag(expected));
  return actual.length === wanted.length && timingSafeEqual(actual, wanted);
}

interface Collector {
  readonly keys: KeyBag[];
  readonly certificates: CertificateBag[];
  readonly form: PasswordForm;
  readonly budget: DerivationBudget;
}

function readSafe(contents: Buffer, form: PasswordForm, budget: DerivationBudget): Bags {
  const into: Collector = { keys: [], certificates: [], form, budget };
  for (const part of childrenOf(expectTag(readAsn1(contents), TAG.sequence))) {
    const { type, content } = contentInfo(part);
    if (type === OID.data) readSafeContents(readAsn1(octetsOf(content)), into);
    else if (type === OID.encryptedData) readSafeContents(parseDecrypted(decryptContent(content, into)), into);
    else
      throw new Pkcs12Error('unsupported_algorithm', `a part of the file is of a type that is not supported (${type})`);
  }
  return { keys: into.keys, certificates: into.certificates };
}

/** EncryptedData { version, EncryptedContentInfo { type, algorithm, [0] ciphertext } } (RFC 2315). */
function decryptContent(encryptedData: Asn1, { form, budget }: Collector): Buffer {
  const info = childrenOf(childAt(encryptedData, 1, TAG.sequence));
  const ciphertext = expectTag(info[2]);
  if ((ciphertext.tag & 0xdf) !== 0x80) throw new Asn1Error('no ciphertext');
  return decrypt(expectTag(info[1], TAG.sequence), octetsOf(ciphertext), form, budget);
}

/** A wrong key passes the padding check once in 256 times: what it yields is no ASN.1. */
function parseDecrypted(plain: Buffer): Asn1 {
  try {
    return expectTag(readAsn1(plain), TAG.sequence);
  } catch (error) {
    if (error instanceof Asn1Error) throw new DecryptionError();
    throw error;
  }
}

function readSafeContents(safeContents: Asn1, into: Collector): void {
  expectTag(safeContents, TAG.sequence);
  for (const bag of childrenOf(safeContents)) {
    const [id, holder, attributes] = childrenOf(bag);
    const value = childAt(expectTag(holder, 0xa0), 0);
    const names = bagAttributes(attributes);
    switch (oidOf(expectTag(id))) {
      case OID.keyBag:
        into.keys.push({ pkcs8: value.encoded, ...names });
        break;
      case OID.shroudedKeyBag: {
        const [algorithm, ciphertext] = childrenOf(value);
        const plain = decrypt(
          expectTag(algorithm, TAG.sequence),
          octetsOf(expectTag(ciphertext)),
          into.form,
          into.budget,
        );
        into.keys.push({ pkcs8: parseDecrypted(plain).encoded, ...names });
        break;
      }
      case OID.certificateBag:
        if (oidOf(childAt(value, 0)) === OID.x509Certificate) {
          into.certificates.push({ der: octetsOf(childAt(childAt(value, 1, 0xa0), 0)), ...names });
        }
        break;
      case OID.safeContentsBag:
        readSafeContents(value, into);
        break;
      default:
        // Revocation lists and secrets are of no use for signing.
        break;
    }
  }
}

function bagAttributes(attributes: Asn1 | undefined): { friendlyName: string | null; localKeyId: Buffer | null } {
  let friendlyName: string | null = null;
  let localKeyId: Buffer | null = null;
  for (const attribute of attributes === undefined ? [] : childrenOf(attributes)) {
    const type = oidOf(childAt(attribute, 0));
    const value = childrenOf(childAt(attribute, 1))[0];
    if (value === undefined) continue;
    if (type === OID.friendlyName) friendlyName = textOf(value);
    if (type === OID.localKeyId) localKeyId = octetsOf(value);
  }
  return { friendlyName, localKeyId };
}
