import { jest } from '@jest/globals';
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as der from '../../../../test/support/der-writer.js';
import { brokenRsaPair, certificate, type CertificateOptions, DEFAULT_RUC, ecPair, name, OID, pkcs12, type Pkcs12Options, PLAIN_ISSUER, rsaPair } from '../../../../test/support/pki.js';
import { inspectPkcs12 } from '../../../sri/signing/pkcs12.js';
import { HostCannotSignError, XadesSigner } from '../../../sri/signing/xades.js';
import { checkMessage, invalidCertificateReasons } from '../certificate-check-messages.js';
import { CERTIFICATE_CHECKS, CHECK_NAMES, type CheckFinding, refusedFindings, worstOutcome } from '../domain/certificate-checks.js';
import { examineCertificate, type Examination } from './examine-certificate.js';

const NOW = new Date('2026-11-21T12:00:00Z');
const PASSWORD = 'secreto';
const DAY_MS = 86_400_000;
const inDays = (days: number): Date => new Date(NOW.getTime() + days * DAY_MS);

const SECURITY_DATA = name([OID.c, der.printable('EC')], [OID.o, der.utf8('SECURITY DATA S.A. 2')], [OID.cn, der.utf8('SUBCA-2 SECURITY DATA')]);
const authority = (options: CertificateOptions = {}): Buffer =>
  certificate({ key: rsaPair('authority'), subject: SECURITY_DATA, issuer: SECURITY_DATA, ca: true, keyUsage: ['keyCertSign'], ruc: null, ...options });

const file = (certificates: readonly Buffer[], container: Partial<Pkcs12Options> = {}): Buffer =>
  pkcs12({ password: PASSWORD, keys: [{ key: rsaPair() }], certificates: certificates.map((one) => ({ der: one })), ...container });

const examine = (bytes: Buffer, ruc = DEFAULT_RUC, hostSigns = true): Promise<Examination> =>
  examineCertificate({ kind: 'opened', ...inspectPkcs12(bytes, PASSWORD, ruc, NOW) }, ruc, NOW, () => Promise.resolve(hostSigns));

/** What is not ok, as `check.reason`. */
const problems = (findings: readonly CheckFinding[]): string[] =>
  findings.filter(({ outcome }) => outcome !== 'ok').map(({ check, outcome, detail }) => `${outcome}: ${check}.${detail.reason}`);
const problemsOf = async (bytes: Buffer, ruc?: string): Promise<string[]> => problems((await examine(bytes, ruc)).findings);

const sound = (options: CertificateOptions = {}): Buffer => certificate({ issuer: SECURITY_DATA, ...options });

