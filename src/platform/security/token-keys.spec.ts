import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTokenKeys } from './token-keys.js';

const pem = (key: KeyObject): string => key.export({ type: key.type === 'public' ? 'spki' : 'pkcs8', format: 'pem' }).toString();
const rsa = (bits = 2048): KeyObject => generateKeyPairSync('rsa', { modulusLength: bits }).privateKey;
const newest = rsa();
const older = rsa();
const LOCAL = { APP_ENV: 'local', TOKEN_KEYS: undefined, TOKEN_KEYS_FILE: undefined } as const;
const given = (text: string) => readTokenKeys({ ...LOCAL, APP_ENV: 'production', TOKEN_KEYS: text });

describe('keys of access tokens', () => {
  it('sign with the first and verify with all, under ids that every process gives them', () => {
    const keys = given(pem(newest) + pem(createPublicKey(older)));
    const rotated = given(pem(older));
    expect(keys.signingKey).toBe(pem(newest));
    expect(keys.verifyingKey(rotated.signingKeyId)).toBe(pem(createPublicKey(older)));
    expect(given(pem(newest).replaceAll('\n', '\\n')).signingKeyId).toBe(keys.signingKeyId);
    for (const unknown of ['', '../../etc/passwd', "' or 1=1 --", '__proto__', undefined, null, 7]) expect(keys.verifyingKey(unknown)).toBeNull();
  });

  it('are made for a local process that has none, and for no other', () => {
    expect(readTokenKeys(LOCAL).signingKeyId).not.toBe(readTokenKeys(LOCAL).signingKeyId);
    for (const APP_ENV of ['sandbox', 'production'] as const) expect(() => readTokenKeys({ ...LOCAL, APP_ENV })).toThrow(/TOKEN_KEYS/);
  });

  it.each([
    ['none', 'nothing', /no PEM key/],
    ['a public key first', pem(createPublicKey(newest)), /must be a private one/],
    ['a short key', pem(rsa(1024)), /at least 2048/],
    ['another kind of key', pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey), /must be RSA/],
    ['a damaged key', pem(newest).replace(/[A-Za-z0-9]{40}\n/, '\n'), /cannot be read/],
  ])('refuse %s', (_what, text, message) => {
    expect(() => given(text)).toThrow(message);
  });

  it('come out of a file that its owner and its group alone may read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'token-keys-'));
    const file = join(folder, 'keys');
    writeFileSync(file, pem(newest), { mode: 0o600 });
    expect(readTokenKeys({ ...LOCAL, TOKEN_KEYS_FILE: file }).signingKey).toBe(pem(newest));
    chmodSync(file, 0o440);
    expect(readTokenKeys({ ...LOCAL, TOKEN_KEYS_FILE: file }).signingKey).toBe(pem(newest));
    for (const mode of [0o460, 0o444]) {
      chmodSync(file, mode);
      expect(() => readTokenKeys({ ...LOCAL, TOKEN_KEYS_FILE: file })).toThrow(/TOKEN_KEYS_FILE: .*0600/);
    }
    expect(() => readTokenKeys({ ...LOCAL, TOKEN_KEYS_FILE: join(folder, 'none') })).toThrow(/does not exist/);
    expect(() => readTokenKeys({ ...LOCAL, TOKEN_KEYS_FILE: file, TOKEN_KEYS: pem(newest) })).toThrow(/not both/);
    rmSync(folder, { recursive: true });
  });
});
