import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { DOMParser } from '@xmldom/xmldom';
import * as der from '../../../test/support/der-writer.js';
import { certificate, ecPair, name, OID, pkcs12, rsaPair, type CertificateOptions } from '../../../test/support/pki.js';
import { guayaquilTimestamp } from '../../shared/guayaquil.js';
import { openPkcs12 } from './pkcs12.js';
import { verifySignedDocument } from './self-check.js';
import { HostCannotSignError, UnsignableError, XadesSigner } from './xades.js';

const NOW = new Date('2026-08-25T15:31:07.891Z');
const PROLOG = '<?xml version="1.0" encoding="UTF-8"?>';

const signerOf = (options: CertificateOptions = {}): { signer: XadesSigner; bytes: Buffer } => {
  const bytes = certificate(options);
  return { signer: new XadesSigner(bytes, (options.key ?? rsaPair()).privateKey), bytes };
};

/** Canonical text content: what the document writer emits. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#xD;');
const escapedAttribute = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\t', '&#x9;')
    .replaceAll('\n', '&#xA;')
    .replaceAll('\r', '&#xD;');
const documentWith = (text: string): string =>
  `<factura id="comprobante" version="1.1.0"><infoTributaria><razonSocial>${escaped(text)}</razonSocial></infoTributaria>` +
  `<infoAdicional><campoAdicional nombre="${escapedAttribute(text)}">${escaped(text)}</campoAdicional></infoAdicional></factura>`;

const TEXTS: readonly (readonly [string, string])[] = [
  ['entities', '& < > " \' &amp; &#x0; &lt;b&gt;'],
  ['markup', '<!-- no --> <?xml?> ]]> <![CDATA[x]]>'],
  ['accents', 'ñ á é í ó ú Ü Ñandú'],
  ['euro', '100 € – “comillas” …'],
  ['letters whose low byte alone would be ASCII', '\u0141\u013c'],
  ['emoji', '😀 👩‍👩‍👧 🇪🇨'],
  ['line separators', 'a\u2028b\u2029c\u0085d'],
  ['line ends', 'a\r\nb\rc\nd'],
  ['tabs', '\ta\tb\t'],
  ['spaces at both ends', '  two  inner  runs  '],
  ['only spaces', '   '],
  ['replacement patterns', "$& $` $' $1 $$ $<name>"],
  ['nothing', ''],
  ['long text', 'Descripción larga ñ '.repeat(5_000)],
  ['long text beyond Latin-1', '😀 ñ '.repeat(20_000)],
  ['combining letters', 'e\u0301 n\u0303 \u00e9'],
  ['signature look-alike', '</factura><ds:Signature>'],
];

const ISSUERS: readonly (readonly [string, Buffer])[] = [
  [
    'organizationIdentifier',
    name([OID.c, der.printable('EC')], [OID.organizationIdentifier, der.utf8('VATEC-1790012345001')]),
  ],
  ['e-mail', name([OID.email, der.ia5('ca@ficticia.ec')], [OID.cn, der.utf8('CA')])],
  ['accents', name([OID.cn, der.utf8('AUTORIDAD DE CERTIFICACIÓN ÑANDÚ')])],
  ['commas', name([OID.o, der.utf8('FICTICIA, S.A., QUITO')])],
  ['ampersand', name([OID.o, der.utf8('A & B <C> "D"')])],
  ['plus', name([OID.o, der.utf8('A + B')])],
  ['replacement patterns', name([OID.o, der.utf8("$' $& $` $1")])],
  ['hash', name([OID.o, der.utf8('#1 firmas')])],
  ['BMP string', name([OID.o, der.bmp('Ñandú & Cía')])],
  ['control character', name([OID.o, der.utf8('a\r\nb')])],
];

describe('signing', () => {
  it('has exactly the structure of the profile', () => {
    const { signer } = signerOf();
    const xml = signer.signSync(documentWith('x'), NOW).toString('utf8');
    expect(xml.startsWith(`${PROLOG}<factura id="comprobante" version="1.1.0">`)).toBe(true);
    expect(xml.endsWith('</ds:Signature></factura>')).toBe(true);
    const tags = [...xml.slice(xml.indexOf('<ds:Signature')).matchAll(/<(\w+:\w+)/g)].map(([, tag]) => tag);
    expect(tags).toEqual([
      'ds:Signature',
      'ds:SignedInfo',
      'ds:CanonicalizationMethod',
      'ds:SignatureMethod',
      'ds:Reference',
      'ds:DigestMethod',
      'ds:DigestValue',
      'ds:Reference',
      'ds:DigestMethod',
      'ds:DigestValue',
      'ds:Reference',
      'ds:Transforms',
      'ds:Transform',
      'ds:DigestMethod',
      'ds:DigestValue',
      'ds:SignatureValue',
      'ds:KeyInfo',
      'ds:X509Data',
      'ds:X509Certificate',
      'ds:KeyValue',
      'ds:RSAKeyValue',
      'ds:Modulus',
      'ds:Exponent',
      'ds:Object',
      'etsi:QualifyingProperties',
      'etsi:SignedProperties',
      'etsi:SignedSignatureProperties',
      'etsi:SigningTime',
      'etsi:SigningCertificate',
      'etsi:Cert',
      'etsi:CertDigest',
      'ds:DigestMethod',
      'ds:DigestValue',
      'etsi:IssuerSerial',
      'ds:X509IssuerName',
      'ds:X509SerialNumber',
      'etsi:SignedDataObjectProperties',
      'etsi:DataObjectFormat',
      'etsi:Description',
      'etsi:MimeType',
    ]);
    expect(xml.match(/xmlns:(ds|etsi)=/g)).toHaveLength(2);
    expect(xml).toContain('<etsi:SigningTime>2026-08-25T10:31:07-05:00</etsi:SigningTime>');
    expect([...xml.matchAll(/ URI="([^"]*)"/g)].map(([, uri]) => uri)).toEqual([
      '#Signature1-SignedProperties1',
      '#Certificate1',
      '#comprobante',
    ]);
  });

  it('writes modulus and exponent without leading zero, the serial in decimal', () => {
    const { signer, bytes } = signerOf({ serial: 2n ** 159n - 1n });
    const xml = signer.signSync(documentWith('x'), NOW).toString('utf8');
    const modulus = Buffer.from(/<ds:Modulus>(.*?)</.exec(xml)?.[1] ?? '', 'base64');
    expect(modulus).toHaveLength(256);
    expect(xml).toContain('<ds:Exponent>AQAB</ds:Exponent>');
    expect(xml).toContain(`<ds:X509SerialNumber>${(2n ** 159n - 1n).toString()}</ds:X509SerialNumber>`);
    expect(xml).toContain(`<ds:X509Certificate>${bytes.toString('base64')}</ds:X509Certificate>`);
  });

  it.each(TEXTS)('keeps the content and verifies: %s', async (_name, text) => {
    const { signer, bytes } = signerOf();
    const document = documentWith(text);
    for (const signed of [signer.signSync(document, NOW), await signer.sign(document, NOW)]) {
      const xml = signed.toString('utf8');
      const start = xml.lastIndexOf('<ds:Signature xmlns:ds');
      expect(`${xml.slice(0, start)}</factura>`).toBe(PROLOG + document);
      expect(verifySignedDocument(signed, { expectedCertificate: bytes })).toEqual({ valid: true });
      // The parser would take U+0085 and U+2028 for line ends; XML 1.0 does not.
      const readable = xml.replaceAll('\u0085', '&#x85;').replaceAll('\u2028', '&#x2028;');
      const read = new DOMParser().parseFromString(readable, 'text/xml').documentElement;
      expect(read.getElementsByTagName('razonSocial')[0]?.textContent).toBe(text);
      expect(read.getElementsByTagName('campoAdicional')[0]?.getAttribute('nombre')).toBe(text);
    }
  });

  it('writes the replacement character for a lone surrogate, which the text rules refuse before', () => {
    const text = 'a\ud800b';
    const { signer } = signerOf();
    expect(signer.signSync(documentWith(text), NOW).toString('utf8')).toContain('<razonSocial>a\ufffdb</razonSocial>');
  });

  it.each(ISSUERS)('verifies under an issuer with %s', (_name, issuer) => {
    const { signer, bytes } = signerOf({ issuer, serial: Buffer.from('00'.concat('f1'.repeat(19)), 'hex') });
    const signed = signer.signSync(documentWith('ñ & €'), NOW);
    expect(verifySignedDocument(signed, { expectedCertificate: bytes })).toEqual({ valid: true });
  });

  it.each([3072, 4096])('signs with RSA %i', (bits) => {
    const { signer } = signerOf({ key: rsaPair('large', bits) });
    expect(verifySignedDocument(signer.signSync(documentWith('x'), NOW))).toEqual({ valid: true });
  });

  it('signs with what a container gave', () => {
    const made = pkcs12({ password: 'ñ', keys: [{ key: rsaPair() }], certificates: [{ der: certificate() }] });
    const { privateKeyPkcs8, certificateDer } = openPkcs12(made, 'ñ', NOW);
    const signer = new XadesSigner(
      certificateDer,
      createPrivateKey({ key: privateKeyPkcs8, format: 'der', type: 'pkcs8' }),
    );
    expect(verifySignedDocument(signer.signSync(documentWith('x'), NOW))).toEqual({ valid: true });
  });

  it('signs many at once without mixing them', async () => {
    const one = signerOf();
    const other = signerOf({ key: rsaPair('b'), serial: 99n });
    const documents = Array.from({ length: 60 }, (_, i) =>
      documentWith(`${String(i)} ñ€`.repeat(1 + ((i * 37) % 200))),
    );
    const time = (i: number): Date => new Date(NOW.getTime() + (i % 3) * 1_000);
    const signed = await Promise.all(
      documents.map((document, i) => (i % 2 === 0 ? one : other).signer.sign(document, time(i))),
    );
    signed.forEach((bytes, i) => {
      const expectedCertificate = (i % 2 === 0 ? one : other).bytes;
      expect(bytes.toString('utf8').startsWith(PROLOG + documents[i]!.slice(0, -'</factura>'.length))).toBe(true);
      expect(bytes.includes(`<etsi:SigningTime>${guayaquilTimestamp(time(i))}<`)).toBe(true);
      expect(verifySignedDocument(bytes, { expectedCertificate })).toEqual({ valid: true });
    });
  });

  it('gives bytes that later signatures do not touch', () => {
    const { signer } = signerOf();
    const first = signer.signSync(documentWith('primero'), NOW);
    const before = Buffer.from(first);
    for (let i = 0; i < 50; i++) signer.signSync(documentWith(`otro ${String(i)}`), NOW);
    expect(first.equals(before)).toBe(true);
    expect(first.byteLength).toBe(first.buffer.byteLength);
  });

  it('is the same for the same document and second', () => {
    const { signer } = signerOf();
    expect(signer.signSync(documentWith('x'), NOW).equals(signer.signSync(documentWith('x'), NOW))).toBe(true);
  });

  it.each([
    ['a prolog', `${PROLOG}${documentWith('x')}`],
    ['no element', 'hola'],
    ['trailing text', `${documentWith('x')}\n`],
    ['another id', documentWith('x').replace('id="comprobante"', 'id="otro"')],
    ['nothing', ''],
  ])('refuses %s', async (_name, document) => {
    const { signer } = signerOf();
    expect(() => signer.signSync(document, NOW)).toThrow(UnsignableError);
    await expect(signer.sign(document, NOW)).rejects.toThrow(UnsignableError);
  });

  it("refuses a key that is not the certificate's, or not RSA", () => {
    expect(() => new XadesSigner(certificate(), rsaPair('b').privateKey)).toThrow(UnsignableError);
    expect(() => new XadesSigner(certificate({ key: ecPair() }), ecPair().privateKey)).toThrow(UnsignableError);
    expect(createPublicKey(rsaPair().privateKey).equals(new X509Certificate(certificate()).publicKey)).toBe(true);
  });
});

it('a host that does not make such signatures is told apart from a document that cannot be signed', async () => {
  const { signer } = signerOf();
  // As where its policy forbids SHA-1: the operation itself fails.
  Object.defineProperty(signer, 'privateKey', { value: null });
  await expect(signer.sign(documentWith('x'), NOW)).rejects.toThrow(HostCannotSignError);
  await expect(signer.sign('<a/>', NOW)).rejects.toThrow(UnsignableError);
});