describe('a certificate for an issuer', () => {
  it('of a recognized body with its whole chain has nothing against it', async () => {
    const { findings, description } = await examine(file([sound(), authority()]));
    expect(findings.map(({ check }) => check)).toEqual(CHECK_NAMES);
    expect(findings).toEqual([
      { check: 'container', outcome: 'ok', detail: { reason: 'opened' } },
      { check: 'signing_certificate', outcome: 'ok', detail: { reason: 'only_pair', pairs: 1 } },
      { check: 'ruc', outcome: 'ok', detail: { reason: 'carried', ruc: DEFAULT_RUC } },
      { check: 'key_usage', outcome: 'ok', detail: { reason: 'signs', key_usage: ['digitalSignature', 'nonRepudiation'] } },
      { check: 'validity', outcome: 'ok', detail: { reason: 'in_force', valid_to: '2028-12-31T00:00:00.000Z' } },
      { check: 'key_size', outcome: 'ok', detail: { reason: 'strong', type: 'rsa', bits: 2048 } },
      { check: 'chain', outcome: 'ok', detail: { reason: 'complete', authorities: 1 } },
      { check: 'issuing_body', outcome: 'ok', detail: { reason: 'recognized', body: 'Security Data' } },
      { check: 'test_signature', outcome: 'ok', detail: { reason: 'verified' } },
    ]);
    expect([worstOutcome(findings), description.serialNumber]).toEqual(['ok', '251603841751']);
  });

  const key = rsaPair('weak', 1024);
  const self = name([OID.cn, der.utf8('YO MISMO')]);
  it.each<[string, Buffer, string[]]>([
    ['the chain is not in the file', file([sound()]), ['warning: chain.incomplete']],
    ['nobody knows the body', file([certificate(), authority({ subject: PLAIN_ISSUER, issuer: PLAIN_ISSUER })]), ['warning: issuing_body.unknown_body']],
    ['an authority signed with another key', file([sound({ issuerKey: rsaPair('forger') }), authority()]), ['failed: chain.chain_broken']],
    ['the authority is expired', file([sound(), authority({ validTo: inDays(-1) })]), ['warning: chain.authority_expired']],
    ['it is of another taxpayer', file([sound({ ruc: '0990012345001' }), authority()]), ['failed: ruc.ruc_mismatch']],
    ['it carries no RUC', file([sound({ ruc: null }), authority()]), ['failed: ruc.ruc_mismatch']],
    ['it is for encryption only', file([sound({ keyUsage: ['keyEncipherment'] }), authority()]), ['failed: key_usage.no_signing_key']],
    ['it is expired', file([sound({ validTo: inDays(-1) }), authority()]), ['failed: validity.expired']],
    ['it ends now', file([sound({ validTo: NOW }), authority()]), ['failed: validity.expired']],
    ['it is of tomorrow', file([sound({ validFrom: inDays(1) }), authority()]), ['failed: validity.not_yet_valid']],
    ['it ends in thirty days', file([sound({ validTo: inDays(30) }), authority()]), ['warning: validity.expiring']],
    ['its key is short', file([sound({ key }), authority()], { keys: [{ key }] }), ['failed: key_size.weak_key', 'failed: test_signature.not_tried']],
    ['its key is elliptic', file([sound({ key: ecPair() }), authority()], { keys: [{ key: ecPair() }] }), ['failed: key_size.unsupported_key', 'failed: test_signature.not_tried']],
    ['it is that of an authority', file([sound({ ca: true }), authority()]), ['failed: signing_certificate.authority_certificate']],
    ['it is its own issuer', file([certificate({ subject: self, issuer: self })]), ['failed: chain.self_signed', 'warning: issuing_body.unknown_body']],
    [
      'everything is wrong, all at once', file([certificate({ key, ruc: null, keyUsage: ['dataEncipherment'], validTo: inDays(-1), issuerKey: rsaPair('forger') }), authority({ subject: PLAIN_ISSUER })], { keys: [{ key }] }),
      ['failed: ruc.ruc_mismatch', 'failed: key_usage.no_signing_key', 'failed: validity.expired', 'failed: key_size.weak_key', 'failed: chain.chain_broken', 'warning: issuing_body.unknown_body', 'failed: test_signature.not_tried'],
    ],
  ])('tells that %s', async (_name, bytes, expected) => {
    expect(await problemsOf(bytes)).toEqual(expected);
  });

  it('may be the one of a natural person without RUC', async () => {
    expect(await problemsOf(file([sound({ ruc: null, cedula: '1710034065' }), authority()]), '1710034065001')).toEqual([]);
  });

  it('is the one that signs, out of two pairs', async () => {
    const [a, b] = [rsaPair('a'), rsaPair('b')];
    const encryption = sound({ key: a, serial: 1n, keyUsage: ['keyEncipherment'] });
    const { findings, description } = await examine(file([encryption, sound({ key: b, serial: 2n }), authority()], { keys: [{ key: a }, { key: b }] }));
    expect([problems(findings), description.serialNumber]).toEqual([[], '2']);
    expect(findings).toContainEqual({ check: 'signing_certificate', outcome: 'ok', detail: { reason: 'chosen', pairs: 2 } });
  });

  it.each([0, 1])('is the one of the issuer, out of two taxpayers\' pairs that sign: number %i in the file', async (place) => {
    const [a, b] = [rsaPair('a'), rsaPair('b')];
    // All else speaks for the other: it ends later, or is even the only one in force.
    for (const [validTo, found] of [[inDays(300), []], [inDays(-1), ['failed: validity.expired']]] as const) {
      const certificates = [sound({ key: b, serial: 2n, ruc: '0990012345001' })];
      certificates.splice(place, 0, sound({ key: a, serial: 1n, validTo }));
      const { findings, description } = await examine(file([...certificates, authority()], { keys: [{ key: a }, { key: b, friendlyName: 'Signing Key' }] }));
      expect([problems(findings), description.serialNumber]).toEqual([found, '1']);
    }
    const others = [sound({ key: a, serial: 1n, ruc: '0990012345001', validTo: inDays(300) }), sound({ key: b, serial: 2n, ruc: '0990012345001' }), authority()];
    const { findings, description } = await examine(file(others, { keys: [{ key: a }, { key: b }] }));
    expect([problems(findings), description.serialNumber]).toEqual([['failed: ruc.ruc_mismatch'], '2']);
  });

  it('is the less bad, when neither of two pairs can sign', async () => {
    const [a, b] = [rsaPair('a'), rsaPair('b')];
    const certificates = [sound({ key: a, serial: 1n, ca: true, keyUsage: ['keyCertSign'] }), sound({ key: b, serial: 2n, keyUsage: ['keyEncipherment'] }), authority()];
    const { findings, description } = await examine(file(certificates, { keys: [{ key: a }, { key: b }] }));
    expect([problems(findings), description.serialNumber]).toEqual([['failed: key_usage.no_signing_key'], '2']);
  });

  it('whose private key does not match its own public half is found out by the test signature', async () => {
    const [{ n, e }, secret] = [rsaPair().publicKey.export({ format: 'jwk' }), rsaPair('b').privateKey.export({ format: 'jwk' })];
    const mixed = createPrivateKey({ key: { ...secret, n, e }, format: 'jwk' });
    const bytes = file([sound(), authority()], { keys: [{ key: { privateKey: mixed, publicKey: rsaPair().publicKey } }] });
    expect(await problemsOf(bytes)).toEqual(['failed: test_signature.test_signature_failed']);
  });

  it.each(['prime_off_by_one', 'prime_zero', 'modulus_even'] as const)('whose key computes no signature fails its test: %s', async (flaw) => {
    const broken = brokenRsaPair(flaw);
    expect(await problemsOf(file([sound({ key: broken }), authority()], { keys: [{ key: broken }] }))).toEqual(['failed: test_signature.test_signature_failed']);
  });

  it('may be as large as its signature has room in a document, and no larger', async () => {
    const filled = (bytes: number): Buffer => file([sound({ extensions: [['1.3.6.1.4.1.99999.1', Buffer.alloc(bytes)]] }), authority()]);
    expect(await problemsOf(filled(4_000))).toEqual([]);
    expect(await problemsOf(filled(5_000))).toEqual(['failed: test_signature.signature_too_large']);
  });

  it('is not blamed for a host that makes no signatures', async () => {
    const forbidden = jest.spyOn(XadesSigner.prototype, 'sign').mockRejectedValue(new HostCannotSignError('invalid digest'));
    await expect(examine(file([sound(), authority()]), DEFAULT_RUC, false)).rejects.toThrow(HostCannotSignError);
    forbidden.mockRestore();
  });
});

