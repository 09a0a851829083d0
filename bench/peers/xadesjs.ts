import { createPrivateKey, createPublicKey, webcrypto } from 'node:crypto';
import { describeCertificate } from '../../src/sri/signing/certificate.js';
import { openPkcs12 } from '../../src/sri/signing/pkcs12.js';
import { peerName, peerPackage } from './packages.js';
import type { Peer } from './peer.js';

interface Signed {
  readonly XmlSignature: { KeyInfo: { Id: string } };
  readonly Properties: { SignedProperties: { SignedSignatureProperties: { SigningCertificate: { Item(at: number): { IssuerSerial: { X509IssuerName: string } } } } } };
  ApplySigningCertificate(value: unknown): Promise<void>;
  Sign(algorithm: object, key: unknown, data: unknown, options: object): Promise<{ GetXml(): unknown }>;
  toString(): string;
}
interface Package {
  readonly SignedXml: new () => Signed;
  readonly Application: { setEngine(name: string, crypto: unknown): void };
  readonly Parse: (xml: string) => unknown;
  readonly setNodeDependencies: (dependencies: object) => void;
}

const ALGORITHM = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-1' };

/**
 * XAdES on Web Cryptography, told everything of the SRI's profile that it can be told. The issuer's name it writes in
 * another order than the SRI reads it, so its caller does.
 */
export const xadesjs: Peer = {
  name: peerName('xadesjs'),
  kind: 'general',
  async open({ pkcs12, password }) {
    const { SignedXml, Application, Parse, setNodeDependencies } = peerPackage('xadesjs') as Package;
    setNodeDependencies({ ...(peerPackage('@xmldom/xmldom') as object), xpath: peerPackage('xpath') });
    Application.setEngine('NodeJS', webcrypto);
    const { privateKeyPkcs8, certificateDer } = openPkcs12(pkcs12, password, new Date());
    const key = await webcrypto.subtle.importKey('pkcs8', privateKeyPkcs8, ALGORITHM, true, ['sign']);
    const spki = createPublicKey(createPrivateKey({ key: privateKeyPkcs8, format: 'der', type: 'pkcs8' })).export({ format: 'der', type: 'spki' });
    const publicKey = await webcrypto.subtle.importKey('spki', spki, ALGORITHM, true, ['verify']);
    const certificate = certificateDer.toString('base64');
    const { issuerName } = describeCertificate(certificateDer);
    class Signature extends SignedXml {
      override async ApplySigningCertificate(value: unknown): Promise<void> {
        await super.ApplySigningCertificate(value);
        this.Properties.SignedProperties.SignedSignatureProperties.SigningCertificate.Item(0).IssuerSerial.X509IssuerName = issuerName;
      }
    }
    return async (xml) => {
      const signed = new Signature();
      signed.XmlSignature.KeyInfo.Id = 'Certificate1';
      await signed.Sign(ALGORITHM, key, Parse(xml), {
        keyValue: publicKey,
        x509: [certificate],
        signingCertificate: { certificate, digestAlgorithm: 'SHA-1' },
        signingTime: { value: new Date(), format: "yyyy-mm-dd'T'HH:MM:ss'-05:00'" },
        references: [
          { uri: '#Certificate1', hash: 'SHA-1' },
          { id: 'Reference-ID-1', uri: '#comprobante', hash: 'SHA-1', transforms: ['enveloped'] },
        ],
      });
      return `<?xml version="1.0" encoding="UTF-8"?>${signed.toString()}`;
    };
  },
};
