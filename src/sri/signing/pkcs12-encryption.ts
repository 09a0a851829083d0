import { createDecipheriv, pbkdf2Sync } from 'node:crypto';
import forge from 'node-forge';
import { childrenOf, expectTag, octetsOf, oidOf, smallIntegerOf, TAG, type Asn1 } from './der.js';
import { Pkcs12Error } from './pkcs12-error.js';

/** The ciphertext does not open with this password. */
export class DecryptionError extends Error {
  override readonly name = 'DecryptionError';
}

/** One way in which programs turn the typed password into bytes. */
export interface PasswordForm {
  /** For PKCS#12 derivation (UTF-16BE with terminator); null is "no password at all". */
  readonly characters: string | null;
  /** For PBKDF2. */
  readonly octets: Buffer;
}

const MAX_PASSWORD_LENGTH = 1024;

/**
 * The forms worth trying, the standard one first. An empty password exists in
 * two encodings; letters outside ASCII come composed or decomposed, node-forge
 * takes them as Latin-1 for PBKDF2, and OpenSSL before 1.1 widened the bytes of
 * UTF-8 instead of the characters.
 */
export function passwordForms(password: string): PasswordForm[] {
  if (password.length > MAX_PASSWORD_LENGTH) throw new DecryptionError();
  const form = (characters: string | null): PasswordForm => ({ characters, octets: utf8(characters ?? '') });
  if (password === '') return [form(''), form(null)];
  if (utf8(password).length === password.length) return [form(password)];
  const spellings = [...new Set([password, password.normalize('NFC'), password.normalize('NFD')])];
  return [
    ...spellings.map(form),
    { characters: password, octets: Buffer.from(password, 'latin1') },
    { characters: utf8(password).toString('latin1'), octets: utf8(password) },
  ];
}

function utf8(text: string): Buffer {
  return Buffer.from(text, 'utf8');
}

/**
 * Bounds the derivation work that one file may ask for. A round of the PKCS#12
 * derivation (pure JavaScript) costs about 1 microsecond and counts 1, a round
 * of PBKDF2 (native) about a quarter of that.
 */
export class DerivationBudget {
  static readonly MAX_ITERATIONS = 1_000_000;
  private left = 1_500_000;

  /**
   * Takes the work of one derivation off, before it is done.
   * @param weight of one round, in rounds of the PKCS#12 derivation
   * @throws Pkcs12Error too_many_iterations when too much is asked for
   */
  spend(iterations: number, weight: number): void {
    this.left -= iterations * weight;
    if (iterations < 1 || iterations > DerivationBudget.MAX_ITERATIONS || this.left < 0) {
      throw new Pkcs12Error('too_many_iterations', 'the file asks for too many key derivation rounds');
    }
  }
}

const PURPOSE = { encryption: 1, initialisation: 2, integrity: 3 } as const;

interface Derivation {
  readonly purpose: keyof typeof PURPOSE;
  readonly iterations: number;
  readonly length: number;
  readonly digest: string;
  readonly budget: DerivationBudget;
}

const FORGE_DIGESTS: Readonly<Record<string, () => forge.md.MessageDigest>> = {
  sha1: () => forge.md.sha1.create(),
  sha256: () => forge.md.sha256.create(),
  sha384: () => forge.md.sha384.create(),
  sha512: () => forge.md.sha512.create(),
};
const DIGEST_BYTES: Readonly<Record<string, number>> = { sha1: 20, sha256: 32, sha384: 48, sha512: 64 };

/** Key derivation of PKCS#12 itself (RFC 7292, appendix B). */
export function derivePkcs12Key(form: PasswordForm, salt: Buffer, derivation: Derivation): Buffer {
  const { purpose, iterations, length, digest, budget } = derivation;
  const createDigest = FORGE_DIGESTS[digest];
  if (createDigest === undefined)
    throw new Pkcs12Error('unsupported_algorithm', `the digest ${digest} is not supported`);
  budget.spend(iterations, Math.ceil(length / (DIGEST_BYTES[digest] ?? length)));
  const key = forge.pkcs12.generateKey(
    form.characters,
    forge.util.createBuffer(salt.toString('latin1')),
    PURPOSE[purpose],
    iterations,
    length,
    createDigest(),
  );
  return Buffer.from(key.getBytes(), 'latin1');
}

interface LegacyScheme {
  readonly keyLength: number;
  readonly decipher: (key: Buffer, iv: Buffer, ciphertext: Buffer) => Buffer;
}

/** Password-based schemes of PKCS#12 (RFC 7292, appendix C); SHA-1 is part of their definition. */
const LEGACY_SCHEMES: Readonly<Record<string, LegacyScheme>> = {
  '1.2.840.113549.1.12.1.3': { keyLength: 24, decipher: native('des-ede3-cbc') },
  '1.2.840.113549.1.12.1.4': { keyLength: 16, decipher: native('des-ede-cbc') },
  '1.2.840.113549.1.12.1.5': { keyLength: 16, decipher: rc2(128) },
  '1.2.840.113549.1.12.1.6': { keyLength: 5, decipher: rc2(40) },
};

