import { Inject, Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-jwt';
import { type Settings, SETTINGS } from '../../config/settings.js';
import type { ServiceRequest } from '../http/service-request.js';
import { type AccessClaims, accessClaims, audienceOf, keyIdOfToken, TOKEN_ISSUER } from './access-tokens.js';
import { TokenKeys } from './token-keys.js';

export const ACCESS_TOKEN = 'access-token';

/** Verifies the token that the authentication guard has found in a request: one algorithm, our own keys, our own names. */
@Injectable()
export class AccessTokenStrategy extends PassportStrategy(Strategy, ACCESS_TOKEN) {
  constructor(@Inject(SETTINGS) settings: Settings, keys: TokenKeys) {
    super({
      jwtFromRequest: (request: ServiceRequest) => request.presentedToken ?? null,
      secretOrKeyProvider: (_request: unknown, token: string, done: (error: Error | null, key?: string) => void) => {
        const key = keys.verifyingKey(keyIdOfToken(token));
        if (key === null) done(new Error('no access token of this service'));
        else done(null, key);
      },
      algorithms: ['RS256'],
      issuer: TOKEN_ISSUER,
      audience: audienceOf(settings),
    });
  }

  /** False: verified, yet not what we issue. */
  validate(payload: unknown): AccessClaims | false {
    return accessClaims(payload) ?? false;
  }
}
