import { createPublicKey, hash, sign, X509Certificate, type KeyObject } from 'node:crypto';
import { guayaquilTimestamp } from '../../shared/guayaquil.js';
import { escapeText } from '../xml/canonical.js';
import { writeUtf8 } from '../xml/utf8.js';
import { describeCertificate } from './certificate.js';
import { blank, Form } from './form.js';

/** Prefixes bound on `ds:Signature` and nowhere else; canonical form repeats them on each signed part. */
const NAMESPACES = 'xmlns:ds="http://www.w3.org/2000/09/xmldsig#" xmlns:etsi="http://uri.etsi.org/01903/v1.3.2#"';
const C14N = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const RSA_SHA1 = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1';
const DIGEST_METHOD = '<ds:DigestMethod Algorithm="http://www.w3.org/2000/09/xmldsig#sha1"></ds:DigestMethod>';
const PROLOG = Buffer.from('<?xml version="1.0" encoding="UTF-8"?>');

/** Identifiers need only be unique within one document, which holds one signature. */
const SIGNATURE_ID = 'Signature1';
const KEY_INFO_ID = 'Certificate1';
const SIGNED_PROPERTIES_ID = 'Signature1-SignedProperties1';
const DOCUMENT_REFERENCE_ID = 'Reference-ID-1';

const SIGNED_INFO_NAME = 'ds:SignedInfo';
const SIGNED_INFO_ID = 'Id="Signature-SignedInfo1"';

/** Characters of a SHA-1 digest in base64. */
const DIGEST_LENGTH = 28;

/** This document, or with this key and certificate any, cannot be signed, however often it is tried. */
export class UnsignableError extends Error {
  override readonly name = 'UnsignableError';
}

/** The host's cryptography does not do what the SRI demands, as where its policy forbids SHA-1: no fault of the document. */
export class HostCannotSignError extends Error {
  override readonly name = 'HostCannotSignError';
}

interface Prepared {
  /** The finished document but for the signature: prolog, content, room, closing tag still to write. */
  readonly output: Buffer;
  /** Where the signature starts in `output`. */
  readonly offset: number;
  readonly closingTag: string;
  readonly propertiesDigest: string;
  readonly documentDigest: string;
  readonly signingTime: string;
  /** Canonical form of SignedInfo: what is signed. */
  readonly toSign: Buffer;
}

/**
 * Signs documents as XAdES-BES, enveloped, with RSA-SHA1 and SHA-1 digests: the
 * profile that the SRI prescribes (ficha técnica §6 and Anexo 14). SHA-1 is used
 * here and in the check beside this file, and nowhere else.
 *
 * All that depends on the certificate alone is computed once, in the
 * constructor, and stands in forms in which digests, time and signature are
 * filled in. Parts that also depend on the second of signing are computed once a
 * second. Per document remain: one encoding to UTF-8, in the place where it
 * stays, the digest of those bytes and the RSA operation.
 */
export class XadesSigner {
  private readonly keyInfo: string;
  private readonly propertiesBeforeTime: string;
  private readonly propertiesAfterTime: string;
  private readonly canonicalPropertiesBeforeTime: string;
  private readonly referencesAfterProperties: string;
  /** Canonical form of SignedInfo, for the digests of properties and document. */
  private readonly signedInfo: Form;
  /** The whole ds:Signature element, for both digests, the signature and the time. */
  private readonly signature: Form;
  private lastProperties = { time: '', digest: '' };

