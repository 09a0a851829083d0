import {
  createHash,
  createPrivateKey,
  createSign,
  generateKeyPairSync,
  type KeyObject,
  X509Certificate,
} from 'node:crypto';
import forge from 'node-forge';

/**
 * A small signer for the simulator's specs, apart from the one of the product:
 * what the simulator accepts must not depend on the product's own reading of
 * the profile.
 */
export interface Identity {
  readonly key: KeyObject;
  readonly der: Buffer;
  readonly serialNumber: string;
  /** As Java prints it. */
  readonly issuerName: string;
}

export interface IdentityOptions {
  readonly ruc?: string | null;
  readonly cedula?: string;
  readonly validFrom?: Date;
  readonly validTo?: Date;
  readonly digitalSignature?: boolean;
  readonly bits?: number;
}

const keys = new Map<number, string>();

function privateKey(bits: number): string {
  const known = keys.get(bits);
  if (known !== undefined) return known;
  const made = generateKeyPairSync('rsa', { modulusLength: bits })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
  keys.set(bits, made);
  return made;
}

const utf8 = (text: string): string =>
  forge.asn1.toDer(forge.asn1.create(forge.asn1.Class.UNIVERSAL, forge.asn1.Type.UTF8, false, text)).getBytes();

export function makeIdentity(options: IdentityOptions = {}): Identity {
  const pem = privateKey(options.bits ?? 2048);
  const key = createPrivateKey(pem);
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.setRsaPublicKey(
    forge.pki.privateKeyFromPem(pem).n,
    forge.pki.privateKeyFromPem(pem).e,
  );
  certificate.serialNumber = '0a1b2c3d4e5f60718293';
  certificate.validity.notBefore = options.validFrom ?? new Date('2026-01-01T00:00:00Z');
  certificate.validity.notAfter = options.validTo ?? new Date('2028-01-01T00:00:00Z');
  certificate.setSubject([{ shortName: 'CN', value: 'FIRMANTE DE PRUEBA' }]);
  certificate.setIssuer([
    { shortName: 'C', value: 'EC' },
    { shortName: 'O', value: 'AUTORIDAD, DE PRUEBA' },
    { shortName: 'CN', value: 'CA DE PRUEBA' },
    { type: '2.5.4.97', value: 'VATEC-1790000000001' },
  ]);
  const ruc = options.ruc === undefined ? '1790012345001' : options.ruc;
  const extensions: object[] = [
    { name: 'keyUsage', critical: true, digitalSignature: options.digitalSignature ?? true, keyEncipherment: true },
  ];
  if (ruc !== null) extensions.push({ id: '1.3.6.1.4.1.37746.3.11', value: utf8(ruc) });
  if (options.cedula !== undefined) extensions.push({ id: '1.3.6.1.4.1.37746.3.1', value: utf8(options.cedula) });
  certificate.setExtensions(extensions);
  certificate.sign(forge.pki.privateKeyFromPem(pem), forge.md.sha256.create());
  const der = Buffer.from(forge.asn1.toDer(forge.pki.certificateToAsn1(certificate)).getBytes(), 'latin1');
  const organization = /#([0-9a-f]+)/.exec(hexOfOrganizationIdentifier(der))?.[0] ?? '';
  return {
    key,
    der,
    serialNumber: BigInt(`0x${new X509Certificate(der).serialNumber}`).toString(),
    issuerName: `2.5.4.97=${organization},CN=CA DE PRUEBA,O=AUTORIDAD\\, DE PRUEBA,C=EC`,
  };
}

/** The attribute follows its OID 2.5.4.97 (06 03 55 04 61) in the certificate. */
function hexOfOrganizationIdentifier(der: Buffer): string {
  const at = der.indexOf(Buffer.from('0603550461', 'hex')) + 5;
  return `#${der.subarray(at, at + 2 + (der[at + 1] ?? 0)).toString('hex')}`;
}

export interface SigningOptions {
  readonly signingTime?: string;
  readonly issuerName?: string;
  readonly serialNumber?: string;
  readonly certificateDigest?: string;
  readonly certificate?: string;
  readonly algorithm?: 'sha1' | 'sha256';
  /** References to leave out. */
  readonly without?: 'properties' | 'keyInfo' | 'document';
  readonly documentTransforms?: readonly string[];
}

const DS = 'http://www.w3.org/2000/09/xmldsig#';
const NAMESPACES = `xmlns:ds="${DS}" xmlns:etsi="http://uri.etsi.org/01903/v1.3.2#"`;
const ENVELOPED = `${DS}enveloped-signature`;

