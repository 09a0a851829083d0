import { child, children, descend, type Element, textAt } from '../xml/element.js';

const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
const XADES = 'http://uri.etsi.org/01903/v1.3.2#';
const C14N = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const SIGNED_PROPERTIES_TYPE = 'http://uri.etsi.org/01903#SignedProperties';
const DIGESTS: ReadonlyMap<string, 'sha1' | 'sha256'> = new Map([
  ['http://www.w3.org/2000/09/xmldsig#sha1', 'sha1'],
  ['http://www.w3.org/2001/04/xmlenc#sha256', 'sha256'],
]);

export interface SignedReference {
  readonly uri: string;
  readonly digest: 'sha1' | 'sha256';
  readonly digestValue: string;
}

/** The parts of a well-built XAdES-BES signature. */
export interface SignatureParts {
  readonly signatureMethod: string;
  readonly signatureValue: string;
  readonly signedProperties: SignedReference;
  readonly keyInfo: SignedReference;
  readonly document: SignedReference;
  /** Base64, white space removed. */
  readonly certificate: string;
  /** Base64 of RSAKeyValue/Modulus, null when KeyValue is left out. */
  readonly modulus: string | null;
  readonly signingTime: string;
  readonly certificateDigest: { readonly algorithm: 'sha1' | 'sha256'; readonly value: string };
  readonly issuerName: string;
  readonly serialNumber: string;
}

/** Why a signature cannot be read: its frame is wrong, or the document is not among the signed parts. */
export type StructureProblem = 'structure' | 'document_not_signed';

/**
 * Takes an enveloped signature apart, demanding the profile of annex 14: last
 * child of the root, inclusive C14N, exactly three references (SignedProperties
 * and KeyInfo without transforms, `#comprobante` with only enveloped-signature).
 */
export function readSignature(root: Element): SignatureParts | StructureProblem {
  const signature = root.children.at(-1);
  if (signature?.name !== 'Signature' || signature.namespace !== DSIG || countSignatures(root) !== 1) {
    return 'structure';
  }
  const names = signature.children.map(({ name }) => name).join(' ');
  if (names !== 'SignedInfo SignatureValue KeyInfo Object') return 'structure';
  const signedInfo = child(signature, 'SignedInfo');
  const keyInfo = child(signature, 'KeyInfo');
  const qualifying = descend(signature, 'Object', 'QualifyingProperties');
  const properties = child(qualifying, 'SignedProperties');
  const xades = child(properties, 'SignedSignatureProperties');
  const cert = descend(xades, 'SigningCertificate', 'Cert');
  const id = signature.attributes.get('Id');
  if (properties?.namespace !== XADES || id === undefined) return 'structure';
  if (qualifying?.attributes.get('Target') !== `#${id}`) return 'structure';
  if (child(signedInfo, 'CanonicalizationMethod')?.attributes.get('Algorithm') !== C14N) return 'structure';

  const references = children(signedInfo, 'Reference');
  const to = (target: string | undefined): Element | null =>
    target === undefined
      ? null
      : (references.find((reference) => reference.attributes.get('URI') === `#${target}`) ?? null);
  const documentReference = to(root.attributes.get('id'));
  if (documentReference === null || root.attributes.get('id') !== 'comprobante') return 'document_not_signed';
  const propertiesReference = to(properties.attributes.get('Id'));
  const keyInfoReference = to(keyInfo?.attributes.get('Id'));
  if (references.length !== 3 || propertiesReference?.attributes.get('Type') !== SIGNED_PROPERTIES_TYPE) {
    return 'structure';
  }
  const signedProperties = readReference(propertiesReference, []);
  const signedKeyInfo = readReference(keyInfoReference, []);
  const document = readReference(documentReference, [ENVELOPED]);
  const digestAlgorithm = DIGESTS.get(descend(cert, 'CertDigest', 'DigestMethod')?.attributes.get('Algorithm') ?? '');
  const objectReference = descend(properties, 'SignedDataObjectProperties', 'DataObjectFormat')?.attributes.get(
    'ObjectReference',
  );
  if (objectReference !== undefined && objectReference !== `#${documentReference.attributes.get('Id') ?? ''}`)
    return 'structure';
  const certificate = textAt(keyInfo, 'X509Data', 'X509Certificate');
  const signingTime = textAt(xades, 'SigningTime');
  if (!signedProperties || !signedKeyInfo || !document || !digestAlgorithm) return 'structure';
  if (certificate === null || signingTime === null) return 'structure';
  return {
    signatureMethod: child(signedInfo, 'SignatureMethod')?.attributes.get('Algorithm') ?? '',
    signatureValue: squeeze(textAt(signature, 'SignatureValue')),
    signedProperties,
    keyInfo: signedKeyInfo,
    document,
    certificate: squeeze(certificate),
    modulus: textAt(keyInfo, 'KeyValue', 'RSAKeyValue', 'Modulus'),
    signingTime: signingTime.trim(),
    certificateDigest: { algorithm: digestAlgorithm, value: squeeze(textAt(cert, 'CertDigest', 'DigestValue')) },
    issuerName: textAt(cert, 'IssuerSerial', 'X509IssuerName') ?? '',
    serialNumber: squeeze(textAt(cert, 'IssuerSerial', 'X509SerialNumber')),
  };
}

function readReference(reference: Element | null, transforms: readonly string[]): SignedReference | null {
  if (reference === null) return null;
  const written = children(child(reference, 'Transforms'), 'Transform').map((transform) =>
    transform.attributes.get('Algorithm'),
  );
  const digest = DIGESTS.get(child(reference, 'DigestMethod')?.attributes.get('Algorithm') ?? '');
  if (digest === undefined || written.join(' ') !== transforms.join(' ')) return null;
  return { uri: reference.attributes.get('URI') ?? '', digest, digestValue: squeeze(textAt(reference, 'DigestValue')) };
}

function countSignatures(element: Element): number {
  const own = element.name === 'Signature' && element.namespace === DSIG ? 1 : 0;
  return element.children.reduce((sum, inner) => sum + countSignatures(inner), own);
}

/** Base64 and numbers may carry line breaks. */
function squeeze(text: string | null): string {
  return (text ?? '').replaceAll(/\s+/g, '');
}
