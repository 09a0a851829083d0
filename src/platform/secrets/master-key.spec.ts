import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SettingsError } from '../../config/settings.js';
import { readMasterKeys } from './master-key.js';

const key = randomBytes(32);
const text = key.toString('base64');
const folder = mkdtempSync(join(tmpdir(), 'master-key-'));
const file = join(folder, 'key');

afterAll(() => rmSync(folder, { recursive: true }));

const write = (content: string, mode: number): void => {
  rmSync(file, { force: true });
  writeFileSync(file, content);
  chmodSync(file, mode);
};

describe('the master key', () => {
  // Kubernetes mounts secrets for the group of the pod: 0440.
  it.each(['600', '400', '640', '440'])('comes from the environment or from a file of mode 0%s', (mode) => {
    expect(readMasterKeys({ MASTER_KEY: text })).toEqual([key]);
    write(`${text}\n`, Number.parseInt(mode, 8));
    expect(readMasterKeys({ MASTER_KEY_FILE: file })).toEqual([key]);
  });

  it('may be followed by older ones', () => {
    const older = randomBytes(32);
    expect(readMasterKeys({ MASTER_KEY: `${text},${older.toString('base64')}` })).toEqual([key, older]);
    write(`${text}\n${older.toString('base64')}\n`, 0o600);
    expect(readMasterKeys({ MASTER_KEY_FILE: file })).toEqual([key, older]);
    expect(() => readMasterKeys({ MASTER_KEY: `${text},short` })).toThrow(SettingsError);
  });

  it('that was appended to a line of the file is refused, and the file is to have one a line', () => {
    write(`${text}${randomBytes(32).toString('base64')}`, 0o600);
    expect(() => readMasterKeys({ MASTER_KEY_FILE: file })).toThrow('MASTER_KEY_FILE: must be 32 bytes in base64, one key per line');
  });

  it.each(['604', '620', '610', '660', '644', '444'])('is not read from a file of mode 0%s', (mode) => {
    write(text, Number.parseInt(mode, 8));
    expect(() => readMasterKeys({ MASTER_KEY_FILE: file })).toThrow('MASTER_KEY_FILE: only its owner and, to read it, its group');
  });

  it('must be given exactly once', () => {
    expect(() => readMasterKeys({})).toThrow(SettingsError);
    expect(() => readMasterKeys({ MASTER_KEY: text, MASTER_KEY_FILE: file })).toThrow(SettingsError);
    expect(() => readMasterKeys({ MASTER_KEY_FILE: join(folder, 'absent') })).toThrow('does not exist');
  });

  it.each([randomBytes(31).toString('base64'), randomBytes(33).toString('base64'), key.toString('hex'), `${text}!`, 'not base64 at all', ''])(
    'is refused when it is not 32 bytes of base64, and not repeated',
    (wrong) => {
      expect(() => readMasterKeys({ MASTER_KEY: wrong })).toThrow(SettingsError);
      try {
        readMasterKeys({ MASTER_KEY: wrong });
      } catch (error) {
        if (wrong !== '') expect((error as Error).message).not.toContain(wrong);
      }
    },
  );
});
