import * as der from '../../test/support/der-writer.js';
import { certificate, name, OID, pkcs12, PLAIN_ISSUER, rsaPair, type CertificateOptions, type RelativeName } from '../../test/support/pki.js';
import { ISSUER_RUC } from './invoices.js';
import type { Container } from './peer.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const PASSWORD = 'peers';
/** One of the two names by which one package knows files; the others do not read it. */
const FRIENDLY_NAME = 'SECURITY DATA S.A.';
/** OpenSSL's, which the authorities' files have too. */
const ITERATIONS = 2_048;

export type Layout = 'one pair' | 'encryption pair first';

/** A file such as the authorities hand out: certificate, its authority's, 3DES. */
export function containerOf(options: CertificateOptions = {}, layout: Layout = 'one pair'): Container {
  const validity = { validFrom: new Date(Date.now() - DAY_MS), validTo: new Date(Date.now() + 365 * DAY_MS) };
  const common = { ...validity, ruc: ISSUER_RUC, ...options };
  const leaf = certificate(common);
  const authorityName = options.issuer ?? PLAIN_ISSUER;
  const authority = certificate({
    ...validity,
    key: rsaPair('authority'),
    ca: true,
    ruc: null,
    keyUsage: ['keyCertSign', 'cRLSign'],
    subject: authorityName,
    issuer: authorityName,
  });
  const bag = (id: number, friendlyName: string) => ({ friendlyName, localKeyId: Buffer.from([id]) });
  const signing = { key: { ...bag(1, 'Signing Key'), key: options.key ?? rsaPair() }, certificate: { ...bag(1, FRIENDLY_NAME), der: leaf } };
  const encryption = {
    key: { ...bag(2, 'Encryption Key'), key: rsaPair('encryption') },
    certificate: { ...bag(2, FRIENDLY_NAME), der: certificate({ ...common, key: rsaPair('encryption'), serial: 4711n, keyUsage: ['keyEncipherment'] }) },
  };
  const pairs = layout === 'one pair' ? [signing] : [encryption, signing];
  const file = pkcs12({
    password: PASSWORD,
    keys: pairs.map(({ key }) => key),
    certificates: [...pairs.map((pair) => pair.certificate), { friendlyName: FRIENDLY_NAME, der: authority }],
    keyEncryption: '3des',
    certificateEncryption: '3des',
    mac: 'sha1',
    iterations: ITERATIONS,
  });
  return { pkcs12: file, password: PASSWORD };
}

const issuer = (...attributes: readonly RelativeName[]): CertificateOptions => ({ issuer: name([OID.c, der.printable('EC')], ...attributes) });

/** Certificates and files on which signers stumble. */
export const AWKWARD_CONTAINERS: readonly (readonly [label: string, make: () => Container])[] = [
  ['issuer with &', () => containerOf(issuer([OID.o, der.utf8('FIRMAS & SELLOS S.A.')]))],
  ['issuer with comma and quotes', () => containerOf(issuer([OID.o, der.utf8('CERTIFICACIÓN "ÑANDÚ", S.A.')]))],
  ['issuer with +, several in one', () => containerOf(issuer([[OID.o, der.utf8('A + B')], [OID.cn, der.utf8('C')]]))],
  ["issuer with $' and $&", () => containerOf(issuer([OID.o, der.utf8("FIRMAS $' $& S.A.")]))],
  ['issuer with e-mail', () => containerOf(issuer([OID.email, der.ia5('ca@example.ec')], [OID.cn, der.utf8('CA')]))],
  ['issuer with organizationIdentifier', () => containerOf(issuer([OID.organizationIdentifier, der.utf8('VATEC-1790012345001')]))],
  ['issuer in BMP strings', () => containerOf(issuer([OID.cn, der.bmp('Ñandú')]))],
  ['serial number of 20 bytes', () => containerOf({ serial: 2n ** 158n + 12_345n })],
  ['file with an encryption pair first', () => containerOf({}, 'encryption pair first')],
];
