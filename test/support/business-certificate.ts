import { randomBytes } from 'node:crypto';
import * as der from './der-writer.js';
import { certificate, type KeyPair, name, OID, pkcs12, rsaPair } from './pki.js';

const DAY_MS = 86_400_000;
/** Neighbours sign with different keys. */
const KEYS = 5;
let made = 0;

export const BUSINESS_PASSWORD = 'secreto';

/** A certificate that serves a taxpayer, its key, and the authority's: with fields as accredited bodies write them, made within milliseconds. */
export function keyAndCertificate(ruc: string): { readonly key: KeyPair; readonly leaf: Buffer; readonly root: Buffer } {
  const [authority, key] = [rsaPair('authority'), rsaPair(`business ${made++ % KEYS}`)];
  const issuer = name(
    [OID.c, der.printable('EC')],
    [OID.o, der.utf8('AUTORIDAD DE CERTIFICACIÓN FICTICIA S.A.')],
    [OID.cn, der.utf8('CA DE PRUEBAS')],
    [OID.organizationIdentifier, der.utf8('VATEC-1790012345001')],
  );
  const subject = name(
    [OID.c, der.printable('EC')],
    [OID.o, der.utf8('Comercial')],
    [OID.cn, der.utf8('PERSONA DE PRUEBAS')],
    [OID.serialNumber, der.printable(ruc)],
  );
  const common = { issuerKey: authority, issuer, validFrom: new Date(Date.now() - DAY_MS), validTo: new Date(Date.now() + 730 * DAY_MS) };
  const root = certificate({ ...common, key: authority, subject: issuer, serial: serial(), keyUsage: ['keyCertSign', 'cRLSign'], ca: true, ruc: null });
  const cedula = Number(ruc.charAt(2)) < 6 ? ruc.slice(0, 10) : '1710034065';
  return { key, leaf: certificate({ ...common, key, subject, serial: serial(), ruc, cedula }), root };
}

/** The same as a .p12 file. */
export function businessCertificate(ruc: string, password = BUSINESS_PASSWORD): Buffer {
  const { key, leaf, root } = keyAndCertificate(ruc);
  const localKeyId = Buffer.from([1]);
  return pkcs12({
    password,
    keys: [{ key, friendlyName: 'Signing Key', localKeyId }],
    certificates: [{ der: leaf, friendlyName: 'Signing Key', localKeyId }, { der: root }],
    iterations: 10_000,
    macIterations: 64,
  });
}

const serial = (): bigint => BigInt(`0x40${randomBytes(11).toString('hex')}`);
