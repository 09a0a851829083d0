import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import {
  brokenRsaPair,
  certificate,
  DEFAULT_RUC,
  ecPair,
  name,
  OID,
  pkcs12,
  PLAIN_ISSUER,
  rsaPair,
  type Encryption,
  type Pkcs12Options,
} from '../../../test/support/pki.js';
import * as der from '../../../test/support/der-writer.js';
import { createDemoPkcs12 } from '../../local/demo-certificate.js';
import { describeCertificate } from './certificate.js';
import { openPkcs12, Pkcs12Error } from './pkcs12.js';
import { MAX_PKCS12_BYTES } from './pkcs12-size.js';
import { DerivationBudget } from './pkcs12-encryption.js';

const NOW = new Date('2026-11-21T12:00:00Z');
const PASSWORD = 'secreto';

const simple = (over: Partial<Pkcs12Options> = {}): Buffer =>
  pkcs12({ password: PASSWORD, keys: [{ key: rsaPair() }], certificates: [{ der: certificate() }], ...over });

function reasonOf(bytes: Uint8Array, password = PASSWORD): string {
  try {
    openPkcs12(bytes, password, NOW);
    return 'opened';
  } catch (error) {
    if (error instanceof Pkcs12Error) return error.reason;
    throw error;
  }
}

function expectPair(bytes: Uint8Array, password = PASSWORD): X509Certificate {
  const { privateKeyPkcs8, certificateDer } = openPkcs12(bytes, password, NOW);
  const key = createPrivateKey({ key: privateKeyPkcs8, format: 'der', type: 'pkcs8' });
  const opened = new X509Certificate(certificateDer);
  expect(opened.checkPrivateKey(key)).toBe(true);
  return opened;
}

describe('opening a container', () => {
  const encryptions: Encryption[] = ['aes-256', 'aes-128', '3des', 'rc2-40', 'rc2-128', 'none'];

  it.each(encryptions)('reads certificates under %s', (certificateEncryption) => {
    expectPair(simple({ certificateEncryption }));
  });

  it.each(encryptions)('reads keys under %s', (keyEncryption) => {
    expectPair(simple({ keyEncryption }));
  });

  it.each(['sha1', 'sha256', 'sha512', 'none'] as const)('checks integrity by %s', (mac) => {
    expectPair(simple({ mac }));
    expect(reasonOf(simple({ mac }), 'otra')).toBe('wrong_password');
  });

  it('reads the old form of the authorities: RC2-40 certificates, 3DES keys, SHA-1', () => {
    expectPair(simple({ certificateEncryption: 'rc2-40', keyEncryption: '3des', mac: 'sha1' }));
  });

  it.each(['aes-256', '3des'] as const)('reads BER under %s', (encryption) => {
    expectPair(simple({ ber: true, keyEncryption: encryption, certificateEncryption: encryption }));
  });

  it.each([true, false])('takes bags in any order (certificates first: %s)', (certificatesFirst) => {
    expectPair(simple({ certificatesFirst }));
  });

  it('reads what the demonstration makes', async () => {
    const made = await createDemoPkcs12({
      ruc: DEFAULT_RUC,
      legalName: 'EMPRESA DE PRUEBA S.A.',
      password: 'demo',
      now: NOW,
    });
    const opened = expectPair(made, 'demo');
    expect(describeCertificate(opened.raw)).toMatchObject({ rucs: [DEFAULT_RUC], isCa: false, publicKeyBits: 2048 });
  });
});

describe('passwords', () => {
  const legacy = { keyEncryption: '3des', certificateEncryption: 'rc2-40', mac: 'sha1' } as const;

  it.each(['ñandú', 'contraseña con espacios', '', '€ 100', 'clave😀', 'a'.repeat(200)])(
    'opens with %j',
    (password) => {
      expectPair(simple({ password }), password);
      expectPair(simple({ password, ...legacy }), password);
    },
  );

  it('opens an empty password written as no password', () => {
    expectPair(simple({ password: '', passwordCharacters: null }), '');
    expectPair(simple({ password: '', passwordCharacters: null, ...legacy }), '');
  });

  it('opens composed letters typed for decomposed ones and the reverse', () => {
    expectPair(simple({ password: 'ñu'.normalize('NFD') }), 'ñu');
    expectPair(simple({ password: 'ñu' }), 'ñu'.normalize('NFD'));
  });

  it('opens what node-forge writes: Latin-1 octets for PBKDF2', () => {
    expectPair(simple({ password: 'ñandú', passwordOctets: Buffer.from('ñandú', 'latin1') }), 'ñandú');
  });

  it('opens what old OpenSSL writes: widened bytes of UTF-8', () => {
    const widened = Buffer.from('ñandú', 'utf8').toString('latin1');
    expectPair(simple({ password: 'ñandú', passwordCharacters: widened, ...legacy }), 'ñandú');
  });

  it.each(['', 'Secreto', 'secreto ', 'ñ', 'a'.repeat(1_000_000)])(
    'refuses a wrong password as such (%#)',
    (password) => {
      expect(reasonOf(simple(), password)).toBe('wrong_password');
      expect(reasonOf(simple(legacy), password)).toBe('wrong_password');
    },
  );

  it('calls a tampered file a wrong password: the two cannot be told apart', () => {
    const bytes = simple();
    bytes[bytes.length - 60] = (bytes[bytes.length - 60] ?? 0) ^ 1;
    expect(['wrong_password', 'malformed', 'unsupported_algorithm']).toContain(reasonOf(bytes));
  });
});

