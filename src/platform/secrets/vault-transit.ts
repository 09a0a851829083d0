import { fetch, type RequestInit } from 'undici';
import { z } from 'zod';
import { boundedText } from '../egress/bounded-text.js';
import { KeeperAwayError, KeeperSilentError, KeyUnavailableError, type KeyWrapper, type WrappedKey } from './key-wrapper.js';

const TIMEOUT_MS = 5_000;
/** Secrets are small, and so is what Vault says of its keys: a line for each version. */
const MAX_ANSWER_BYTES = 1_048_576;
/** Vault's ciphertexts begin with the version of the key, e.g. vault:v3: */
const CIPHERTEXT = /^vault:v(\d+):/;
/** What the transit engine says of a ciphertext that was altered, sealed for another record, or sealed under another key of this name. */
const NOT_OPENED = /message authentication failed|unable to decrypt|could not decode/;

/** What a token is made of: with anything else in it fetch refuses the header, and says it aloud. */
export const TOKEN = /^[\x21-\x7e]+$/;

const Encrypted = z.object({ data: z.object({ ciphertext: z.string().regex(CIPHERTEXT) }) });
const Decrypted = z.object({ data: z.object({ plaintext: z.base64() }) });
const KeyState = z.object({ data: z.object({ latest_version: z.number().int().positive() }) });

/**
 * The master key kept by HashiCorp Vault or OpenBao (transit secrets engine, key type aes256-gcm96): it never enters this
 * process. Vault rotates it by versions; `isCurrent` compares with the latest one. A key that Vault recreated has the name and the
 * versions of the former one, so what does not unwrap may be Vault's fault and is always left for later.
 */
export class VaultTransit implements KeyWrapper {
  private readonly mount: string;
  private readonly name: string;

  /** @param keyUrl address of the key, e.g. https://vault:8200/v1/transit/keys/sello */
  constructor(
    keyUrl: string,
    private readonly token: () => string,
  ) {
    const parts = /^(.*)\/keys\/([^/]+)$/.exec(keyUrl);
    if (!parts?.[1] || !parts[2]) throw new TypeError('the address of a transit key ends in /keys/NAME');
    [, this.mount, this.name] = parts as unknown as [string, string, string];
  }

  async wrap(dataKey: Buffer, context: Buffer): Promise<WrappedKey> {
    const { data } = understood(Encrypted, 
      await this.call('POST', `encrypt/${this.name}`, { plaintext: dataKey.toString('base64'), associated_data: context.toString('base64') }),
    );
    return { keyId: this.idOf(data.ciphertext), bytes: Buffer.from(data.ciphertext, 'utf8') };
  }

  async unwrap({ keyId, bytes }: WrappedKey, context: Buffer): Promise<Buffer> {
    const ciphertext = bytes.toString('utf8');
    if (!CIPHERTEXT.test(ciphertext) || this.idOf(ciphertext) !== keyId) {
      throw new KeyUnavailableError(`the secret was sealed under ${keyId}, not under Vault's key ${this.name}`);
    }
    const { data } = understood(Decrypted, await this.call('POST', `decrypt/${this.name}`, { ciphertext, associated_data: context.toString('base64') }));
    return Buffer.from(data.plaintext, 'base64');
  }

  async isCurrent(keyId: string): Promise<boolean> {
    const { data } = understood(KeyState, await this.call('GET', `keys/${this.name}`));
    return keyId === `vault:${this.name}:v${data.latest_version}`;
  }

  mayOpen(keyId: string): boolean {
    return keyId.startsWith(`vault:${this.name}:`);
  }

  private idOf(ciphertext: string): string {
    return `vault:${this.name}:v${CIPHERTEXT.exec(ciphertext)?.[1] ?? ''}`;
  }

  private async call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> {
    const token = this.readToken();
    const { status, text } = await this.ask(path, {
      method,
      headers: { 'X-Vault-Token': token, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (status >= 200 && status < 300) return parsed(text);
    // Never for good: a Vault that was set up anew, or restored, says the same of every secret. A key that is gone, and a version
    // that is retired or still to come, are 400 too.
    if (status === 400 && NOT_OPENED.test(text)) throw new KeyUnavailableError(`the secret does not open under Vault's key ${this.name}: Vault holds another key under this name, or the record is damaged`);
    const Kind = status === 400 ? KeyUnavailableError : KeeperAwayError;
    throw new Kind(`Vault answered ${status}`);
  }

  /** The whole answer: it may fall silent in the middle of it, too. */
  private async ask(path: string, request: RequestInit): Promise<{ readonly status: number; readonly text: string }> {
    try {
      const response = await fetch(`${this.mount}/${path}`, { ...request, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
      return { status: response.status, text: await boundedText(response.body, MAX_ANSWER_BYTES) };
    } catch (error) {
      const { name, cause } = error as Error;
      // Whoever refuses a connection does so at once.
      const Kind = name === 'TimeoutError' ? KeeperSilentError : KeeperAwayError;
      // Never its message: it may repeat what the request held.
      throw new Kind(`Vault does not answer: ${(cause as { readonly code?: string } | undefined)?.code ?? name}`);
    }
  }

  private readToken(): string {
    let token: string;
    try {
      token = this.token();
    } catch (error) {
      throw new KeeperAwayError(`the token for Vault cannot be read: ${(error as Error).message}`);
    }
    if (!TOKEN.test(token)) throw new KeeperAwayError('the file of the token for Vault holds none');
    return token;
  }
}

/** Null for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function understood<T>(shape: z.ZodType<T>, answer: unknown): T {
  const read = shape.safeParse(answer);
  if (!read.success) throw new KeeperAwayError('the answer is not one of Vault');
  return read.data;
}
