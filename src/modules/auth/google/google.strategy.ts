import { Inject, Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-google-oauth20';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { IdTokenVerifier, type ProvenIdentity } from './id-token-verifier.js';
import { PendingSignIns, type SignInRequest } from './pending-sign-ins.js';

export const GOOGLE = 'google';

/** Parameters of `validate` and passport's own callback: so it knows that we want the answer of the token endpoint. */
const PARAMETERS = 6;

/** Sign-in with Google: authorization code with PKCE (S256), state, and an ID token with our nonce. */
@Injectable()
export class GoogleStrategy extends PassportStrategy(Strategy, GOOGLE, PARAMETERS) {
  constructor(
    @Inject(SETTINGS) settings: Settings,
    pending: PendingSignIns,
    private readonly idTokens: IdTokenVerifier,
  ) {
    const options = {
      // The guard lets nobody come here while the sign-in is off.
      clientID: settings.GOOGLE_CLIENT_ID ?? 'off',
      clientSecret: settings.GOOGLE_CLIENT_SECRET ?? '',
      authorizationURL: settings.GOOGLE_AUTHORIZATION_URL,
      tokenURL: settings.GOOGLE_TOKEN_URL,
      scope: ['openid', 'email', 'profile'],
      pkce: 'S256' as unknown as boolean,
      store: { store: pending.store.bind(pending), verify: pending.verify.bind(pending) },
      // The ID token says all that we need.
      skipUserProfile: true,
      passReqToCallback: true as const,
    };
    // Passport recognises kinds of stores by their number of parameters, which bound functions keep; its types know only some.
    super(options as unknown as ConstructorParameters<typeof Strategy>[0] & { readonly passReqToCallback: true });
  }

  override authorizationParams(options: { readonly nonce?: string; readonly prompt?: string }): object {
    return { nonce: options.nonce, prompt: 'select_account' };
  }

  validate(request: SignInRequest, _accessToken: string, _refreshToken: string, answer: { readonly id_token?: unknown }): Promise<ProvenIdentity> {
    return this.idTokens.verify(answer.id_token, request.nonce ?? '');
  }
}
