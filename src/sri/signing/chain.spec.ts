import * as der from '../../../test/support/der-writer.js';
import { certificate, type CertificateOptions, ecPair, name, OID, PLAIN_ISSUER, rsaPair } from '../../../test/support/pki.js';
import { CertificateError } from './certificate.js';
import { type CertificateChain, followChain } from './chain.js';

const called = (text: string): Buffer => name([OID.c, der.printable('EC')], [OID.cn, der.utf8(text)]);
const ROOT = called('RAIZ');
const authority = (options: CertificateOptions): Buffer => certificate({ ca: true, keyUsage: ['keyCertSign'], ruc: null, ...options });

/** leaf <- PLAIN_ISSUER ("authority") <- ROOT ("root") */
const leaf = certificate();
const middle = authority({ key: rsaPair('authority'), subject: PLAIN_ISSUER, issuer: ROOT, issuerKey: rsaPair('root'), validTo: new Date('2027-05-01T00:00:00Z') });
const root = authority({ key: rsaPair('root'), subject: ROOT, issuer: ROOT, issuerKey: rsaPair('root') });

const ends = (...others: Buffer[]): [CertificateChain['end'], number] => {
  const { end, authorities } = followChain(leaf, others);
  return [end, authorities];
};

describe('the chain of a container', () => {
  it('leads to a root, in whatever order the file has it', () => {
    const whole: CertificateChain = {
      end: 'root',
      authorities: 2,
      issuerNames: ['CN=CA FICTICIA,O=AUTORIDAD FICTICIA S.A.,C=EC', 'CN=RAIZ,C=EC', 'CN=RAIZ,C=EC'],
      authoritiesValidTo: new Date('2027-05-01T00:00:00Z'),
    };
    expect(followChain(leaf, [leaf, middle, root])).toEqual(whole);
    expect(followChain(leaf, [root, middle, leaf])).toEqual(whole);
  });

  it('ends where an issuer is missing', () => {
    expect(followChain(leaf, [leaf])).toEqual({ end: 'missing_issuer', authorities: 0, issuerNames: ['CN=CA FICTICIA,O=AUTORIDAD FICTICIA S.A.,C=EC'], authoritiesValidTo: null });
    expect(ends(leaf, root)).toEqual(['missing_issuer', 0]);
    expect(ends(leaf, middle)).toEqual(['missing_issuer', 1]);
  });

  it.each([
    ['the certificate', [authority({ key: rsaPair('another'), subject: PLAIN_ISSUER, issuer: ROOT, issuerKey: rsaPair('root') }), root], 0],
    ['an authority', [authority({ key: rsaPair('authority'), subject: PLAIN_ISSUER, issuer: ROOT, issuerKey: rsaPair('another') }), root], 1],
    ['the root itself', [middle, authority({ key: rsaPair('root'), subject: ROOT, issuer: ROOT, issuerKey: rsaPair('another') })], 2],
  ])('tells that the signature of %s is not of the issuer that it names', (_name, others, authorities) => {
    expect(ends(...others)).toEqual(['broken_signature', authorities]);
  });

  it('takes, of an authority that renewed its key, the certificate that signed', () => {
    const renewed = authority({ key: rsaPair('another'), subject: PLAIN_ISSUER, issuer: ROOT, issuerKey: rsaPair('root') });
    expect(ends(renewed, middle, root)).toEqual(['root', 2]);
  });

  it('does not blame an authority of the same name whose key identifier is another', () => {
    const identifiers = (own: string, issuers: string): CertificateOptions['extensions'] => [
      ['2.5.29.14', der.octets(Buffer.from(own))],
      ['2.5.29.35', der.sequence(der.tlv(0x80, Buffer.from(issuers)))],
    ];
    const marked = certificate({ extensions: identifiers('leaf', 'old key') });
    const renewed = authority({ key: rsaPair('another'), subject: PLAIN_ISSUER, issuer: ROOT, issuerKey: rsaPair('root'), extensions: identifiers('new key', 'root') });
    expect(followChain(marked, [renewed, root])).toMatchObject({ end: 'missing_issuer', authorities: 0 });
  });

  it('passes over what is no authority, or no certificate at all', () => {
    const pretender = certificate({ key: rsaPair('authority'), subject: PLAIN_ISSUER, issuer: PLAIN_ISSUER, keyUsage: ['digitalSignature', 'keyCertSign'] });
    expect(ends(pretender, Buffer.from('nonsense'), Buffer.alloc(0))).toEqual(['missing_issuer', 0]);
  });

  it('does not go in circles, nor on for ever', () => {
    const [a, b] = [rsaPair('authority'), rsaPair('root')];
    const up = authority({ key: a, subject: PLAIN_ISSUER, issuer: ROOT, issuerKey: b });
    const down = authority({ key: b, subject: ROOT, issuer: PLAIN_ISSUER, issuerKey: a });
    expect(ends(up, down)).toEqual(['missing_issuer', 2]);
    const level = (number: number): Buffer => (number === 0 ? PLAIN_ISSUER : called(`NIVEL ${number}`));
    const ladder = Array.from({ length: 20 }, (_, number) => authority({ key: a, subject: level(number), issuer: level(number + 1), issuerKey: a }));
    expect(ends(...ladder)).toEqual(['missing_issuer', 8]);
  });

  it('knows a certificate that nobody issued', () => {
    expect(followChain(certificate({ subject: PLAIN_ISSUER }), [])).toMatchObject({ end: 'self_issued' });
  });

  it('reads authorities with keys of other kinds', () => {
    const signedByEc = certificate({ issuerKey: ecPair() });
    const ec = authority({ key: ecPair(), issuerKey: ecPair(), subject: PLAIN_ISSUER });
    expect(followChain(signedByEc, [ec])).toMatchObject({ end: 'root', authorities: 1 });
  });

  it('wants a certificate to start from', () => {
    expect(() => followChain(Buffer.from('nonsense'), [])).toThrow(CertificateError);
  });
});
