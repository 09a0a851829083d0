import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SettingsError } from '../../config/settings.js';
import { CryptoChance } from '../adapters/crypto-chance.js';
import type { KeyWrapper } from './key-wrapper.js';
import { keyWrapperOf } from './key-wrapper-of.js';

const VAULT = { MASTER_KEY_VAULT_URL: 'https://vault:8200/v1/transit/keys/sello' };

describe('the keeper of the master key', () => {
  it('is no Vault whose token cannot be read', () => {
    const attempt = (): unknown => keyWrapperOf({ ...VAULT, MASTER_KEY_VAULT_TOKEN_FILE: '/nope' }, new CryptoChance());
    expect(attempt).toThrow(SettingsError);
    expect(attempt).toThrow('MASTER_KEY_VAULT_TOKEN_FILE: the file cannot be read (ENOENT)');
  });

  it('is no Vault whose token is not there yet', () => {
    expect(() => keyWrapperOf({ ...VAULT, MASTER_KEY_VAULT_TOKEN_FILE: '/dev/null' }, new CryptoChance())).toThrow('MASTER_KEY_VAULT_TOKEN_FILE: the file is empty');
  });

  describe('as the file of the token has it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sello-token-'));
    const file = join(folder, 'token');
    afterAll(() => rmSync(folder, { recursive: true }));
    const keeper = (url: string = VAULT.MASTER_KEY_VAULT_URL): KeyWrapper => keyWrapperOf({ MASTER_KEY_VAULT_URL: url, MASTER_KEY_VAULT_TOKEN_FILE: file }, new CryptoChance());

    it('is a Vault whose token is there', () => {
      writeFileSync(file, 's.token\n');
      expect(keeper()).toBeDefined();
    });

    it.each(['s.token\ns.other', 's.token other', 's.tóken', 's.tok\0en'])('is no Vault with the token %j, which nobody is told', async (token) => {
      writeFileSync(file, token);
      expect(() => keeper()).toThrow(new SettingsError('MASTER_KEY_VAULT_TOKEN_FILE: the file holds no token, which is one word of ASCII characters'));
      writeFileSync(file, 's.token');
      const begun = keeper();
      writeFileSync(file, token);
      await expect(begun.isCurrent('k')).rejects.toMatchObject({ name: 'KeeperAwayError', message: 'the file of the token for Vault holds none' });
    });

    it('tells of nobody at the address no more than the code of it', async () => {
      writeFileSync(file, 's.token');
      const server = createServer();
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      const { port } = server.address() as AddressInfo;
      await new Promise((closed) => server.close(closed));
      await expect(keeper(`http://127.0.0.1:${port}/v1/transit/keys/sello`).isCurrent('k')).rejects.toMatchObject({ message: 'Vault does not answer: ECONNREFUSED' });
    });
  });
});
