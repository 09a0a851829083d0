import { createHash, createPublicKey, X509Certificate } from 'node:crypto';
import { DOMParser } from '@xmldom/xmldom';
import { SignedXml } from 'xml-crypto';
import { CertificateError, describeCertificate } from './certificate.js';

const DS = 'http://www.w3.org/2000/09/xmldsig#';
const ETSI = 'http://uri.etsi.org/01903/v1.3.2#';
const C14N = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const SIGNED_PROPERTIES_TYPE = 'http://uri.etsi.org/01903#SignedProperties';

/** What is signed to see whether a key, or this host, signs. */
export const SAMPLE_DOCUMENT = '<factura id="comprobante" version="1.1.0"><infoTributaria><razonSocial>Ñandú &amp; Cía</razonSocial></infoTributaria></factura>';

/** The whole signed document may have 320 KB at the SRI; a little above it is still checked. */
const MAX_BYTES = 2 * 1024 * 1024;
const SIGNING_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?-05:00$/;

export interface SelfCheck {
  readonly valid: boolean;
  /** What is wrong, for operators; absent when valid. */
  readonly problem?: string;
}

export interface SelfCheckOptions {
  /** The signature must come from exactly this certificate. */
  readonly expectedCertificate?: Buffer;
}

class Problem extends Error {}

/**
 * A second opinion on a signed document through other code than the signer's:
 * parsed by a DOM, canonicalised and verified by xml-crypto, and compared with
 * the profile of the SRI (ficha técnica §6). For start-up, certificate upload
 * and tests; documents on their way are not checked again.
 *
 * Never throws on bad input. It does not check the certificate's chain, dates
 * or revocation.
 */
export function verifySignedDocument(bytes: Uint8Array, options: SelfCheckOptions = {}): SelfCheck {
  try {
    check(bytes, options);
    return { valid: true };
  } catch (error) {
    if (error instanceof Problem || error instanceof CertificateError) return { valid: false, problem: error.message };
    // xml-crypto and the parser throw plain errors for everything they dislike.
    return { valid: false, problem: error instanceof Error ? error.message : 'unreadable' };
  }
}

function check(bytes: Uint8Array, { expectedCertificate }: SelfCheckOptions): void {
  demand(bytes.length <= MAX_BYTES, 'the document is too large');
  const decoded = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  // The parser takes these for line ends, as XML 1.1 does; by number they stay what XML 1.0 says they are.
  const xml = decoded.replaceAll('\u0085', '&#x85;').replaceAll('\u2028', '&#x2028;');
  demand(!decoded.includes('<!'), 'declarations, comments and CDATA sections do not occur in canonical form');
  demand(xml.startsWith('<?xml version="1.0" encoding="UTF-8"?>'), 'the prolog is missing');
  const root = parse(xml);
  demand(root.getAttribute('id') === 'comprobante', 'the root element lacks id="comprobante"');

  const signature = last(root);
  demand(signature?.namespaceURI === DS && signature.localName === 'Signature', 'ds:Signature is not the last child');
  demand(elements(root, DS, 'Signature').length === 1, 'there is more than one signature');
  checkIds(root);
  const ids = checkSignedInfo(signature);

  const certificate = Buffer.from(text(only(signature, DS, 'X509Certificate')), 'base64');
  if (expectedCertificate !== undefined) {
    demand(certificate.equals(expectedCertificate), 'signed by another certificate');
  }
  demand(only(signature, DS, 'KeyInfo').getAttribute('Id') === ids.keyInfo, 'KeyInfo is not signed');
  checkKeyValue(signature, certificate);
  checkProperties(signature, certificate, ids.properties);
  verify(xml, signature, certificate);
}

function parse(xml: string): Element {
  const complain = (message: string): never => {
    throw new Problem(`not well-formed: ${message}`);
  };
  const parser = new DOMParser({ errorHandler: { warning: complain, error: complain, fatalError: complain } });
  return parser.parseFromString(xml, 'text/xml').documentElement;
}

/** No identifier twice: a copy could be verified while the original is read. */
function checkIds(root: Element): void {
  const seen = new Set<string>();
  for (const element of [root, ...Array.from(root.getElementsByTagName('*'))]) {
    for (const name of ['Id', 'ID', 'id']) {
      const id = element.getAttribute(name);
      if (id === null || id === '') continue;
      demand(!seen.has(id), `the identifier ${id} occurs twice`);
      seen.add(id);
    }
  }
}

