/** Names of the settings that say where keys are: what they hold is read later, by those who use the keys. */
type Named = Readonly<Partial<Record<'APP_ENV' | 'MASTER_KEY' | 'MASTER_KEY_FILE' | 'MASTER_KEY_VAULT_URL' | 'MASTER_KEY_VAULT_TOKEN_FILE' | 'TOKEN_KEYS' | 'TOKEN_KEYS_FILE', string | undefined>>>;

export type KeyKind = 'master' | 'token';

/** Why the settings do not say where the keys of a kind are; null where they do. */
export const KEY_PROBLEMS: Readonly<Record<KeyKind, (named: Named) => string | null>> = {
  master(named) {
    const { MASTER_KEY: inline, MASTER_KEY_FILE: file, MASTER_KEY_VAULT_URL: vault } = named;
    if (vault === undefined) return (inline === undefined) === (file === undefined) ? 'MASTER_KEY or MASTER_KEY_FILE: give exactly one of them (32 bytes in base64)' : null;
    if (inline !== undefined || file !== undefined) return 'MASTER_KEY_VAULT_URL: give it instead of MASTER_KEY and MASTER_KEY_FILE';
    return named.MASTER_KEY_VAULT_TOKEN_FILE === undefined ? 'MASTER_KEY_VAULT_TOKEN_FILE: required with MASTER_KEY_VAULT_URL' : null;
  },
  token({ APP_ENV: environment, TOKEN_KEYS: inline, TOKEN_KEYS_FILE: file }) {
    if (inline !== undefined && file !== undefined) return 'TOKEN_KEYS or TOKEN_KEYS_FILE: give one of them, not both';
    const isLocal = environment === undefined || environment === 'local';
    return inline === undefined && file === undefined && !isLocal ? 'TOKEN_KEYS or TOKEN_KEYS_FILE: set the RSA key that signs access tokens' : null;
  },
};
