/**
 * Certificates and PKCS#12 files as awkward as those in the field: every field
 * of the certificate, every string type, and every layout of the container is
 * the test's choice. Keys are made once per file and size, or once for the run.
 */
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  pbkdf2Sync,
  randomBytes,
  createCipheriv,
  sign,
  type KeyObject,
} from 'node:crypto';
import forge from 'node-forge';
import * as der from './der-writer.js';

export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

const pairs = new Map<string, KeyPair>();
/** Usual keys that the run's set-up has made, to be taken in turn. */
const prepared = JSON.parse(process.env['TEST_RSA_KEYS'] ?? '[]') as string[];

/** An RSA pair; `name` tells pairs of one size apart. */
export function rsaPair(name = 'a', modulusLength = 2048, publicExponent = 65537): KeyPair {
  return remember(`rsa ${name} ${modulusLength} ${publicExponent}`, () => {
    const pem = modulusLength === 2048 && publicExponent === 65537 ? prepared.shift() : undefined;
    if (pem === undefined) return generateKeyPairSync('rsa', { modulusLength, publicExponent });
    return { privateKey: createPrivateKey(pem), publicKey: createPublicKey(pem) };
  });
}

export type RsaFlaw = 'prime_off_by_one' | 'prime_zero' | 'modulus_even' | 'prime_huge';

