import { readFileSync } from 'node:fs';
import { KEY_PROBLEMS } from '../../config/key-settings.js';
import { type Settings, SettingsError } from '../../config/settings.js';
import type { Chance } from '../../shared/ports.js';
import type { KeyWrapper } from './key-wrapper.js';
import { LocalKeyring } from './local-keyring.js';
import { readMasterKeys } from './master-key.js';
import { TOKEN, VaultTransit } from './vault-transit.js';

type KeySettings = Pick<Settings, 'MASTER_KEY' | 'MASTER_KEY_FILE' | 'MASTER_KEY_VAULT_URL' | 'MASTER_KEY_VAULT_TOKEN_FILE'>;

/**
 * The keeper of the master key that the settings name: Vault, a file or the environment.
 * @throws SettingsError when none or more than one is named, or a file is not there
 */
export function keyWrapperOf(settings: KeySettings, chance: Chance): KeyWrapper {
  const { MASTER_KEY_VAULT_URL: url, MASTER_KEY_VAULT_TOKEN_FILE: tokenFile = '' } = settings;
  if (url === undefined) return new LocalKeyring(readMasterKeys(settings), chance);
  const problem = KEY_PROBLEMS.master(settings);
  if (problem !== null) throw new SettingsError(problem);
  // Read at every call: agents renew the token in its file.
  const token = (): string => readFileSync(tokenFile, 'utf8').trim();
  refuseTokenless(token);
  return new VaultTransit(url, token);
}

/** Else it would be noticed with the first document that is to be signed. */
function refuseTokenless(token: () => string): void {
  let found: string;
  try {
    found = token();
  } catch (error) {
    throw new SettingsError(`MASTER_KEY_VAULT_TOKEN_FILE: the file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`, { cause: error });
  }
  if (found === '') throw new SettingsError('MASTER_KEY_VAULT_TOKEN_FILE: the file is empty');
  if (!TOKEN.test(found)) throw new SettingsError('MASTER_KEY_VAULT_TOKEN_FILE: the file holds no token, which is one word of ASCII characters');
}