/** Algorithms and the three references in the order of the ficha; returns what they point at. */
function checkSignedInfo(signature: Element): { properties: string; keyInfo: string } {
  const signedInfo = only(signature, DS, 'SignedInfo');
  demand(algorithm(only(signedInfo, DS, 'CanonicalizationMethod')) === C14N, 'unexpected canonicalisation');
  demand(algorithm(only(signedInfo, DS, 'SignatureMethod')) === `${DS}rsa-sha1`, 'unexpected signature algorithm');
  const references = elements(signedInfo, DS, 'Reference');
  const [properties, keyInfo, document] = references;
  demand(
    references.length === 3 && properties !== undefined && keyInfo !== undefined && document !== undefined,
    'there must be three references',
  );
  for (const reference of references) {
    demand(algorithm(only(reference, DS, 'DigestMethod')) === `${DS}sha1`, 'unexpected digest algorithm');
  }
  demand(properties.getAttribute('Type') === SIGNED_PROPERTIES_TYPE, 'the first reference must be to SignedProperties');
  demand(document.getAttribute('URI') === '#comprobante', 'the third reference must be to the document');
  demand(algorithm(only(document, DS, 'Transform')) === ENVELOPED, 'the only transform must be enveloped-signature');
  for (const reference of [properties, keyInfo]) {
    demand(elements(reference, DS, 'Transform').length === 0, 'only the document reference has a transform');
  }
  return { properties: target(properties), keyInfo: target(keyInfo) };
}

function checkKeyValue(signature: Element, certificate: Buffer): void {
  const { n, e } = createPublicKey(
    new X509Certificate(certificate).publicKey.export({ format: 'pem', type: 'spki' }),
  ).export({
    format: 'jwk',
  });
  const inDocument = (name: string): string =>
    Buffer.from(text(only(signature, DS, name)), 'base64').toString('base64url');
  demand(inDocument('Modulus') === n, 'the modulus differs from the certificate');
  demand(inDocument('Exponent') === e, 'the exponent differs from the certificate');
}

function checkProperties(signature: Element, certificate: Buffer, signedId: string): void {
  const properties = only(signature, ETSI, 'SignedProperties');
  demand(properties.getAttribute('Id') === signedId, 'SignedProperties is not signed');
  const qualifying = only(signature, ETSI, 'QualifyingProperties');
  demand(
    qualifying.getAttribute('Target') === `#${signature.getAttribute('Id') ?? ''}`,
    'wrong QualifyingProperties target',
  );
  demand(SIGNING_TIME.test(text(only(properties, ETSI, 'SigningTime'))), 'SigningTime must have the offset -05:00');
  const digest = text(only(only(properties, ETSI, 'CertDigest'), DS, 'DigestValue'));
  demand(createHash('sha1').update(certificate).digest('base64') === digest, 'CertDigest differs from the certificate');
  const { issuerName, serialNumber } = describeCertificate(certificate);
  demand(text(only(properties, DS, 'X509IssuerName')) === issuerName, 'X509IssuerName differs from the certificate');
  demand(
    text(only(properties, DS, 'X509SerialNumber')) === serialNumber,
    'X509SerialNumber differs from the certificate',
  );
}

/** The cryptographic check, with the key fixed to the one certificate. */
function verify(xml: string, signature: Element, certificate: Buffer): void {
  const verifier = new SignedXml({
    publicCert: new X509Certificate(certificate).toString(),
    getCertFromKeyInfo: () => null,
  });
  verifier.loadSignature(signature);
  demand(verifier.checkSignature(xml), 'a digest does not match');
  demand(verifier.getSignedReferences().length === 3, 'not every reference was verified');
}

function demand(condition: boolean, problem: string): asserts condition {
  if (!condition) throw new Problem(problem);
}

function elements(within: Element, namespace: string, name: string): Element[] {
  return Array.from(within.getElementsByTagNameNS(namespace, name));
}

function only(within: Element, namespace: string, name: string): Element {
  const [found, ...others] = elements(within, namespace, name);
  demand(found !== undefined && others.length === 0, `expected exactly one ${name}`);
  return found;
}

function last(root: Element): Element | undefined {
  const node = root.lastChild;
  return node?.nodeType === 1 ? (node as Element) : undefined;
}

function algorithm(element: Element): string {
  return element.getAttribute('Algorithm') ?? '';
}

function target(reference: Element): string {
  return (reference.getAttribute('URI') ?? '').replace(/^#/, '');
}

function text(element: Element): string {
  return element.textContent;
}
