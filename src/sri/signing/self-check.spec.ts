import { createHash, sign } from 'node:crypto';
import { certificate, rsaPair } from '../../../test/support/pki.js';
import { verifySignedDocument } from './self-check.js';
import { XadesSigner } from './xades.js';

const NOW = new Date('2026-11-21T12:00:00Z');
const CERTIFICATE = certificate();
const DOCUMENT =
  '<factura id="comprobante" version="1.1.0"><total>28.00</total><detalle nombre="a">x</detalle></factura>';
const signed = new XadesSigner(CERTIFICATE, rsaPair().privateKey).signSync(DOCUMENT, NOW).toString('utf8');

const problemOf = (xml: string | Buffer, expectedCertificate?: Buffer): string | undefined => {
  const result = verifySignedDocument(
    Buffer.from(xml),
    expectedCertificate === undefined ? {} : { expectedCertificate },
  );
  expect(result.valid).toBe(result.problem === undefined);
  return result.problem;
};

/** Signs SignedInfo again, so that only the profile check can object. */
function resigned(change: (xml: string) => string): string {
  const xml = change(signed);
  const inner = /<ds:SignedInfo Id="[^"]*">(.*?)<\/ds:SignedInfo>/s.exec(xml)?.[1] ?? '';
  const propertiesElement = /<etsi:SignedProperties Id="[^"]*">(.*?)<\/etsi:SignedProperties>/s.exec(xml);
  const spaces = 'xmlns:ds="http://www.w3.org/2000/09/xmldsig#" xmlns:etsi="http://uri.etsi.org/01903/v1.3.2#"';
  const properties = `<etsi:SignedProperties ${spaces} Id="Signature1-SignedProperties1">${propertiesElement?.[1] ?? ''}</etsi:SignedProperties>`;
  const digest = createHash('sha1').update(properties).digest('base64');
  const body = inner.replace(/(<ds:DigestValue>)[^<]*/, (_all, open: string) => open + digest);
  const canonical = `<ds:SignedInfo ${spaces} Id="Signature-SignedInfo1">${body}</ds:SignedInfo>`;
  const value = sign('RSA-SHA1', Buffer.from(canonical), rsaPair().privateKey).toString('base64');
  return xml
    .replace(inner, () => body)
    .replace(/(<ds:SignatureValue Id="[^"]*">)[^<]*/, (_all, open: string) => open + value);
}