/** An RSA key that OpenSSL loads and cannot sign with, or not for hours, for its numbers do not fit together; its public half is that of a certificate. */
export function brokenRsaPair(flaw: RsaFlaw): KeyPair {
  const sound = rsaPair().privateKey.export({ format: 'jwk' });
  const { n = '', p = '' } = sound;
  const changed = (base64url: string): string => {
    const bytes = Buffer.from(base64url, 'base64url');
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    return bytes.toString('base64url');
  };
  const huge = Buffer.alloc(8_000, 0xff).toString('base64url');
  const numbers = {
    prime_off_by_one: { p: changed(p) },
    prime_zero: { p: 'AA' },
    modulus_even: { n: changed(n) },
    prime_huge: { p: huge, dp: huge },
  }[flaw];
  const privateKey = createPrivateKey({ key: { ...sound, ...numbers }, format: 'jwk' });
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

export function ecPair(name = 'a'): KeyPair {
  return remember(`ec ${name}`, () => generateKeyPairSync('ec', { namedCurve: 'P-256' }));
}

function remember(key: string, make: () => KeyPair): KeyPair {
  const known = pairs.get(key);
  if (known !== undefined) return known;
  const made = make();
  pairs.set(key, made);
  return made;
}

export const OID = {
  cn: '2.5.4.3',
  serialNumber: '2.5.4.5',
  c: '2.5.4.6',
  l: '2.5.4.7',
  o: '2.5.4.10',
  ou: '2.5.4.11',
  title: '2.5.4.12',
  organizationIdentifier: '2.5.4.97',
  email: '1.2.840.113549.1.9.1',
  dc: '0.9.2342.19200300.100.1.25',
  uid: '0.9.2342.19200300.100.1.1',
  ruc: '1.3.6.1.4.1.37746.3.11',
  cedula: '1.3.6.1.4.1.37746.3.1',
} as const;

/** One attribute: type and encoded value. An inner list is one multi-valued relative name. */
export type Attribute = readonly [type: string, value: Buffer];

export type RelativeName = Attribute | readonly Attribute[];

export function name(...attributes: readonly RelativeName[]): Buffer {
  return der.sequence(
    ...attributes.map((entry) => {
      const several = (typeof entry[0] === 'string' ? [entry] : entry) as readonly Attribute[];
      return der.set(...several.map(([type, value]) => der.sequence(der.oid(type), value)));
    }),
  );
}

export const PLAIN_ISSUER = name(
  [OID.c, der.printable('EC')],
  [OID.o, der.utf8('AUTORIDAD FICTICIA S.A.')],
  [OID.cn, der.utf8('CA FICTICIA')],
);

const USAGES = [
  'digitalSignature',
  'nonRepudiation',
  'keyEncipherment',
  'dataEncipherment',
  'keyAgreement',
  'keyCertSign',
  'cRLSign',
];

export interface CertificateOptions {
  readonly key?: KeyPair;
  readonly issuerKey?: KeyPair;
  readonly issuer?: Buffer;
  readonly subject?: Buffer;
  readonly serial?: bigint | Uint8Array;
  readonly validFrom?: Date;
  readonly validTo?: Date;
  /** Null leaves the extension out. */
  readonly keyUsage?: readonly string[] | null;
  readonly ca?: boolean;
  /** Value of the RUC extension as text; null leaves it out. */
  readonly ruc?: string | null;
  readonly cedula?: string | null;
  /** Further private extensions: identifier and content of the OCTET STRING. */
  readonly extensions?: readonly (readonly [oid: string, content: Buffer])[];
}

export const DEFAULT_RUC = '1790012345001';

/** A certificate in DER. By default: issued by a fictional authority, RUC in .3.11, in force 2026-2028. */
export function certificate(options: CertificateOptions = {}): Buffer {
  const key = options.key ?? rsaPair();
  const issuerKey = options.issuerKey ?? rsaPair('authority');
  const algorithm = der.sequence(
    ...(issuerKey.privateKey.asymmetricKeyType === 'ec'
      ? [der.oid('1.2.840.10045.4.3.2')]
      : [der.oid('1.2.840.113549.1.1.11'), der.nothing()]),
  );
  const tbs = der.sequence(
    der.explicit(0, der.integer(2)),
    der.integer(options.serial ?? 251603841751n),
    algorithm,
    options.issuer ?? PLAIN_ISSUER,
    der.sequence(
      der.time(options.validFrom ?? new Date('2026-01-01T00:00:00Z')),
      der.time(options.validTo ?? new Date('2028-12-31T00:00:00Z')),
    ),
    options.subject ?? name([OID.c, der.printable('EC')], [OID.cn, der.utf8('PERSONA FICTICIA')]),
    key.publicKey.export({ format: 'der', type: 'spki' }),
    der.explicit(3, der.sequence(...extensionsOf(options))),
  );
  return der.sequence(tbs, algorithm, der.bits(sign('sha256', tbs, issuerKey.privateKey)));
}

function extensionsOf(options: CertificateOptions): Buffer[] {
  const keyUsage = options.keyUsage === undefined ? ['digitalSignature', 'nonRepudiation'] : options.keyUsage;
  const ruc = options.ruc === undefined ? DEFAULT_RUC : options.ruc;
  const list: (readonly [string, Buffer, boolean?])[] = [
    ['2.5.29.19', options.ca === true ? der.sequence(der.boolean(true)) : der.sequence(), true],
    ...(keyUsage === null ? [] : [['2.5.29.15', keyUsageBits(keyUsage), true] as const]),
    ...(options.cedula ? [[OID.cedula, der.utf8(options.cedula)] as const] : []),
    ...(ruc === null ? [] : [[OID.ruc, der.utf8(ruc)] as const]),
    ...(options.extensions ?? []),
  ];
  return list.map(([id, content, critical]) =>
    der.sequence(der.oid(id), ...(critical === true ? [der.boolean(true)] : []), der.octets(content)),
  );
}

function keyUsageBits(usages: readonly string[]): Buffer {
  let byte = 0;
  for (const usage of usages) byte |= 0x80 >> USAGES.indexOf(usage);
  return der.bits(Buffer.from([byte]), 1);
}

export type Encryption = 'none' | 'rc2-40' | 'rc2-128' | '3des' | 'aes-256' | 'aes-128';

export interface BagOptions {
  readonly friendlyName?: string;
  readonly localKeyId?: Buffer;
}

export interface Pkcs12Options {
  readonly password: string;
  readonly keys: readonly (BagOptions & { readonly key: KeyPair })[];
  readonly certificates: readonly (BagOptions & { readonly der: Buffer })[];
  readonly keyEncryption?: Encryption;
  readonly certificateEncryption?: Encryption;
  readonly iterations?: number;
  readonly mac?: 'sha1' | 'sha256' | 'sha512' | 'none';
  readonly macIterations?: number;
  /** Certificates before keys in the file (Windows, Java) or after them. */
  readonly certificatesFirst?: boolean;
  /** Write lengths as BER and octet strings in pieces. */
  readonly ber?: boolean;
  /** How the password becomes bytes for PBKDF2; UTF-8 unless told. */
  readonly passwordOctets?: Buffer;
  /** Password characters of the PKCS#12 derivation, when they differ; null for none at all. */
  readonly passwordCharacters?: string | null;
}

const DATA = '1.2.840.113549.1.7.1';
const MACS = {
  sha1: ['1.3.14.3.2.26', 20],
  sha256: ['2.16.840.1.101.3.4.2.1', 32],
  sha512: ['2.16.840.1.101.3.4.2.3', 64],
} as const;

/** A PKCS#12 file as told. */
export function pkcs12(options: Pkcs12Options): Buffer {
  const keys = der.sequence(...options.keys.map((bag) => keyBag(bag, options)));
  const certificates = der.sequence(...options.certificates.map(certificateBag));
  const encryption = options.certificateEncryption ?? 'aes-256';
  const parts = [
    dataContent(keys, options.ber),
    encryption === 'none'
      ? dataContent(certificates, options.ber)
      : encryptedContent(certificates, encryption, options),
  ];
  const safe = der.sequence(...(options.certificatesFirst === false ? parts : parts.reverse()));
  const wrap = options.ber === true ? der.indefinite : der.tlv;
  return wrap(0x30, der.integer(3), dataContent(safe, options.ber), ...macData(safe, options));
}

function macData(safe: Buffer, options: Pkcs12Options): Buffer[] {
  const mac = options.mac ?? 'sha256';
  if (mac === 'none') return [];
  const [id, length] = MACS[mac];
  const salt = randomBytes(8);
  const iterations = options.macIterations ?? options.iterations ?? 64;
  // More rounds than can be computed stand for a file made to exhaust its reader: then the digest does not matter.
  const key = derive(options, salt, 3, Math.min(iterations, 10_000), length, mac);
  const digest = createHmac(mac, key).update(safe).digest();
  const algorithm = der.sequence(der.oid(id), der.nothing());
  return [der.sequence(der.sequence(algorithm, der.octets(digest)), der.octets(salt), der.integer(iterations))];
}

function dataContent(bytes: Buffer, ber = false): Buffer {
  if (!ber) return der.sequence(der.oid(DATA), der.explicit(0, der.octets(bytes)));
  const half = bytes.length >> 1;
  const pieces = der.indefinite(0x24, der.octets(bytes.subarray(0, half)), der.octets(bytes.subarray(half)));
  return der.indefinite(0x30, der.oid(DATA), der.indefinite(0xa0, pieces));
}

function encryptedContent(bytes: Buffer, encryption: Encryption, options: Pkcs12Options): Buffer {
  const [algorithm, ciphertext] = encrypt(bytes, encryption, options);
  const info = der.sequence(der.oid(DATA), algorithm, der.tlv(0x80, ciphertext));
  return der.sequence(der.oid('1.2.840.113549.1.7.6'), der.explicit(0, der.sequence(der.integer(0), info)));
}

function keyBag(bag: BagOptions & { readonly key: KeyPair }, options: Pkcs12Options): Buffer {
  const pkcs8 = bag.key.privateKey.export({ format: 'der', type: 'pkcs8' });
  const encryption = options.keyEncryption ?? 'aes-256';
  if (encryption === 'none') return safeBag('1.2.840.113549.1.12.10.1.1', pkcs8, bag);
  const [algorithm, ciphertext] = encrypt(pkcs8, encryption, options);
  return safeBag('1.2.840.113549.1.12.10.1.2', der.sequence(algorithm, der.octets(ciphertext)), bag);
}

function certificateBag(bag: BagOptions & { readonly der: Buffer }): Buffer {
  const value = der.sequence(der.oid('1.2.840.113549.1.9.22.1'), der.explicit(0, der.octets(bag.der)));
  return safeBag('1.2.840.113549.1.12.10.1.3', value, bag);
}

function safeBag(type: string, value: Buffer, { friendlyName, localKeyId }: BagOptions): Buffer {
  const attributes = [
    ...(friendlyName === undefined
      ? []
      : [der.sequence(der.oid('1.2.840.113549.1.9.20'), der.set(der.bmp(friendlyName)))]),
    ...(localKeyId === undefined
      ? []
      : [der.sequence(der.oid('1.2.840.113549.1.9.21'), der.set(der.octets(localKeyId)))]),
  ];
  return der.sequence(
    der.oid(type),
    der.explicit(0, value),
    ...(attributes.length === 0 ? [] : [der.set(...attributes)]),
  );
}

function encrypt(plain: Buffer, encryption: Encryption, options: Pkcs12Options): [Buffer, Buffer] {
  const salt = randomBytes(8);
  const iterations = options.iterations ?? 64;
  const rounds = Math.min(iterations, 10_000);
  if (encryption === 'aes-256' || encryption === 'aes-128') {
    const length = encryption === 'aes-256' ? 32 : 16;
    const iv = randomBytes(16);
    const key = pbkdf2Sync(
      options.passwordOctets ?? Buffer.from(options.password, 'utf8'),
      salt,
      rounds,
      length,
      'sha256',
    );
    const prf = der.sequence(der.oid('1.2.840.113549.2.9'), der.nothing());
    const kdf = der.sequence(
      der.oid('1.2.840.113549.1.5.12'),
      der.sequence(der.octets(salt), der.integer(iterations), prf),
    );
    const cipherId = length === 32 ? '2.16.840.1.101.3.4.1.42' : '2.16.840.1.101.3.4.1.2';
    const scheme = der.sequence(kdf, der.sequence(der.oid(cipherId), der.octets(iv)));
    const cipher = createCipheriv(`aes-${length * 8}-cbc`, key, iv);
    return [
      der.sequence(der.oid('1.2.840.113549.1.5.13'), scheme),
      Buffer.concat([cipher.update(plain), cipher.final()]),
    ];
  }
  const legacy = {
    '3des': ['1.2.840.113549.1.12.1.3', 24],
    'rc2-128': ['1.2.840.113549.1.12.1.5', 16],
    'rc2-40': ['1.2.840.113549.1.12.1.6', 5],
  } as const;
  if (encryption === 'none') throw new TypeError('nothing to encrypt');
  const [id, length] = legacy[encryption];
  const key = derive(options, salt, 1, rounds, length, 'sha1');
  const iv = derive(options, salt, 2, rounds, 8, 'sha1');
  const algorithm = der.sequence(der.oid(id), der.sequence(der.octets(salt), der.integer(iterations)));
  if (encryption === '3des') {
    const cipher = createCipheriv('des-ede3-cbc', key, iv);
    return [algorithm, Buffer.concat([cipher.update(plain), cipher.final()])];
  }
  const cipher = forge.rc2.createEncryptionCipher(key.toString('latin1'), length * 8);
  cipher.start(iv.toString('latin1'));
  cipher.update(forge.util.createBuffer(plain.toString('latin1')));
  cipher.finish();
  return [algorithm, Buffer.from(cipher.output.getBytes(), 'latin1')];
}

function derive(
  options: Pkcs12Options,
  salt: Buffer,
  id: number,
  rounds: number,
  length: number,
  digest: 'sha1' | 'sha256' | 'sha512',
): Buffer {
  const characters = options.passwordCharacters === undefined ? options.password : options.passwordCharacters;
  const salted = forge.util.createBuffer(salt.toString('latin1'));
  const key = forge.pkcs12.generateKey(characters, salted, id, rounds, length, forge.md[digest].create());
  return Buffer.from(key.getBytes(), 'latin1');
}
