import { Inject, Injectable } from '@nestjs/common';
import type { CookieOptions, Response } from 'express';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { PublicAddress } from '../../platform/http/public-address.js';
import type { ServiceRequest } from '../../platform/http/service-request.js';
import { REFRESH_COOKIE, SESSION_COOKIE } from '../../platform/security/access.js';
import { cookieValues } from '../../platform/security/credentials.js';
import type { SessionRecord } from './auth.responses.js';
import type { OpenedSession } from './sessions/session-opener.js';

/** Keeps the tokens of a browser in cookies that scripts cannot read and that forms of other origins' pages do not send. */
@Injectable()
export class SessionCookies {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly address: PublicAddress,
  ) {}

  /**
   * The session as it is answered; with `inCookies` the refresh token goes into its cookie alone. Else the cookies of an
   * earlier session go: no page could take them away, and beside the new token they would refuse every call.
   */
  answer(response: Response, session: OpenedSession, inCookies: boolean): SessionRecord {
    if (inCookies) {
      response.cookie(SESSION_COOKIE, session.accessToken, { ...this.access(), maxAge: session.accessSeconds * 1_000 });
      response.cookie(REFRESH_COOKIE, session.refreshToken, { ...this.refresh(), maxAge: session.refreshSeconds * 1_000 });
    } else if (this.isPresented(response.req)) {
      this.clear(response);
    }
    return {
      access_token: session.accessToken,
      token_type: 'Bearer',
      expires_in: session.accessSeconds,
      refresh_token: inCookies ? null : session.refreshToken,
      refresh_expires_at: session.refreshExpires,
    };
  }

  /** Whether a browser keeps a session here, good or not. */
  isPresented({ headers }: Pick<ServiceRequest, 'headers'>): boolean {
    return [SESSION_COOKIE, REFRESH_COOKIE].some((name) => cookieValues(headers.cookie, name).length > 0);
  }

  refreshTokenOf(request: ServiceRequest): string | null {
    const [value, ...others] = cookieValues(request.headers.cookie, REFRESH_COOKIE);
    return value === undefined || others.length > 0 ? null : value;
  }

  clear(response: Response): void {
    response.clearCookie(SESSION_COOKIE, this.access());
    response.clearCookie(REFRESH_COOKIE, this.refresh());
  }

  private access(): CookieOptions {
    return { httpOnly: true, secure: this.settings.APP_ENV !== 'local', sameSite: 'lax', path: '/' };
  }

  private refresh(): CookieOptions {
    return { ...this.access(), sameSite: 'strict', path: `${this.address.path}/auth` };
  }
}
