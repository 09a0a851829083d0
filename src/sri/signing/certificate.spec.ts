import * as der from '../../../test/support/der-writer.js';
import {
  certificate,
  DEFAULT_RUC,
  name,
  OID,
  PLAIN_ISSUER,
  rsaPair,
  type CertificateOptions,
} from '../../../test/support/pki.js';
import { certificateCarriesRuc, CertificateError, describeCertificate } from './certificate.js';

const describeOne = (options: CertificateOptions): ReturnType<typeof describeCertificate> =>
  describeCertificate(certificate(options));
const subject = (type: string, value: Buffer): Buffer => name([OID.c, der.printable('EC')], [type, value]);

describe('what a certificate says', () => {
  it('names, serial, dates, usage and key', () => {
    const bytes = certificate({ serial: 2n ** 159n - 5n, subject: subject(OID.cn, der.utf8('MARÍA & HIJOS, S.A.')) });
    expect(describeCertificate(bytes)).toMatchObject({
      subject: 'CN=MARÍA & HIJOS, S.A., C=EC',
      issuerName: 'CN=CA FICTICIA,O=AUTORIDAD FICTICIA S.A.,C=EC',
      serialNumber: (2n ** 159n - 5n).toString(),
      validFrom: new Date('2026-01-01T00:00:00Z'),
      validTo: new Date('2028-12-31T00:00:00Z'),
      keyUsage: ['digitalSignature', 'nonRepudiation'],
      isCa: false,
      isSelfIssued: false,
      publicKeyType: 'rsa',
      publicKeyBits: 2048,
    });
    expect(describeCertificate(bytes).fingerprintSha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('a 20-byte serial number and one whose first bit is set by mistake', () => {
    expect(describeOne({ serial: Buffer.from('7f'.repeat(20), 'hex') }).serialNumber).toBe(
      BigInt(`0x${'7f'.repeat(20)}`).toString(),
    );
    expect(describeOne({ serial: Buffer.from('00ff', 'hex') }).serialNumber).toBe('255');
  });

  it('a name of any length: those of new files are bounded where they are opened, and what was accepted goes on signing', () => {
    expect(describeOne({ subject: name([OID.cn, der.utf8('Ñ'.repeat(5_000))]) }).subject).toHaveLength('CN='.length + 5_000);
  });

  it('an authority, and a certificate without key usage', () => {
    expect(describeOne({ ca: true, keyUsage: ['keyCertSign'] })).toMatchObject({
      isCa: true,
      keyUsage: ['keyCertSign'],
    });
    expect(describeOne({ keyUsage: null }).keyUsage).toEqual([]);
  });

  it('dates after 2050', () => {
    expect(describeOne({ validTo: new Date('2061-05-04T03:02:01Z') }).validTo).toEqual(
      new Date('2061-05-04T03:02:01Z'),
    );
  });

  it('self-issued', () => {
    expect(describeOne({ subject: PLAIN_ISSUER }).isSelfIssued).toBe(true);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('hola')],
    ['a cut one', certificate().subarray(0, 300)],
    ['an empty sequence', der.sequence()],
  ])('refuses %s', (_name, bytes) => {
    expect(() => describeCertificate(bytes)).toThrow(CertificateError);
  });
});

describe('the RUC', () => {
  const ARCS = ['37746', '37947', '37442', '47286.102', '34380', '59382', '61305', '43745'];

  it.each(ARCS)('in the extension of the arc %s', (arc) => {
    const id = `1.3.6.1.4.1.${arc}.3.11`;
    expect(describeOne({ ruc: null, extensions: [[id, der.utf8(DEFAULT_RUC)]] }).rucs).toEqual([DEFAULT_RUC]);
  });

  it.each([
    ['UTF8String', der.utf8(DEFAULT_RUC)],
    ['PrintableString', der.printable(DEFAULT_RUC)],
    ['IA5String', der.ia5(DEFAULT_RUC)],
    ['BMPString', der.bmp(DEFAULT_RUC)],
    ['double wrapped', der.octets(der.utf8(DEFAULT_RUC))],
    ['bare digits', Buffer.from(DEFAULT_RUC)],
    ['with text around', der.utf8(`RUC: ${DEFAULT_RUC}.`)],
  ])('as %s', (_form, content) => {
    expect(describeOne({ ruc: null, extensions: [[OID.ruc, content]] }).rucs).toEqual([DEFAULT_RUC]);
  });

  it.each([
    ['empty', Buffer.alloc(0)],
    ['an empty string', der.utf8('')],
    ['binary', Buffer.from('3003020101', 'hex')],
    ['14 digits', der.utf8('17900123450011')],
  ])('not when it is %s', (_form, content) => {
    expect(describeOne({ ruc: null, extensions: [[OID.ruc, content]] }).rucs).toEqual([]);
  });

  it.each([OID.ruc, OID.cedula, '1.3.6.1.4.1.18332.19.2'])('in no extension that is wrapped more often than real ones: %s', (id) => {
    const wrapped = (times: number): Buffer => Array.from({ length: times }).reduce<Buffer>((bytes) => der.octets(bytes), der.utf8(DEFAULT_RUC));
    expect(() => describeOne({ ruc: null, extensions: [[id, wrapped(4)]] })).not.toThrow();
    for (const times of [5, 12_500]) expect(() => describeOne({ ruc: null, extensions: [[id, wrapped(times)]] })).toThrow(CertificateError);
  });

  it.each([
    [OID.organizationIdentifier, `VATEC-${DEFAULT_RUC}`],
    [OID.organizationIdentifier, `TINEC-${DEFAULT_RUC}`],
    [OID.serialNumber, DEFAULT_RUC],
  ])('in the subject attribute %s as %s', (type, text) => {
    expect(describeOne({ ruc: null, subject: subject(type, der.utf8(text)) }).rucs).toEqual([DEFAULT_RUC]);
  });

  it('of the old ANF extension, only with 13 digits', () => {
    const old = '1.3.6.1.4.1.18332.19.2';
    expect(describeOne({ ruc: null, extensions: [[old, der.utf8(DEFAULT_RUC)]] }).rucs).toEqual([DEFAULT_RUC]);
    expect(describeOne({ ruc: null, extensions: [[old, der.utf8('1710034065')]] }).rucs).toEqual([]);
  });

  it('not from a subject identifier of another country', () => {
    expect(
      describeOne({ ruc: null, subject: subject(OID.organizationIdentifier, der.utf8(`VATES-${DEFAULT_RUC}`)) }).rucs,
    ).toEqual([]);
  });

  it('the identity card, from .3.1 or IDCEC-', () => {
    expect(describeOne({ cedula: '1710034065' }).cedula).toBe('1710034065');
    expect(describeOne({ subject: subject(OID.serialNumber, der.printable('IDCEC-1710034065')) }).cedula).toBe(
      '1710034065',
    );
    expect(describeOne({}).cedula).toBeNull();
  });
});

describe('whether a certificate may sign for a RUC', () => {
  it('when it names the RUC', () => {
    expect(certificateCarriesRuc(describeOne({}), DEFAULT_RUC)).toBe(true);
    expect(certificateCarriesRuc(describeOne({}), '1790012345002')).toBe(false);
    expect(certificateCarriesRuc(describeOne({ ruc: '0990012345001' }), DEFAULT_RUC)).toBe(false);
    expect(certificateCarriesRuc(describeOne({ ruc: null }), DEFAULT_RUC)).toBe(false);
  });

  it('when it is the natural person whose card starts the RUC', () => {
    const person = describeOne({ ruc: null, cedula: '1710034065', key: rsaPair() });
    expect(certificateCarriesRuc(person, '1710034065001')).toBe(true);
    expect(certificateCarriesRuc(person, '1710034073001')).toBe(false);
    expect(certificateCarriesRuc(person, '1710034065')).toBe(false);
  });

  it("not for the legal representative when the certificate is the company's", () => {
    const company = describeOne({ cedula: '1710034065' });
    expect(certificateCarriesRuc(company, DEFAULT_RUC)).toBe(true);
    expect(certificateCarriesRuc(company, '1710034065001')).toBe(false);
  });
});