const PBES2 = '1.2.840.113549.1.5.13';
const PBKDF2 = '1.2.840.113549.1.5.12';

/** Pseudo-random functions of PBKDF2; the first is the default of RFC 8018. */
const PSEUDO_RANDOM: Readonly<Record<string, string>> = {
  '1.2.840.113549.2.7': 'sha1',
  '1.2.840.113549.2.8': 'sha224',
  '1.2.840.113549.2.9': 'sha256',
  '1.2.840.113549.2.10': 'sha384',
  '1.2.840.113549.2.11': 'sha512',
};

const PBES2_CIPHERS: Readonly<Record<string, { readonly name: string; readonly keyLength: number }>> = {
  '2.16.840.1.101.3.4.1.2': { name: 'aes-128-cbc', keyLength: 16 },
  '2.16.840.1.101.3.4.1.22': { name: 'aes-192-cbc', keyLength: 24 },
  '2.16.840.1.101.3.4.1.42': { name: 'aes-256-cbc', keyLength: 32 },
  '1.2.840.113549.3.7': { name: 'des-ede3-cbc', keyLength: 24 },
};

/**
 * Decrypts a part of the container.
 * @param algorithm DER `AlgorithmIdentifier` with the derivation's parameters
 * @throws DecryptionError on a wrong password; Pkcs12Error on an unknown algorithm or too much work
 */
export function decrypt(algorithm: Asn1, ciphertext: Buffer, form: PasswordForm, budget: DerivationBudget): Buffer {
  const [id, parameters] = childrenOf(algorithm);
  const scheme = oidOf(expectTag(id));
  if (scheme === PBES2) return decryptPbes2(expectTag(parameters, TAG.sequence), ciphertext, form, budget);
  const legacy = LEGACY_SCHEMES[scheme];
  if (legacy === undefined) throw unsupported(scheme);
  const [salt, iterations] = childrenOf(expectTag(parameters, TAG.sequence));
  const shared = { iterations: smallIntegerOf(expectTag(iterations)), digest: 'sha1', budget };
  const saltBytes = octetsOf(expectTag(salt));
  const key = derivePkcs12Key(form, saltBytes, { ...shared, purpose: 'encryption', length: legacy.keyLength });
  const iv = derivePkcs12Key(form, saltBytes, { ...shared, purpose: 'initialisation', length: 8 });
  return legacy.decipher(key, iv, ciphertext);
}

function decryptPbes2(parameters: Asn1, ciphertext: Buffer, form: PasswordForm, budget: DerivationBudget): Buffer {
  const [derivation, encryption] = childrenOf(parameters);
  const [derivationId, derivationParameters] = childrenOf(expectTag(derivation, TAG.sequence));
  const derivationOid = oidOf(expectTag(derivationId));
  if (derivationOid !== PBKDF2) throw unsupported(derivationOid);
  const [salt, iterations, ...options] = childrenOf(expectTag(derivationParameters, TAG.sequence));
  const prf = options.find((option) => option.tag === TAG.sequence);
  const prfOid = prf === undefined ? '1.2.840.113549.2.7' : oidOf(expectTag(childrenOf(prf)[0]));
  const digest = PSEUDO_RANDOM[prfOid];
  if (digest === undefined) throw unsupported(prfOid);
  const [cipherId, iv] = childrenOf(expectTag(encryption, TAG.sequence));
  const cipherOid = oidOf(expectTag(cipherId));
  const cipher = PBES2_CIPHERS[cipherOid];
  if (cipher === undefined) throw unsupported(cipherOid);
  const rounds = smallIntegerOf(expectTag(iterations));
  budget.spend(rounds, 0.25);
  const key = pbkdf2Sync(form.octets, octetsOf(expectTag(salt)), rounds, cipher.keyLength, digest);
  return native(cipher.name)(key, octetsOf(expectTag(iv)), ciphertext);
}

function native(name: string): LegacyScheme['decipher'] {
  return (key, iv, ciphertext) => {
    try {
      const decipher = createDecipheriv(name, key, iv);
      return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
    } catch {
      throw new DecryptionError();
    }
  };
}

/** RC2 left OpenSSL's default provider; node-forge still has it. */
function rc2(bits: number): LegacyScheme['decipher'] {
  return (key, iv, ciphertext) => {
    const decipher = forge.rc2.createDecryptionCipher(key.toString('latin1'), bits);
    decipher.start(iv.toString('latin1'));
    decipher.update(forge.util.createBuffer(ciphertext.toString('latin1')));
    if (!decipher.finish()) throw new DecryptionError();
    return Buffer.from(decipher.output.getBytes(), 'latin1');
  };
}

function unsupported(oid: string): Pkcs12Error {
  return new Pkcs12Error(
    'unsupported_algorithm',
    `the file is encrypted by an algorithm that is not supported (${oid})`,
  );
}
