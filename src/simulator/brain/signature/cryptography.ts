import { createHash, verify } from 'node:crypto';
import { type XmlDocument, XmlElement } from 'libxml2-wasm';
import { SignedXml } from 'xml-crypto';
import { withDocument } from '../xml/parse.js';
import type { SigningCertificate } from './certificate.js';
import type { SignatureParts, SignedReference } from './structure.js';

/** Whether the signature value and every reference digest fit the bytes and the certificate's key. */
export type SignatureEngine = (bytes: Uint8Array, parts: SignatureParts, certificate: SigningCertificate) => boolean;

/** The engines, which must agree on every document (a spec holds them to it). */
export const signatureEngines: Readonly<Record<'xml-crypto' | 'libxml2', SignatureEngine>> = {
  'xml-crypto': verifyWithXmlCrypto,
  libxml2: verifyWithLibxml,
};

const SIGNATURE_START = /<(?:[\w.-]+:)?Signature[\s>]/g;

function verifyWithXmlCrypto(bytes: Uint8Array, parts: SignatureParts, certificate: SigningCertificate): boolean {
  const xml = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const start = [...xml.matchAll(SIGNATURE_START)].at(-1)?.index ?? -1;
  const end = xml.lastIndexOf('</');
  if (start < 0 || end < start) return false;
  const verifier = new SignedXml({
    publicCert: certificate.publicKey,
    // The certificate was read and judged apart; nothing inside the message may replace its key.
    getCertFromKeyInfo: () => null,
  });
  verifier.idAttributes = ['Id', 'id'];
  try {
    verifier.loadSignature(xml.slice(start, end));
    if (!verifier.checkSignature(xml)) return false;
  } catch {
    // xml-crypto throws for a wrong signature value and for ambiguous ids alike: both mean "altered".
    return false;
  }
  const verified = new Set(verifier.getReferences().map((reference) => reference.uri));
  return [parts.signedProperties, parts.keyInfo, parts.document].every(({ uri }) => verified.has(uri));
}

function verifyWithLibxml(bytes: Uint8Array, parts: SignatureParts, certificate: SigningCertificate): boolean {
  return withDocument(bytes, (document) => {
    const signature = lastElement(document.root);
    const [signedInfo, , keyInfo, object] = signature ? elements(signature) : [];
    const qualifying = object && elements(object)[0];
    const properties = qualifying && elements(qualifying).find(({ name }) => name === 'SignedProperties');
    if (!signature || !signedInfo || !keyInfo || !properties || hasRepeatedIds(document)) return false;
    const digestAlgorithm = parts.signatureMethod.endsWith('rsa-sha1') ? 'sha1' : 'sha256';
    const signatureFits = verify(
      digestAlgorithm,
      Buffer.from(signedInfo.canonicalizeToString(), 'utf8'),
      certificate.publicKey,
      Buffer.from(parts.signatureValue, 'base64'),
    );
    if (!signatureFits) return false;
    if (!digestFits(properties, parts.signedProperties) || !digestFits(keyInfo, parts.keyInfo)) return false;
    signature.remove();
    return digestFits(document.root, parts.document);
  });
}

function digestFits(element: XmlElement, reference: SignedReference): boolean {
  const digest = createHash(reference.digest).update(element.canonicalizeToString(), 'utf8').digest();
  return digest.equals(Buffer.from(reference.digestValue, 'base64'));
}

function elements(parent: XmlElement): XmlElement[] {
  const found: XmlElement[] = [];
  for (let at = parent.firstChild; at !== null; at = at.next) if (at instanceof XmlElement) found.push(at);
  return found;
}

function lastElement(parent: XmlElement): XmlElement | undefined {
  return elements(parent).at(-1);
}

/** The same id twice lets one element stand in for another. */
function hasRepeatedIds(document: XmlDocument): boolean {
  const ids = document.find('//@Id | //@id').map((attribute) => attribute.content);
  return new Set(ids).size !== ids.length;
}