describe('choosing the pair', () => {
  const signingKey = rsaPair('signing');
  const decryptionKey = rsaPair('decryption');
  const authorityKey = rsaPair('authority');
  const authority = certificate({
    key: authorityKey,
    ca: true,
    keyUsage: ['keyCertSign', 'cRLSign'],
    subject: PLAIN_ISSUER,
    ruc: null,
  });
  const signing = certificate({ key: signingKey, keyUsage: ['digitalSignature'], serial: 11n });
  const decryption = certificate({
    key: decryptionKey,
    keyUsage: ['keyEncipherment', 'dataEncipherment'],
    serial: 12n,
  });
  const serialOf = (bytes: Uint8Array): string => describeCertificate(expectPair(bytes).raw).serialNumber;

  const twoPairs = [
    { key: signingKey, friendlyName: 'Signing Key', localKeyId: Buffer.from([1]) },
    { key: decryptionKey, friendlyName: 'Decryption Key', localKeyId: Buffer.from([2]) },
  ];
  const theirs = [
    { der: signing, localKeyId: Buffer.from([1]) },
    { der: decryption, localKeyId: Buffer.from([2]) },
    { der: authority },
  ];

  it.each(['as is', 'reversed'])('takes the signing pair of two, %s', (order) => {
    const turn = <T>(list: readonly T[]): T[] => (order === 'as is' ? [...list] : [...list].reverse());
    for (const certificatesFirst of [true, false]) {
      expect(
        serialOf(pkcs12({ password: PASSWORD, keys: turn(twoPairs), certificates: theirs, certificatesFirst })),
      ).toBe('11');
      expect(
        serialOf(pkcs12({ password: PASSWORD, keys: twoPairs, certificates: turn(theirs), certificatesFirst })),
      ).toBe('11');
    }
  });

  it('pairs by the key itself when local key ids are missing or lie', () => {
    const lying = [
      { der: signing, localKeyId: Buffer.from([2]) },
      { der: decryption, localKeyId: Buffer.from([1]) },
    ];
    expect(serialOf(pkcs12({ password: PASSWORD, keys: twoPairs, certificates: lying }))).toBe('11');
    const without = [{ der: decryption }, { der: signing }];
    expect(
      serialOf(
        pkcs12({ password: PASSWORD, keys: [{ key: decryptionKey }, { key: signingKey }], certificates: without }),
      ),
    ).toBe('11');
  });

  it('never takes an authority, even when its key is in the file', () => {
    const keys = [{ key: authorityKey }, { key: signingKey }];
    expect(serialOf(pkcs12({ password: PASSWORD, keys, certificates: [{ der: authority }, { der: signing }] }))).toBe(
      '11',
    );
    expect(
      reasonOf(pkcs12({ password: PASSWORD, keys: [{ key: authorityKey }], certificates: [{ der: authority }] })),
    ).toBe('no_signing_key');
  });

  it('prefers one in force, then the name "signing", then the later end', () => {
    const expired = certificate({
      key: signingKey,
      serial: 1n,
      validFrom: new Date('2020-01-01'),
      validTo: new Date('2022-01-01'),
    });
    const short = certificate({ key: signingKey, serial: 2n, validTo: new Date('2027-01-01') });
    const long = certificate({ key: signingKey, serial: 3n, validTo: new Date('2028-01-01') });
    const keys = [{ key: signingKey }];
    const pick = (...certificates: { der: Buffer; friendlyName?: string }[]): string =>
      serialOf(pkcs12({ password: PASSWORD, keys, certificates }));
    expect(pick({ der: expired, friendlyName: 'Signing Key' }, { der: short })).toBe('2');
    expect(pick({ der: short }, { der: long })).toBe('3');
    expect(pick({ der: short, friendlyName: 'My SIGNING key' }, { der: long })).toBe('2');
  });

  it('returns an expired or future certificate when there is no other: the caller judges', () => {
    const expired = certificate({
      key: signingKey,
      serial: 1n,
      validFrom: new Date('2020-01-01'),
      validTo: new Date('2022-01-01'),
    });
    const future = certificate({ key: signingKey, serial: 4n, validFrom: new Date('2027-01-01') });
    for (const [made, serial] of [
      [expired, '1'],
      [future, '4'],
    ] as const) {
      expect(serialOf(pkcs12({ password: PASSWORD, keys: [{ key: signingKey }], certificates: [{ der: made }] }))).toBe(
        serial,
      );
    }
  });

  const only = (key: ReturnType<typeof rsaPair>, made: Buffer): Buffer =>
    pkcs12({ password: PASSWORD, keys: [{ key }], certificates: [{ der: made }] });

  it('says why nothing can be chosen', () => {
    expect(reasonOf(only(decryptionKey, decryption))).toBe('no_signing_key');
    expect(reasonOf(only(signingKey, certificate({ key: signingKey, keyUsage: null })))).toBe('no_signing_key');
    expect(reasonOf(only(ecPair(), certificate({ key: ecPair() })))).toBe('unsupported_key');
    const small = rsaPair('small', 1024);
    expect(reasonOf(only(small, certificate({ key: small })))).toBe('weak_key');
    const three = rsaPair('three', 2048, 3);
    expect(reasonOf(only(three, certificate({ key: three })))).toBe('weak_key');
    expect(reasonOf(only(rsaPair('stranger'), signing))).toBe('key_mismatch');
    expect(reasonOf(pkcs12({ password: PASSWORD, keys: [], certificates: [{ der: signing }] }))).toBe('no_private_key');
    expect(reasonOf(pkcs12({ password: PASSWORD, keys: [{ key: signingKey }], certificates: [] }))).toBe(
      'no_certificate',
    );
    const own = name([OID.cn, der.utf8('YO MISMO')]);
    expect(
      reasonOf(only(signingKey, certificate({ key: signingKey, issuerKey: signingKey, issuer: own, subject: own }))),
    ).toBe('self_signed');
  });

  it('hands the key out as PKCS#8', () => {
    const { privateKeyPkcs8 } = openPkcs12(only(signingKey, signing), PASSWORD, NOW);
    const key = createPrivateKey({ key: privateKeyPkcs8, format: 'der', type: 'pkcs8' });
    expect(createPublicKey(key).equals(signingKey.publicKey)).toBe(true);
  });
});

