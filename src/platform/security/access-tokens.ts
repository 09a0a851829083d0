import { Inject, Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { type Settings, SETTINGS, sriEnvironment } from '../../config/settings.js';
import { type Clock, CLOCK } from '../../shared/ports.js';
import { UUID } from '../../shared/uuid.js';
import { JsonRefusal, parseStrictJson } from '../http/strict-json.js';
import { TokenKeys } from './token-keys.js';

/** What an access token says: who, in which session, issued under which state of the account. It carries no right. */
export interface AccessClaims {
  readonly sub: string;
  readonly sid: string;
  readonly tv: number;
}

export const ACCESS_TOKEN_SECONDS = 900;
export const TOKEN_ISSUER = 'sello';
/** So long before it is issued a token holds already, for processes whose clocks are behind. */
const CLOCK_SPREAD_SECONDS = 30;
/** Longest token that is looked at. */
const MAX_TOKEN_CHARACTERS = 8_192;

const TOKEN_TYPE = 'at+jwt';

/** Tokens of one environment are none in the other. */
export const audienceOf = (settings: Pick<Settings, 'APP_ENV'>): string => `sello-api-${sriEnvironment(settings).toLowerCase()}`;

/** Issues access tokens: RS256 with our key's id, 15 minutes. */
@Injectable()
export class AccessTokens {
  private signer: JwtService | null = null;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly keys: TokenKeys,
  ) {}

  issue({ sub, sid, tv }: AccessClaims): string {
    const now = Math.floor(this.clock.now().getTime() / 1_000);
    this.signer ??= new JwtService({
      privateKey: this.keys.signingKey,
      signOptions: { algorithm: 'RS256', keyid: this.keys.signingKeyId, header: { alg: 'RS256', typ: TOKEN_TYPE } },
    });
    return this.signer.sign({
      iss: TOKEN_ISSUER, aud: audienceOf(this.settings), sub, sid, tv, iat: now, nbf: now - CLOCK_SPREAD_SECONDS, exp: now + ACCESS_TOKEN_SECONDS,
    });
  }
}

/**
 * The key id of a possible token of ours, before its signature is checked; null if it cannot be one. Ours have no headers that
 * point at keys (`jku`, `x5u`, `jwk`) or ask for more, and no name twice.
 */
export function keyIdOfToken(token: string): string | null {
  const [header, payload, signature, ...more] = token.split('.');
  if (header === undefined || payload === undefined || !signature || more.length > 0 || token.length > MAX_TOKEN_CHARACTERS) return null;
  const read = strictObject(header);
  if (read === null || strictObject(payload) === null) return null;
  const { alg, typ, kid, ...others } = read;
  if (alg !== 'RS256' || typ !== TOKEN_TYPE || typeof kid !== 'string' || Object.keys(others).length > 0) return null;
  return kid;
}

/** The claims of a token whose signature, issuer, audience and times hold; null when it is no access token after all. */
export function accessClaims(payload: unknown): AccessClaims | null {
  if (typeof payload !== 'object' || payload === null) return null;
  const { sub, sid, tv, iat, exp } = payload as Readonly<Record<string, unknown>>;
  if (typeof sub !== 'string' || !UUID.test(sub) || typeof sid !== 'string' || !UUID.test(sid)) return null;
  if (typeof tv !== 'number' || !Number.isSafeInteger(tv) || typeof iat !== 'number' || typeof exp !== 'number') return null;
  return exp - iat > ACCESS_TOKEN_SECONDS ? null : { sub, sid, tv };
}

function strictObject(part: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = parseStrictJson(Buffer.from(part, 'base64url').toString('utf8'), 4);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch (error) {
    if (error instanceof JsonRefusal) return null;
    throw error;
  }
}
