import { createPublicKey } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { fetch } from 'undici';
import { z } from 'zod';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { boundedText } from '../../../platform/egress/bounded-text.js';
import { accountAddress } from '../../../platform/http/email-address.js';
import { keyIdOfHeader } from './id-token-header.js';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import { beginningOf } from '../../../shared/text.js';

/** Who an identity provider says somebody is. */
export interface ProvenIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** As accounts are looked up by. */
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
}

/** Google's are 2 KB. */
const MAX_KEYS_BYTES = 262_144;
const JWKS = z.object({ keys: z.array(z.object({ kty: z.string(), kid: z.string(), n: z.string().optional(), e: z.string().optional() })) });
const CLAIMS = z.object({
  iss: z.string(),
  /** ASCII, as section 2 has it; no control characters. */
  sub: z.string().regex(/^[\x20-\x7e]{1,255}$/),
  aud: z.union([z.string(), z.array(z.string())]),
  azp: z.string().optional(),
  email: z.email().max(255),
  email_verified: z.union([z.boolean(), z.enum(['true', 'false'])]).default(false),
  name: z.string().max(500).default(''),
  exp: z.number(),
  iat: z.number(),
});

const TIMEOUT_MS = 10_000;
const FRESH_MS = 3_600_000;
/** A key id nobody knows makes us ask again, but no more often than this. */
const LEAST_AGE_MS = 10_000;
const MAX_NAME = 120;

/** Checks ID tokens (OpenID Connect Core, 3.1.3.7): signature by the provider's published key, names, times, nonce. */
@Injectable()
export class IdTokenVerifier {
  private readonly verifier = new JwtService({});
  private keys: ReadonlyMap<string, string> = new Map();
  private fetchedAt = Number.NEGATIVE_INFINITY;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @throws DomainError UNAUTHENTICATED for a token that proves nothing; SERVICE_UNAVAILABLE when the provider's keys
   *   cannot be had
   */
  async verify(idToken: unknown, nonce: string): Promise<ProvenIdentity> {
    const keyId = typeof idToken === 'string' ? keyIdOfHeader(idToken) : null;
    const key = keyId === null ? undefined : await this.keyOf(keyId);
    const clientId = this.settings.GOOGLE_CLIENT_ID;
    if (typeof idToken !== 'string' || key === undefined || clientId === undefined) throw new DomainError('UNAUTHENTICATED');
    let payload: unknown;
    try {
      payload = this.verifier.verify(idToken, {
        publicKey: key,
        algorithms: ['RS256'],
        issuer: this.issuers() as [string, ...string[]],
        audience: clientId,
        nonce,
        clockTimestamp: Math.floor(this.clock.now().getTime() / 1_000),
        clockTolerance: 30,
      });
    } catch {
      throw new DomainError('UNAUTHENTICATED');
    }
    const claims = CLAIMS.safeParse(payload);
    if (!claims.success) throw new DomainError('UNAUTHENTICATED');
    const { aud, azp, sub, email, email_verified: verified, name } = claims.data;
    // Several audiences, or another party that asked: the token was made for somebody else.
    if ((Array.isArray(aud) && aud.length > 1) || (azp !== undefined && azp !== clientId)) throw new DomainError('UNAUTHENTICATED');
    const shown = beginningOf(name.replace(/[\p{C}\s]+/gu, ' ').trim(), MAX_NAME);
    return { issuer: this.settings.GOOGLE_ISSUER, subject: sub, email: accountAddress(email), emailVerified: verified === true || verified === 'true', name: shown === '' ? email : shown };
  }

  /** Google leaves out the scheme at times. */
  private issuers(): readonly string[] {
    const { GOOGLE_ISSUER: issuer } = this.settings;
    return issuer === 'https://accounts.google.com' ? [issuer, 'accounts.google.com'] : [issuer];
  }

  private async keyOf(keyId: string): Promise<string | undefined> {
    const age = this.clock.now().getTime() - this.fetchedAt;
    // Fetched in the future they were before the clock was put back.
    if (age < 0 || age > FRESH_MS || (!this.keys.has(keyId) && age > LEAST_AGE_MS)) {
      this.keys = await this.fetchKeys();
      this.fetchedAt = this.clock.now().getTime();
    }
    return this.keys.get(keyId);
  }

  private async fetchKeys(): Promise<ReadonlyMap<string, string>> {
    try {
      const answer = await fetch(this.settings.GOOGLE_JWKS_URL, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
      const { keys } = JWKS.parse(JSON.parse(await boundedText(answer.body, MAX_KEYS_BYTES)));
      return new Map(
        keys.flatMap(({ kty, kid, n, e }) =>
          kty === 'RSA' && n !== undefined && e !== undefined
            ? [[kid, createPublicKey({ key: { kty, n, e }, format: 'jwk' }).export({ type: 'spki', format: 'pem' }).toString()] as const]
            : [],
        ),
      );
    } catch (error) {
      throw Object.assign(new DomainError('SERVICE_UNAVAILABLE'), { cause: error });
    }
  }
}