describe('hostile files', () => {
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('hola')],
    ['PEM', Buffer.from('-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n')],
    ['a ZIP', Buffer.from('504b0304140000000800', 'hex')],
    ['a Java keystore', Buffer.from('feedfeed0000000200000001', 'hex')],
    ['a PDF', Buffer.from('%PDF-1.7\n')],
    ['a certificate', certificate()],
  ])('refuses %s as malformed', (_name, bytes) => {
    expect(reasonOf(bytes)).toBe('malformed');
  });

  it('refuses trailing bytes and every cut', () => {
    const bytes = simple();
    expect(reasonOf(Buffer.concat([bytes, Buffer.from('x')]))).toBe('malformed');
    for (let length = 0; length < bytes.length; length += 97)
      expect(reasonOf(bytes.subarray(0, length))).toBe('malformed');
  });

  it('never answers anything but a reason to flipped bytes', () => {
    const bytes = simple({ iterations: 1, keyEncryption: '3des', certificateEncryption: 'rc2-40' });
    for (let at = 0; at < bytes.length; at += 7) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ 0x15;
      expect(typeof reasonOf(flipped)).toBe('string');
    }
  });

  it('refuses more than 64 KB before reading', () => {
    expect(reasonOf(Buffer.alloc(MAX_PKCS12_BYTES + 1, 0x30))).toBe('too_large');
  });

  it.each([
    [{ macIterations: 2 ** 31 - 1 }],
    [{ mac: 'none', iterations: 2 ** 31 - 1 }],
    [{ mac: 'none', iterations: 2 ** 31 - 1, keyEncryption: '3des', certificateEncryption: 'rc2-40' }],
  ] as const)('refuses to derive for ever (%#)', (over) => {
    expect(reasonOf(simple(over))).toBe('too_many_iterations');
  });

  it('bounds the sum of all derivations, not only each', () => {
    const budget = new DerivationBudget();
    for (let i = 0; i < 5; i++) budget.spend(300_000, 1);
    expect(() => budget.spend(1, 1)).toThrow(expect.objectContaining({ reason: 'too_many_iterations' }));
    expect(() => new DerivationBudget().spend(0, 1)).toThrow(Pkcs12Error);
  });

  it('refuses to sign for ever: a key whose numbers are longer than its modulus', () => {
    const key = brokenRsaPair('prime_huge');
    expect(reasonOf(pkcs12({ password: PASSWORD, keys: [{ key }], certificates: [{ der: certificate({ key }) }] }))).toBe('unsupported_key');
  });

  it('names an algorithm it does not know', () => {
    const bytes = simple({ mac: 'none' });
    // PBES2 -> an unassigned neighbour.
    const marker = der.oid('1.2.840.113549.1.5.13');
    const at = bytes.indexOf(marker);
    bytes[at + marker.length - 1] = 99;
    expect(reasonOf(bytes)).toBe('unsupported_algorithm');
  });

  it('keeps password and key out of its errors', () => {
    for (const password of ['otra-clave-secreta', '']) {
      try {
        openPkcs12(simple(), password, NOW);
      } catch (error) {
        const text = JSON.stringify(error, Object.getOwnPropertyNames(error));
        expect(text).not.toContain('otra-clave-secreta');
      }
    }
  });
});
