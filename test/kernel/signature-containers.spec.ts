/**
 * PKCS#12 files made by other programs: OpenSSL and Java's keytool. Each part is
 * skipped, visibly, where its program is not on PATH.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPkcs12, Pkcs12Error } from '../../src/sri/signing/pkcs12.js';
import { describeWhere } from '../support/describe-where.js';
import { certificate, pkcs12, PLAIN_ISSUER, rsaPair } from '../support/pki.js';

const NOW = new Date('2026-11-21T12:00:00Z');
const runs = (program: string, ...probe: string[]): boolean => spawnSync(program, probe).status === 0;
const hasOpenssl = runs('openssl', 'version');
const hasLegacy = hasOpenssl && runs('openssl', 'list', '-providers', '-provider', 'legacy');
const hasKeytool = runs('keytool', '-help');

const leaf = certificate();
const authority = certificate({
  key: rsaPair('authority'),
  ca: true,
  keyUsage: ['keyCertSign'],
  subject: PLAIN_ISSUER,
  ruc: null,
});

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'containers-'));
  const pem = (der: Buffer): string => new X509Certificate(der).toString();
  writeFileSync(join(folder, 'key.pem'), rsaPair().privateKey.export({ format: 'pem', type: 'pkcs8' }));
  writeFileSync(join(folder, 'leaf.pem'), pem(leaf));
  writeFileSync(join(folder, 'chain.pem'), pem(authority));
});
afterAll(() => rmSync(folder, { recursive: true }));

function openssl(password: string, ...options: string[]): Buffer {
  const out = join(folder, 'made.p12');
  const base = ['pkcs12', '-export', '-inkey', 'key.pem', '-in', 'leaf.pem', '-certfile', 'chain.pem', '-out', out];
  execFileSync('openssl', [...base, '-passout', `pass:${password}`, ...options], { cwd: folder, stdio: 'pipe' });
  return readFileSync(out);
}

function expectLeaf(bytes: Buffer, password: string): void {
  const opened = openPkcs12(bytes, password, NOW);
  expect(opened.certificateDer.equals(leaf)).toBe(true);
  const key = createPrivateKey({ key: opened.privateKeyPkcs8, format: 'der', type: 'pkcs8' });
  expect(new X509Certificate(leaf).checkPrivateKey(key)).toBe(true);
  expect(() => openPkcs12(bytes, `${password}x`, NOW)).toThrow(Pkcs12Error);
}

const PASSWORDS = ['secreto', 'contraseña ñandú', '€uro', ''];

describeWhere(hasOpenssl ? null : 'openssl is not on PATH', 'containers of OpenSSL', () => {
  it.each(PASSWORDS)('AES-256 under %j', (password) => expectLeaf(openssl(password), password));
  it.each(PASSWORDS)('3DES under %j', (password) => {
    expectLeaf(openssl(password, '-keypbe', 'PBE-SHA1-3DES', '-certpbe', 'PBE-SHA1-3DES', '-macalg', 'sha1'), password);
  });
  it('without integrity check', () => expectLeaf(openssl('secreto', '-nomac'), 'secreto'));
  it('without encryption', () => expectLeaf(openssl('secreto', '-keypbe', 'NONE', '-certpbe', 'NONE'), 'secreto'));
  it('with a friendly name and SHA-512', () =>
    expectLeaf(openssl('secreto', '-name', 'Signing Key ñ', '-macalg', 'sha512'), 'secreto'));
});

describeWhere(hasLegacy ? null : 'openssl has no legacy provider here', 'old containers of OpenSSL', () => {
  it.each(PASSWORDS)('RC2-40 and 3DES under %j', (password) => expectLeaf(openssl(password, '-legacy'), password));
});

describeWhere(hasKeytool ? null : 'keytool is not on PATH', 'containers of Java', () => {
  function keytool(...extra: string[]): Buffer {
    const source = join(folder, 'source.p12');
    const target = join(folder, 'java.p12');
    rmSync(target, { force: true });
    writeFileSync(
      source,
      pkcs12({
        password: 'secreto',
        keys: [{ key: rsaPair(), friendlyName: 'uno', localKeyId: Buffer.from([1]) }],
        certificates: [{ der: leaf, friendlyName: 'uno', localKeyId: Buffer.from([1]) }],
      }),
    );
    execFileSync(
      'keytool',
      [
        ...extra,
        '-importkeystore',
        '-noprompt',
        '-srckeystore',
        source,
        '-srcstoretype',
        'PKCS12',
        '-srcstorepass',
        'secreto',
        '-destkeystore',
        target,
        '-deststoretype',
        'PKCS12',
        '-deststorepass',
        'secreto',
      ],
      { stdio: 'pipe' },
    );
    return readFileSync(target);
  }
  it("in today's form", () => expectLeaf(keytool(), 'secreto'));
  it('in the old form', () => expectLeaf(keytool('-J-Dkeystore.pkcs12.legacy=true'), 'secreto'));
});
