import { SettingsError } from '../../config/settings.js';
import { CryptoChance } from '../adapters/crypto-chance.js';
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

  it('is a Vault whose token is there', () => {
    expect(keyWrapperOf({ ...VAULT, MASTER_KEY_VAULT_TOKEN_FILE: import.meta.filename }, new CryptoChance())).toBeDefined();
  });
});