describe('a file without a pair', () => {
  it.each([
    ['wrong_password', ['failed: container.wrong_password']],
    ['too_costly', ['failed: container.too_costly']],
    ['no_private_key', ['failed: signing_certificate.no_private_key']],
    ['key_mismatch', ['failed: signing_certificate.key_mismatch']],
  ])('is told to have %s', (reason, expected) => {
    expect(problems(refusedFindings(reason))).toEqual(expected);
  });
});

describe('the reasons of a refused upload', () => {
  const listed = invalidCertificateReasons();

  it('are all that the reader names, but for a file that is too large, which no reader gets', () => {
    const named = [...readFileSync('src/sri/signing/pkcs12-error.ts', 'utf8').matchAll(/\| '(\w+)'/g)].map(([, reason]) => reason);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((reason) => !listed.some((one) => one.reason === reason))).toEqual(['too_large']);
    expect(listed.map(({ reason }) => reason)).toEqual(expect.arrayContaining(['too_costly', 'ruc_mismatch', 'not_yet_valid', 'chain_broken']));
    expect(listed.map(({ reason }) => reason)).not.toContain('expired');
  });

  it('are explained with the facts that they name', () => {
    for (const { es, en } of listed) expect(es + en).not.toMatch(/undefined|null|NaN/);
  });

  it('stand in docs/errors.md, each with its words', () => {
    const page = readFileSync('docs/errors.md', 'utf8');
    for (const { reason, check, es, en } of listed) expect(page).toContain(`| \`${reason}\` | \`${check}\` | ${en} | ${es} |`);
  });
});

describe('the words of a report', () => {
  const all = CHECK_NAMES.flatMap((check) => Object.entries(CERTIFICATE_CHECKS[check]).map(([reason, outcome]): CheckFinding => ({ check, outcome, detail: { reason, valid_from: NOW.toISOString(), valid_to: NOW.toISOString() } })));

  it.each(all.map((one) => [`${one.check}.${one.detail.reason}`, one] as const))('say %s in two languages', (_name, one) => {
    const [es, en] = [checkMessage(one, 'es'), checkMessage(one, 'en')];
    expect(es).not.toBe(en);
    for (const text of [es, en]) expect(text.length).toBeGreaterThan(15);
  });

  it('name the facts', async () => {
    const { findings } = await examine(file([sound({ ruc: '0990012345001', validTo: inDays(12) })]));
    const say = (check: string, language: 'es' | 'en'): string => checkMessage(findings.find((one) => one.check === check)!, language);
    expect(say('ruc', 'es')).toBe('El certificado no es del RUC 1790012345001; lleva: 0990012345001');
    expect(say('validity', 'en')).toBe('The certificate expires on 2026-12-03 (days left: 12)');
    for (const one of findings) expect(checkMessage(one, 'es') + checkMessage(one, 'en')).not.toMatch(/undefined|null/);
    // In the evening it is the next day already in UTC.
    const evening: CheckFinding = { check: 'validity', outcome: 'failed', detail: { reason: 'expired', valid_to: '2026-11-28T02:00:00.000Z' } };
    expect(checkMessage(evening, 'en')).toBe('The certificate expired on 2026-11-27');
  });
});
