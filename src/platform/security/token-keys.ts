import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { KEY_PROBLEMS } from '../../config/key-settings.js';
import { type Settings, SettingsError } from '../../config/settings.js';
import { readPrivateFile } from '../secrets/private-file.js';

interface Held {
  readonly signingKeyId: string;
  readonly signingKey: string;
  readonly verifying: ReadonlyMap<string, string>;
}

/** The keys of access tokens: one signs, all of them verify, each known by its key id. */
export class TokenKeys {
  private held: Held | null = null;

  /** @param make the keys, newest first, asked for once, when the first token is signed or read; the first must be private */
  constructor(private readonly make: () => readonly KeyObject[]) {}

  get signingKeyId(): string {
    return this.keys().signingKeyId;
  }

  /** PEM. */
  get signingKey(): string {
    return this.keys().signingKey;
  }

  /** The public key (PEM) that a key id names, or null: only keys of this list exist. */
  verifyingKey(keyId: unknown): string | null {
    return typeof keyId === 'string' ? (this.keys().verifying.get(keyId) ?? null) : null;
  }

  private keys(): Held {
    this.held ??= hold(this.make());
    return this.held;
  }
}

function hold(keys: readonly KeyObject[]): Held {
  const [newest] = keys;
  if (newest?.type !== 'private') throw new SettingsError('TOKEN_KEYS: the first key signs, so it must be a private one');
  return {
    signingKey: newest.export({ type: 'pkcs8', format: 'pem' }).toString(),
    signingKeyId: keyIdOf(newest),
    verifying: new Map(keys.map((key) => [keyIdOf(key), publicPem(key)])),
  };
}

const LEAST_BITS = 2048;
const PEM_BLOCK = /-----BEGIN ([A-Z ]+)-----[A-Za-z0-9+/=\s]+-----END \1-----/g;

/**
 * The keys out of their file or the environment. A local process without either makes one for itself: its tokens end
 * with it.
 * @throws SettingsError when they are absent, unreadable, weak, or open to others; never repeats them
 */
export function readTokenKeys(settings: Pick<Settings, 'APP_ENV' | 'TOKEN_KEYS' | 'TOKEN_KEYS_FILE'>): TokenKeys {
  const { TOKEN_KEYS: inline, TOKEN_KEYS_FILE: file } = settings;
  const problem = KEY_PROBLEMS.token(settings);
  if (problem !== null) throw new SettingsError(problem);
  if (file !== undefined) return parseKeys(readPrivateFile('TOKEN_KEYS_FILE', file), 'TOKEN_KEYS_FILE');
  if (inline !== undefined) return parseKeys(inline, 'TOKEN_KEYS');
  // Made when somebody signs in: most local processes never need it.
  return new TokenKeys(() => [generateKeyPairSync('rsa', { modulusLength: LEAST_BITS }).privateKey]);
}

function parseKeys(text: string, setting: string): TokenKeys {
  // One line in an environment file: line ends may be written as \n.
  const blocks = text.replaceAll('\\n', '\n').match(PEM_BLOCK) ?? [];
  if (blocks.length === 0) throw new SettingsError(`${setting}: holds no PEM key`);
  const keys = blocks.map((block) => parseKey(block, setting));
  // A process that could sign nothing does not start.
  hold(keys);
  return new TokenKeys(() => keys);
}

function parseKey(pem: string, setting: string): KeyObject {
  let key: KeyObject;
  try {
    key = pem.includes('PRIVATE KEY') ? createPrivateKey(pem) : createPublicKey(pem);
  } catch {
    throw new SettingsError(`${setting}: holds a key that cannot be read`);
  }
  if (key.asymmetricKeyType !== 'rsa' || (key.asymmetricKeyDetails?.modulusLength ?? 0) < LEAST_BITS) {
    throw new SettingsError(`${setting}: keys must be RSA of at least ${LEAST_BITS} bits`);
  }
  return key;
}

const publicOf = (key: KeyObject): KeyObject => (key.type === 'private' ? createPublicKey(key) : key);

const publicPem = (key: KeyObject): string => publicOf(key).export({ type: 'spki', format: 'pem' }).toString();

/** The thumbprint of the public key (RFC 7638): the same in every process, without a name to keep. */
function keyIdOf(key: KeyObject): string {
  const { e, kty, n } = publicOf(key).export({ format: 'jwk' });
  return createHash('sha256').update(JSON.stringify({ e, kty, n })).digest('base64url');
}