  /**
   * @param certificateDer the signing certificate
   * @param privateKey its RSA key
   * @throws HostCannotSignError where this host makes no such signatures
   * @throws UnsignableError where they are no RSA key and its certificate
   */
  constructor(
    certificateDer: Buffer,
    private readonly privateKey: KeyObject,
  ) {
    const publicKey = createPublicKey(privateKey);
    const modulusLength = publicKey.asymmetricKeyDetails?.modulusLength;
    if (publicKey.asymmetricKeyType !== 'rsa' || modulusLength === undefined) {
      throw new UnsignableError('the SRI accepts RSA signatures only');
    }
    if (!new X509Certificate(certificateDer).checkPrivateKey(privateKey)) {
      throw new UnsignableError('the private key does not belong to the certificate');
    }
    const { issuerName, serialNumber } = describeCertificate(certificateDer);

    this.keyInfo = keyInfoContent(certificateDer, publicKey);
    this.propertiesBeforeTime = '<etsi:SignedSignatureProperties><etsi:SigningTime>';
    this.propertiesAfterTime =
      '</etsi:SigningTime><etsi:SigningCertificate><etsi:Cert><etsi:CertDigest>' +
      `${DIGEST_METHOD}<ds:DigestValue>${sha1(certificateDer)}</ds:DigestValue></etsi:CertDigest><etsi:IssuerSerial>` +
      `<ds:X509IssuerName>${escapeText(issuerName)}</ds:X509IssuerName>` +
      `<ds:X509SerialNumber>${serialNumber}</ds:X509SerialNumber></etsi:IssuerSerial></etsi:Cert></etsi:SigningCertificate>` +
      '</etsi:SignedSignatureProperties><etsi:SignedDataObjectProperties>' +
      `<etsi:DataObjectFormat ObjectReference="#${DOCUMENT_REFERENCE_ID}">` +
      '<etsi:Description>contenido comprobante</etsi:Description><etsi:MimeType>text/xml</etsi:MimeType>' +
      '</etsi:DataObjectFormat></etsi:SignedDataObjectProperties></etsi:SignedProperties>';
    this.canonicalPropertiesBeforeTime =
      `<etsi:SignedProperties ${NAMESPACES} Id="${SIGNED_PROPERTIES_ID}">` + this.propertiesBeforeTime;

    const canonicalKeyInfo = `<ds:KeyInfo ${NAMESPACES} Id="${KEY_INFO_ID}">${this.keyInfo}</ds:KeyInfo>`;
    this.referencesAfterProperties =
      `</ds:DigestValue></ds:Reference><ds:Reference URI="#${KEY_INFO_ID}">${DIGEST_METHOD}` +
      `<ds:DigestValue>${sha1(canonicalKeyInfo)}</ds:DigestValue></ds:Reference>` +
      `<ds:Reference Id="${DOCUMENT_REFERENCE_ID}" URI="#comprobante"><ds:Transforms>` +
      `<ds:Transform Algorithm="${ENVELOPED}"></ds:Transform></ds:Transforms>${DIGEST_METHOD}<ds:DigestValue>`;

    const signedInfoBody = this.signedInfoBody(blank(DIGEST_LENGTH), blank(DIGEST_LENGTH));
    this.signedInfo = new Form(`<${SIGNED_INFO_NAME} ${NAMESPACES} ${SIGNED_INFO_ID}>${signedInfoBody}</${SIGNED_INFO_NAME}>`);
    const signatureLength = Math.ceil(Math.ceil(modulusLength / 8) / 3) * 4;
    this.signature = new Form(this.signatureElement(signedInfoBody, blank(signatureLength), blank(guayaquilTimestamp(new Date(0)).length)));
  }

  /**
   * Signs on the thread pool, so that several signatures proceed at once.
   *
   * @param documentXml the document element in canonical form (C14N 1.0), without prolog, root id "comprobante"
   * @param signingTime never later than the SRI's clock, which refuses such signatures
   * @returns prolog, document and signature in UTF-8; the caller owns the bytes
   * @throws HostCannotSignError where this host makes no such signatures
   * @throws UnsignableError for what is no such element, or comes out in another length than it must have
   */
  async sign(documentXml: string, signingTime: Date): Promise<Buffer> {
    const prepared = this.prepare(documentXml, signingTime);
    const signature = await new Promise<Buffer>((resolve, reject) => {
      sign('RSA-SHA1', prepared.toSign, this.privateKey, (error, made) => {
        if (error) reject(error);
        else resolve(made);
      });
    }).catch(asHostFailure);
    return this.finish(prepared, signature);
  }

  /** For benchmarks and tests: as `sign`, on the calling thread. */
  signSync(documentXml: string, signingTime: Date): Buffer {
    const prepared = this.prepare(documentXml, signingTime);
    return this.finish(prepared, sign('RSA-SHA1', prepared.toSign, this.privateKey));
  }

