import { X509Certificate } from 'node:crypto';
import {
  makeIdentity,
  signDocument,
  type SigningOptions,
} from '../../../../test/support/simulator/signing.js';
import { makeInvoice } from '../../../../test/support/simulator/invoice.js';
import { identity, startSri } from '../../../../test/support/simulator/sri.js';
import type { SimulatorSettings } from '../settings.js';

const ENGINES = ['xml-crypto', 'libxml2'] as const;
const invoice = makeInvoice();

/** First message about a document, the same for both engines; null when authorized. */
function complaint(bytes: Uint8Array, changes: Partial<SimulatorSettings> = {}): string | null {
  const answers = ENGINES.map((signatureEngine) => {
    const { brain } = startSri({ ...changes, signatureEngine });
    const { outcome } = brain.submit(bytes);
    expect(outcome).toMatchObject({ estado: 'RECIBIDA' });
    const entry = brain.authorize(invoice.accessKey).outcome!.entries[0]!;
    const [message] = entry.messages;
    return entry.estado === 'AUTORIZADO' ? null : `${message!.identifier} ${message!.additionalInfo ?? ''}`;
  });
  expect(answers[1]).toBe(answers[0]);
  return answers[0]!;
}

const sign = (options: SigningOptions = {}, signer = identity): Buffer => signDocument(invoice.xml, signer, options);
const edit = (bytes: Buffer, find: string | RegExp, by: string): Buffer => {
  const edited = bytes.toString().replace(find, by);
  expect(edited).not.toBe(bytes.toString());
  return Buffer.from(edited);
};

const ALTERED = '39 La firma es invalida [Firma inválida (firma y/o certificados alterados)]';
const STRUCTURE = '39 La firma es invalida [La estructura de la firma es incorrecta]';
const NOT_SIGNED = '39 La firma es invalida [El nodo comprobante no está firmado]';
const XADES = '39 La firma es invalida [La información sobre el certificado de firma no se ajusta a XAdES]';
const NO_RUC = '39 La firma es invalida [No existe el RUC del emisor en el certificado digital]';
const FUTURE = '39 La firma es invalida [La fecha contenida en la firma es posterior a la actual]';
const WRONG_USE = '39 La firma es invalida [El certificado utilizado no es del tipo firma digital]';

describe('every signed part is verified', () => {
  it('accepts an untouched document', () => expect(complaint(sign())).toBeNull());

  it.each([
    ['the document', edit(sign(), '<importeTotal>23.00', '<importeTotal>23.000')],
    ['white space inside the document', edit(sign(), '<infoFactura>', '<infoFactura> ')],
    ['SignedProperties', edit(sign(), 'contenido comprobante', 'contenido del comprobante')],
    ['SigningTime', edit(sign(), '10:31:07-05:00', '10:31:08-05:00')],
    ['KeyInfo', edit(sign(), '<ds:KeyInfo Id="Certificate1">', '<ds:KeyInfo Id="Certificate1"> ')],
    ['SignedInfo', edit(sign(), '<ds:SignedInfo>', '<ds:SignedInfo> ')],
    ['the signature value', edit(sign(), /<ds:SignatureValue>..../, '<ds:SignatureValue>AAAA')],
    ['an added namespace on the root', edit(sign(), '<factura ', '<factura xmlns:x="urn:x" ')],
  ])('refuses a change in %s', (_, bytes) => expect(complaint(bytes)).toBe(ALTERED));

  it('accepts what canonicalization does not see', () => {
    expect(complaint(edit(sign(), '<moneda>DOLAR', '<moneda><!-- c -->DOLAR'))).toBeNull();
    expect(
      complaint(
        edit(sign(), '<factura id="comprobante" version="1.1.0">', '<factura  version="1.1.0"  id=\'comprobante\'>'),
      ),
    ).toBeNull();
  });

  it('ignores instructions and comments around the root', () => {
    expect(complaint(edit(sign(), '<factura ', '<?before it?><!-- and --><factura '))).toBeNull();
  });

  it('refuses a signature by another key', () => {
    const other = makeIdentity({ bits: 3072 });
    expect(complaint(sign({}, { ...identity, key: other.key }))).toBe(ALTERED);
  });
});