/** Signs a document that is written in canonical form; returns prolog, document and signature. */
export function signDocument(document: string, identity: Identity, options: SigningOptions = {}): Buffer {
  const sha1 = (text: string | Buffer): string => createHash('sha1').update(text).digest('base64');
  const digestMethod = `<ds:DigestMethod Algorithm="${DS}sha1"></ds:DigestMethod>`;
  const { n = '', e = '' } = new X509Certificate(identity.der).publicKey.export({ format: 'jwk' });
  const plain = (value: string): string => Buffer.from(value, 'base64url').toString('base64');
  const keyInfo =
    `<ds:X509Data><ds:X509Certificate>${options.certificate ?? identity.der.toString('base64')}</ds:X509Certificate></ds:X509Data>` +
    `<ds:KeyValue><ds:RSAKeyValue><ds:Modulus>${plain(n)}</ds:Modulus><ds:Exponent>${plain(e)}</ds:Exponent></ds:RSAKeyValue></ds:KeyValue>`;
  const properties =
    `<etsi:SignedSignatureProperties><etsi:SigningTime>${options.signingTime ?? '2026-08-25T10:31:07-05:00'}</etsi:SigningTime>` +
    `<etsi:SigningCertificate><etsi:Cert><etsi:CertDigest>${digestMethod}<ds:DigestValue>${options.certificateDigest ?? sha1(identity.der)}</ds:DigestValue></etsi:CertDigest>` +
    `<etsi:IssuerSerial><ds:X509IssuerName>${options.issuerName ?? identity.issuerName}</ds:X509IssuerName><ds:X509SerialNumber>${options.serialNumber ?? identity.serialNumber}</ds:X509SerialNumber></etsi:IssuerSerial></etsi:Cert></etsi:SigningCertificate></etsi:SignedSignatureProperties>` +
    `<etsi:SignedDataObjectProperties><etsi:DataObjectFormat ObjectReference="#Reference1"><etsi:Description>contenido comprobante</etsi:Description><etsi:MimeType>text/xml</etsi:MimeType></etsi:DataObjectFormat></etsi:SignedDataObjectProperties>`;
  const reference = (attributes: string, transforms: readonly string[], digest: string): string => {
    const list = transforms.map((name) => `<ds:Transform Algorithm="${name}"></ds:Transform>`).join('');
    return `<ds:Reference ${attributes}>${list === '' ? '' : `<ds:Transforms>${list}</ds:Transforms>`}${digestMethod}<ds:DigestValue>${digest}</ds:DigestValue></ds:Reference>`;
  };
  const references = {
    properties: reference(
      'Type="http://uri.etsi.org/01903#SignedProperties" URI="#Properties1"',
      [],
      sha1(`<etsi:SignedProperties ${NAMESPACES} Id="Properties1">${properties}</etsi:SignedProperties>`),
    ),
    keyInfo: reference(
      'URI="#Certificate1"',
      [],
      sha1(`<ds:KeyInfo ${NAMESPACES} Id="Certificate1">${keyInfo}</ds:KeyInfo>`),
    ),
    document: reference(
      'Id="Reference1" URI="#comprobante"',
      options.documentTransforms ?? [ENVELOPED],
      sha1(document),
    ),
  };
  const algorithm = options.algorithm ?? 'sha1';
  const method = algorithm === 'sha1' ? `${DS}rsa-sha1` : 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
  const signedInfo =
    '<ds:CanonicalizationMethod Algorithm="http://www.w3.org/TR/2001/REC-xml-c14n-20010315"></ds:CanonicalizationMethod>' +
    `<ds:SignatureMethod Algorithm="${method}"></ds:SignatureMethod>` +
    Object.entries(references)
      .filter(([name]) => name !== options.without)
      .map(([, text]) => text)
      .join('');
  const value = createSign(`RSA-${algorithm.toUpperCase()}`)
    .update(`<ds:SignedInfo ${NAMESPACES}>${signedInfo}</ds:SignedInfo>`)
    .sign(identity.key, 'base64');
  const signature =
    `<ds:Signature ${NAMESPACES} Id="Signature1"><ds:SignedInfo>${signedInfo}</ds:SignedInfo><ds:SignatureValue>${value}</ds:SignatureValue>` +
    `<ds:KeyInfo Id="Certificate1">${keyInfo}</ds:KeyInfo><ds:Object><etsi:QualifyingProperties Target="#Signature1">` +
    `<etsi:SignedProperties Id="Properties1">${properties}</etsi:SignedProperties></etsi:QualifyingProperties></ds:Object></ds:Signature>`;
  const end = document.lastIndexOf('</');
  return Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?>\n${document.slice(0, end)}${signature}${document.slice(end)}`,
  );
}