describe('the second opinion', () => {
  it('accepts what the signer makes, also signed again by hand', () => {
    expect(problemOf(signed)).toBeUndefined();
    expect(problemOf(signed, CERTIFICATE)).toBeUndefined();
    expect(problemOf(resigned((xml) => xml))).toBeUndefined();
  });

  it('wants the expected certificate', () => {
    expect(problemOf(signed, certificate({ serial: 5n }))).toBe('signed by another certificate');
  });

  const replaced = (from: string | RegExp, to: string): string => {
    const xml = signed.replace(from, () => to);
    expect(xml).not.toBe(signed);
    return xml;
  };

  it.each([
    ['the content', () => replaced('28.00', '82.00')],
    ['white space', () => replaced('<total>', ' <total>')],
    ['an attribute', () => replaced('nombre="a"', 'nombre="b"')],
    ['the signing time', () => replaced('T07:00:00-05:00', 'T07:00:01-05:00')],
    ['the signature value', () => replaced(/(?<=<ds:SignatureValue Id="SignatureValue1">)..../, 'AAAA')],
    ['the modulus', () => replaced(/(?<=<ds:Modulus>)..../, 'AAAA')],
    ['the serial number', () => replaced(/(?<=<ds:X509SerialNumber>)\d/, '9')],
    ['the issuer name', () => replaced('<ds:X509IssuerName>CN', '<ds:X509IssuerName>cn')],
    ['a digest', () => replaced(/(?<=<ds:DigestValue>)..../, 'AAAA')],
    ['the prolog', () => signed.slice(signed.indexOf('<factura'))],
    ['the end', () => signed.slice(0, -10)],
    ['a document type', () => replaced('<factura', '<!DOCTYPE factura [<!ENTITY a "b">]><factura')],
    ['text behind the signature', () => replaced('</ds:Signature></factura>', '</ds:Signature>\n</factura>')],
    ['the root id', () => replaced('id="comprobante"', 'id="otro"')],
  ])('refuses a change of %s', (_name, change) => {
    expect(problemOf(change())).toEqual(expect.any(String));
  });

  it.each([
    ['the time zone', 'SigningTime', (xml: string) => xml.replace('T07:00:00-05:00', 'T12:00:00Z')],
    ['CertDigest', 'CertDigest', (xml: string) => xml.replace(/(CertDigest>.*?<ds:DigestValue>)..../, '$1AAAA')],
    ['the serial', 'X509SerialNumber', (xml: string) => xml.replace(/(?<=<ds:X509SerialNumber>)\d+/, '7')],
    ['the issuer', 'X509IssuerName', (xml: string) => xml.replace(/(?<=<ds:X509IssuerName>)[^<]*/, 'CN=OTRA')],
  ])('refuses a properly signed document with a wrong %s', (_name, expected, change) => {
    expect(problemOf(resigned(change))).toContain(expected);
  });

  it('refuses a document signed with SHA-256 or with fewer references', () => {
    expect(problemOf(resigned((xml) => xml.replace(/<ds:Reference URI="#Certificate1">.*?<\/ds:Reference>/, '')))).toBe(
      'there must be three references',
    );
    expect(problemOf(resigned((xml) => xml.replace('xmldsig#rsa-sha1', 'xmldsig-more#rsa-sha256')))).toBe(
      'unexpected signature algorithm',
    );
  });

  describe('signature wrapping', () => {
    const signature = signed.slice(signed.indexOf('<ds:Signature xmlns'), signed.indexOf('</factura>'));
    const original = DOCUMENT.replace('</factura>', `${signature}</factura>`);
    const evil = DOCUMENT.replace('28.00', '1.00');
    const PROLOG = '<?xml version="1.0" encoding="UTF-8"?>';
    it.each([
      ['the original inside a new root', `${PROLOG}<factura id="comprobante">${original}</factura>`],
      [
        'the original inside the signature',
        PROLOG +
          evil.replace('</factura>', signature.replace('</ds:Object>', `${DOCUMENT}</ds:Object>`) + '</factura>'),
      ],
      [
        'a second object',
        PROLOG +
          evil.replace(
            '</factura>',
            signature.replace('</ds:Signature>', `<ds:Object>${DOCUMENT}</ds:Object></ds:Signature>`) + '</factura>',
          ),
      ],
      [
        'an evil root with another id',
        `${PROLOG}${evil.replace('id="comprobante"', 'id="x"').replace('</factura>', `${DOCUMENT}${signature}</factura>`)}`,
      ],
      ['two signatures', PROLOG + DOCUMENT.replace('</factura>', `${signature}${signature}</factura>`)],
      ['a signature before the content', PROLOG + DOCUMENT.replace('<total>', `${signature}<total>`)],
      ['capital Id beside id', signed.replace('<total>', '<total Id="comprobante">')],
      [
        'other SignedProperties',
        signed.replace(
          '<etsi:QualifyingProperties',
          '<etsi:SignedProperties Id="Other"></etsi:SignedProperties><etsi:QualifyingProperties',
        ),
      ],
      [
        'other KeyInfo',
        signed.replace(
          '<ds:KeyInfo Id="Certificate1">',
          '<ds:KeyInfo Id="Other"></ds:KeyInfo><ds:KeyInfo Id="Certificate1">',
        ),
      ],
      [
        'a comment in a digest',
        signed.replace(/(?<=<ds:DigestValue>)..../, (start) => `${start.slice(0, 2)}<!-- -->${start.slice(2)}`),
      ],
    ])('refuses %s', (_name, xml) => {
      expect(problemOf(xml)).toEqual(expect.any(String));
    });
  });

  it.each([
    ['nothing', ''],
    ['text', 'hola'],
    ['HTML', '<html><body>no</body></html>'],
    ['broken UTF-8', Buffer.concat([Buffer.from(signed), Buffer.from([0xff])])],
    ['a huge file', Buffer.alloc(3 * 1024 * 1024, 0x20)],
  ])('answers %s without throwing', (_name, bytes) => {
    expect(problemOf(bytes)).toEqual(expect.any(String));
  });
});