describe('the structure of the profile', () => {
  it.each([
    ['without signature', Buffer.from(invoice.xml), STRUCTURE],
    ['without a reference to the document', sign({ without: 'document' }), NOT_SIGNED],
    ['without a reference to SignedProperties', sign({ without: 'properties' }), STRUCTURE],
    ['without a reference to KeyInfo', sign({ without: 'keyInfo' }), STRUCTURE],
    ['with a digest that only every object has a property of', edit(sign(), /(<ds:DigestMethod Algorithm=")[^"]*/g, '$1toString'), STRUCTURE],
    ['without the enveloped transform', sign({ documentTransforms: [] }), STRUCTURE],
    [
      'with exclusive canonicalization',
      sign({
        documentTransforms: [
          'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
          'http://www.w3.org/2001/10/xml-exc-c14n#',
        ],
      }),
      STRUCTURE,
    ],
    [
      'with RSA-SHA256',
      sign({ algorithm: 'sha256' }),
      '39 La firma es invalida [El algoritmo de firma no está permitido]',
    ],
  ])('refuses a document %s', (_, bytes, expected) => expect(complaint(bytes)).toBe(expected));

  it('accepts RSA-SHA256 where the settings allow it', () => {
    const signatureMethods = ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'];
    expect(complaint(sign({ algorithm: 'sha256' }), { signatureMethods })).toBeNull();
  });
});

describe('the certificate and what XAdES says about it', () => {
  it.each([
    ['serial number', { serialNumber: '1' }, XADES],
    ['digest', { certificateDigest: Buffer.alloc(20).toString('base64') }, XADES],
    ['issuer in the order of the certificate', { issuerName: 'C=EC,O=AUTORIDAD\\, DE PRUEBA,CN=CA DE PRUEBA' }, XADES],
    [
      'a keyword that Java does not know',
      { issuerName: identity.issuerName.replace('2.5.4.97', 'organizationIdentifier') },
      XADES,
    ],
    ['a future signing time', { signingTime: '2026-08-25T15:00:01-05:00' }, FUTURE],
    ['UTC digits with the offset of Ecuador', { signingTime: '2026-08-25T20:00:00-05:00' }, FUTURE],
    [
      'text instead of a certificate',
      { certificate: 'no-certificate' },
      '40 No se pudo convertir el contenido en un certificado X509',
    ],
  ])('refuses %s', (_, options, expected) => expect(complaint(sign(options))).toBe(expected));

  it.each([
    ['spaces after commas', identity.issuerName.replaceAll(',', ', ').replace('\\, ', '\\,')],
    ['lower case', identity.issuerName.replace('CA DE PRUEBA', 'ca de prueba')],
    ['quoted value', identity.issuerName.replace('AUTORIDAD\\, DE PRUEBA', '"AUTORIDAD, DE PRUEBA"')],
  ])('accepts an issuer name with %s', (_, issuerName) => expect(complaint(sign({ issuerName }))).toBeNull());

  it('accepts a signing time without offset, as Guayaquil time', () => {
    expect(complaint(sign({ signingTime: '2026-08-25T15:00:00' }))).toBeNull();
    expect(complaint(sign({ signingTime: '2026-08-25T15:00:01' }))).toBe(FUTURE);
  });

  it.each([
    ['of another RUC', makeIdentity({ ruc: '1790099999001' }), NO_RUC],
    ['without RUC', makeIdentity({ ruc: null }), NO_RUC],
    ['of a company for its legal representative', makeIdentity({ ruc: '1790099999001', cedula: '1790012345' }), NO_RUC],
    ['for encryption', makeIdentity({ digitalSignature: false }), WRONG_USE],
    ['that expired', makeIdentity({ validTo: new Date('2026-08-25T19:59:59Z') }), '42 El certificado está caducado'],
    [
      'that is not valid yet',
      makeIdentity({ validFrom: new Date('2026-08-25T20:00:01Z') }),
      '42 El certificado aún no es válido',
    ],
    ['with a short key', makeIdentity({ bits: 1024 }), '40 La clave no es RSA de 2048 bits'],
  ])('refuses a certificate %s', (_, signer, expected) => expect(complaint(sign({}, signer))).toBe(expected));

  it('accepts the cédula of a natural person whose RUC starts with it', () => {
    for (const ruc of [null, '1790012345002']) expect(complaint(sign({}, makeIdentity({ ruc, cedula: '1790012345' })))).toBeNull();
  });

  it('refuses a revoked certificate', () => {
    const { fingerprint256 } = new X509Certificate(identity.der);
    const revokedCertificates = [fingerprint256.replaceAll(':', '').toLowerCase()];
    expect(complaint(sign(), { revokedCertificates })).toBe('42 El certificado está revocado');
  });
});