  /** Everything before the RSA operation. The digest is of the whole document; the signature then goes before its closing tag. */
  private prepare(documentXml: string, signingTime: Date): Prepared {
    const closing = documentXml.lastIndexOf('</');
    if (closing < 0 || !documentXml.endsWith('>') || documentXml.startsWith('<?')) {
      throw new UnsignableError('expected one document element without prolog');
    }
    const rootTagEnd = documentXml.indexOf('>');
    if (!documentXml.slice(0, rootTagEnd).includes(' id="comprobante"')) {
      throw new UnsignableError('the root element must have id="comprobante"');
    }
    const closingTag = documentXml.slice(closing);
    const length = Buffer.byteLength(documentXml);
    const output = Buffer.allocUnsafeSlow(PROLOG.length + length + this.signature.length);
    output.set(PROLOG);
    if (writeUtf8(documentXml, length, output, PROLOG.length) !== length) throw new UnsignableError('the document has an unexpected length');
    const content = output.subarray(PROLOG.length, PROLOG.length + length);

    const time = guayaquilTimestamp(signingTime);
    const propertiesDigest = this.propertiesDigestAt(time);
    const documentDigest = sha1(content);
    return {
      output,
      offset: PROLOG.length + length - Buffer.byteLength(closingTag),
      closingTag,
      propertiesDigest,
      documentDigest,
      signingTime: time,
      toSign: this.signedInfo.filled([propertiesDigest, documentDigest]),
    };
  }

  private finish(prepared: Prepared, signature: Buffer): Buffer {
    const { output, offset, closingTag, propertiesDigest, documentDigest, signingTime } = prepared;
    const end = this.signature.write(output, offset, [propertiesDigest, documentDigest, signature.toString('base64'), signingTime]);
    if (end + output.write(closingTag, end, 'utf8') !== output.length) throw new UnsignableError('the signature has an unexpected length');
    return output;
  }

  /** The signed properties vary with the second alone. */
  private propertiesDigestAt(time: string): string {
    if (this.lastProperties.time !== time) {
      this.lastProperties = {
        time,
        digest: sha1(this.canonicalPropertiesBeforeTime + time + this.propertiesAfterTime),
      };
    }
    return this.lastProperties.digest;
  }

  private signedInfoBody(propertiesDigest: string, documentDigest: string): string {
    return (
      `<ds:CanonicalizationMethod Algorithm="${C14N}"></ds:CanonicalizationMethod>` +
      `<ds:SignatureMethod Algorithm="${RSA_SHA1}"></ds:SignatureMethod>` +
      '<ds:Reference Id="SignedPropertiesID1" Type="http://uri.etsi.org/01903#SignedProperties" ' +
      `URI="#${SIGNED_PROPERTIES_ID}">${DIGEST_METHOD}<ds:DigestValue>${propertiesDigest}` +
      `${this.referencesAfterProperties}${documentDigest}</ds:DigestValue></ds:Reference>`
    );
  }

  private signatureElement(signedInfoBody: string, signatureValue: string, signingTime: string): string {
    return (
      `<ds:Signature ${NAMESPACES} Id="${SIGNATURE_ID}">` +
      `<${SIGNED_INFO_NAME} ${SIGNED_INFO_ID}>${signedInfoBody}</${SIGNED_INFO_NAME}>` +
      `<ds:SignatureValue Id="SignatureValue1">${signatureValue}</ds:SignatureValue>` +
      `<ds:KeyInfo Id="${KEY_INFO_ID}">${this.keyInfo}</ds:KeyInfo>` +
      `<ds:Object Id="Signature1-Object1"><etsi:QualifyingProperties Target="#${SIGNATURE_ID}">` +
      `<etsi:SignedProperties Id="${SIGNED_PROPERTIES_ID}">` +
      `${this.propertiesBeforeTime}${signingTime}${this.propertiesAfterTime}` +
      '</etsi:QualifyingProperties></ds:Object></ds:Signature>'
    );
  }
}

/** Certificate, and the modulus and exponent without leading zero bytes. */
function keyInfoContent(certificateDer: Buffer, publicKey: KeyObject): string {
  const { n, e } = publicKey.export({ format: 'jwk' });
  if (n === undefined || e === undefined) throw new UnsignableError('the public key is not RSA');
  const base64 = (urlSafe: string): string => Buffer.from(urlSafe, 'base64url').toString('base64');
  return (
    `<ds:X509Data><ds:X509Certificate>${certificateDer.toString('base64')}</ds:X509Certificate></ds:X509Data>` +
    `<ds:KeyValue><ds:RSAKeyValue><ds:Modulus>${base64(n)}</ds:Modulus>` +
    `<ds:Exponent>${base64(e)}</ds:Exponent></ds:RSAKeyValue></ds:KeyValue>`
  );
}

function sha1(data: string | Uint8Array): string {
  try {
    return hash('sha1', data, 'base64');
  } catch (error) {
    return asHostFailure(error);
  }
}

function asHostFailure(error: unknown): never {
  throw new HostCannotSignError((error as Error).message, { cause: error });
}
