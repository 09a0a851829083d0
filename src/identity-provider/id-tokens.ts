import { createHash, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import type { Grant } from './grants.js';

/** What a test may spoil in the next ID token. */
export interface Spoiled {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  /** Signed by a key that is not published. */
  readonly foreign_key?: boolean;
}

const LIFE_SECONDS = 3_600;

/** Signs ID tokens (OpenID Connect Core, section 2) as Google does: RS256, `azp`, `email_verified`. */
export class IdTokens {
  private readonly key: KeyObject = newKey();
  private readonly foreign: KeyObject = newKey();
  private readonly keyId: string = createHash('sha256').update(publicJwk(this.key)['n'] ?? '').digest('hex').slice(0, 16);

  get jwks(): object {
    return { keys: [{ ...publicJwk(this.key), use: 'sig', alg: 'RS256', kid: this.keyId }] };
  }

  issue(issuer: string, { request, visitor }: Grant, nowSeconds: number, spoiled: Spoiled): string {
    const claims = {
      iss: issuer, aud: request.clientId, azp: request.clientId, sub: visitor.subject, email: visitor.email, email_verified: visitor.emailVerified,
      name: visitor.name, nonce: request.nonce, iat: nowSeconds, exp: nowSeconds + LIFE_SECONDS, ...spoiled.claims,
    };
    const header = { alg: 'RS256', typ: 'JWT', kid: this.keyId, ...spoiled.header };
    const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    const signature = sign('sha256', Buffer.from(signed), spoiled.foreign_key === true ? this.foreign : this.key);
    return `${signed}.${signature.toString('base64url')}`;
  }
}

const newKey = (): KeyObject => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

const publicJwk = (key: KeyObject): Readonly<Record<string, string | undefined>> => {
  const { kty, n, e } = createPublicKey(key).export({ format: 'jwk' });
  return { kty, n, e };
};
