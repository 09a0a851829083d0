import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { SignedXml } from 'xml-crypto';
import { guayaquilTimestamp } from '../../src/shared/guayaquil.js';
import { describeCertificate } from '../../src/sri/signing/certificate.js';
import { openPkcs12 } from '../../src/sri/signing/pkcs12.js';
import { ownName } from './packages.js';
import type { Peer } from './peer.js';

const C14N = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
const DS = 'http://www.w3.org/2000/09/xmldsig#';
const ETSI = 'http://uri.etsi.org/01903/v1.3.2#';
const SHA1 = `${DS}sha1`;

/** The best that can be had with it: a KeyObject, and what depends on the certificate alone written once. Its caller writes XAdES himself. */
export const xmlCrypto: Peer = {
  name: ownName('xml-crypto'),
  kind: 'general',
  open({ pkcs12, password }) {
    const { privateKeyPkcs8, certificateDer } = openPkcs12(pkcs12, password, new Date());
    const privateKey = createPrivateKey({ key: privateKeyPkcs8, format: 'der', type: 'pkcs8' });
    const keyInfo = keyInfoOf(certificateDer);
    const [before, after] = propertiesOf(certificateDer);
    return (xml) => {
      const signed = new SignedXml({
        privateKey,
        signatureAlgorithm: `${DS}rsa-sha1`,
        canonicalizationAlgorithm: C14N,
        keyInfoAttributes: { Id: 'Certificate1' },
        getKeyInfoContent: () => keyInfo,
        objects: [{ content: before + guayaquilTimestamp(new Date()) + after, attributes: { Id: 'Object1' } }],
      });
      const part = { digestAlgorithm: SHA1, transforms: [C14N] };
      signed.addReference({ ...part, xpath: "//*[local-name(.)='SignedProperties']", type: 'http://uri.etsi.org/01903#SignedProperties' });
      signed.addReference({ ...part, xpath: "//*[local-name(.)='KeyInfo']" });
      signed.addReference({ xpath: '/*', id: 'Reference-ID-1', digestAlgorithm: SHA1, transforms: [`${DS}enveloped-signature`] });
      signed.computeSignature(xml, { prefix: 'ds', attrs: { Id: 'Signature1', 'xmlns:etsi': ETSI } });
      return `<?xml version="1.0" encoding="UTF-8"?>${signed.getSignedXml()}`;
    };
  },
};

function keyInfoOf(certificateDer: Buffer): string {
  const { n = '', e = '' } = new X509Certificate(certificateDer).publicKey.export({ format: 'jwk' });
  const base64 = (value: string): string => Buffer.from(value, 'base64url').toString('base64');
  return (
    `<ds:X509Data><ds:X509Certificate>${certificateDer.toString('base64')}</ds:X509Certificate></ds:X509Data>` +
    `<ds:KeyValue><ds:RSAKeyValue><ds:Modulus>${base64(n)}</ds:Modulus><ds:Exponent>${base64(e)}</ds:Exponent></ds:RSAKeyValue></ds:KeyValue>`
  );
}

/** The XAdES part, before and after the time of signing. */
function propertiesOf(certificateDer: Buffer): readonly [string, string] {
  const { issuerName, serialNumber } = describeCertificate(certificateDer);
  const written = issuerName.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const digest = createHash('sha1').update(certificateDer).digest('base64');
  return [
    '<etsi:QualifyingProperties Target="#Signature1"><etsi:SignedProperties Id="SignedProperties1"><etsi:SignedSignatureProperties><etsi:SigningTime>',
    `</etsi:SigningTime><etsi:SigningCertificate><etsi:Cert><etsi:CertDigest><ds:DigestMethod Algorithm="${SHA1}"/><ds:DigestValue>${digest}</ds:DigestValue></etsi:CertDigest>` +
      `<etsi:IssuerSerial><ds:X509IssuerName>${written}</ds:X509IssuerName><ds:X509SerialNumber>${serialNumber}</ds:X509SerialNumber></etsi:IssuerSerial></etsi:Cert></etsi:SigningCertificate></etsi:SignedSignatureProperties>` +
      '<etsi:SignedDataObjectProperties><etsi:DataObjectFormat ObjectReference="#Reference-ID-1"><etsi:Description>contenido comprobante</etsi:Description><etsi:MimeType>text/xml</etsi:MimeType></etsi:DataObjectFormat></etsi:SignedDataObjectProperties></etsi:SignedProperties></etsi:QualifyingProperties>',
  ];
}
