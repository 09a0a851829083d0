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
  return (
    withDocument(bytes, (document) => signatureFits(document, parts, certificate)) &&
    withDocument(bytes, (document) => {
      elements(document.root).at(-1)?.remove();
      return digestFits(canonicalRoot(document), parts.document);
    })
  );
}

/** The signature value and the two references into the signature itself. */
function signatureFits(document: XmlDocument, parts: SignatureParts, certificate: SigningCertificate): boolean {
  if (hasRepeatedIds(document)) return false;
  const content = elements(document.root);
  const signature = content.pop();
  // libxml2 visits every node to canonicalize one element: what is not signed here only costs time.
  for (const element of content) element.remove();
  const [signedInfo, , keyInfo, object] = signature ? elements(signature) : [];
  const qualifying = object && elements(object)[0];
  const properties = qualifying && elements(qualifying).find(({ name }) => name === 'SignedProperties');
  if (!signedInfo || !keyInfo || !properties) return false;
  return (
    verify(
      parts.signatureMethod.endsWith('rsa-sha1') ? 'sha1' : 'sha256',
      Buffer.from(signedInfo.canonicalizeToString(), 'utf8'),
      certificate.publicKey,
      Buffer.from(parts.signatureValue, 'base64'),
    ) &&
    digestFits(properties.canonicalizeToString(), parts.signedProperties) &&
    digestFits(keyInfo.canonicalizeToString(), parts.keyInfo)
  );
}

/** The root in canonical form; the quick way, over the document, would add instructions outside the root. */
function canonicalRoot(document: XmlDocument): string {
  return document.get('/processing-instruction()') === null
    ? document.canonicalizeToString()
    : document.root.canonicalizeToString();
}

function digestFits(canonical: string, reference: SignedReference): boolean {
  const digest = createHash(reference.digest).update(canonical, 'utf8').digest();
  return digest.equals(Buffer.from(reference.digestValue, 'base64'));
}

function elements(parent: XmlElement): XmlElement[] {
  const found: XmlElement[] = [];
  for (let at = parent.firstChild; at !== null; at = at.next) if (at instanceof XmlElement) found.push(at);
  return found;
}

/** The same id twice lets one element stand in for another. */
function hasRepeatedIds(document: XmlDocument): boolean {
  const ids = document.find('//@Id | //@id').map((attribute) => attribute.content);
  return new Set(ids).size !== ids.length;
}
