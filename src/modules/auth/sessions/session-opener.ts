import { Inject, Injectable } from '@nestjs/common';
import type { RequestOrigin } from '../../../platform/http/service-request.js';
import { ACCESS_TOKEN_SECONDS, AccessTokens } from '../../../platform/security/access-tokens.js';
import { DomainError } from '../../../shared/domain-error.js';
import { type Chance, CHANCE, type Clock, CLOCK, type Ids, IDS } from '../../../shared/ports.js';
import { SessionsRepository, type SignInMethod } from '../persistence/sessions.repository.js';
import { drawToken, hashOfToken, isTokenShaped } from './secret-tokens.js';

/** A session as its owner receives it. */
export interface OpenedSession {
  readonly accessToken: string;
  readonly accessSeconds: number;
  readonly refreshToken: string;
  readonly refreshExpires: Date;
  readonly refreshSeconds: number;
}

const REFRESH_DAYS = 30;
/** A session that is refreshed for ever still asks for the password this often. */
const LONGEST_SESSION_DAYS = 180;
const DAY_MS = 86_400_000;

/** Opens and renews sessions. */
@Injectable()
export class SessionOpener {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly tokens: AccessTokens,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(CHANCE) private readonly chance: Chance,
  ) {}

  /**
   * A session for a person who has just proved who they are.
   * @throws DomainError UNAUTHENTICATED when the account was disabled, locked or changed meanwhile
   */
  async open(person: { readonly userId: string; readonly tokenVersion: number }, method: SignInMethod, origin: RequestOrigin): Promise<OpenedSession> {
    const now = this.clock.now();
    const refresh = drawToken(this.chance);
    const session = { id: this.ids.uuid(), refreshHash: refresh.hash, expires: after(now) };
    if (!(await this.sessions.open(person, session, method, now, origin))) throw new DomainError('UNAUTHENTICATED');
    return this.answer({ userId: person.userId, sessionId: session.id, tokenVersion: person.tokenVersion }, refresh.clear, session.expires, now);
  }

  /**
   * Changes a refresh token for new tokens. One that was used before ends its session, for somebody else holds it too.
   * @throws DomainError UNAUTHENTICATED
   */
  async renew(refreshToken: string, origin: RequestOrigin): Promise<OpenedSession> {
    if (!isTokenShaped(refreshToken)) throw new DomainError('UNAUTHENTICATED');
    const now = this.clock.now();
    const refresh = drawToken(this.chance);
    const rotated = await this.sessions.rotate(hashOfToken(refreshToken), refresh.hash, after(now), LONGEST_SESSION_DAYS, now, origin);
    const { user_id: userId, session_id: sessionId, token_version: tokenVersion, expires_at: expires } = rotated;
    if (userId === null || sessionId === null || tokenVersion === null || expires === null) throw new DomainError('UNAUTHENTICATED');
    return this.answer({ userId, sessionId, tokenVersion }, refresh.clear, expires, now);
  }

  private answer(
    { userId, sessionId, tokenVersion }: { readonly userId: string; readonly sessionId: string; readonly tokenVersion: number }, refreshToken: string, refreshExpires: Date, now: Date,
  ): OpenedSession {
    return {
      accessToken: this.tokens.issue({ sub: userId, sid: sessionId, tv: tokenVersion }),
      accessSeconds: ACCESS_TOKEN_SECONDS,
      refreshToken,
      refreshExpires,
      refreshSeconds: Math.floor((refreshExpires.getTime() - now.getTime()) / 1_000),
    };
  }
}

const after = (now: Date): Date => new Date(now.getTime() + REFRESH_DAYS * DAY_MS);
