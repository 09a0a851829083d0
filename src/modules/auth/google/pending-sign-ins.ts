import { timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import type { ServiceRequest } from '../../../platform/http/service-request.js';
import { PublicAddress } from '../../../platform/http/public-address.js';
import { cookieNames, cookieValues } from '../../../platform/security/credentials.js';
import { type Chance, CHANCE, type Clock, CLOCK } from '../../../shared/ports.js';
import { IdentitiesRepository } from '../persistence/identities.repository.js';
import { drawToken, hashOfToken, isTokenShaped } from '../sessions/secret-tokens.js';

/** A request that begins or ends a sign-in at the provider. */
export interface SignInRequest extends ServiceRequest {
  /** What the ID token must repeat. */
  nonce?: string;
  /** Where the browser goes afterwards; null: the caller reads the tokens; undefined while nobody knows. */
  returnTo?: string | null;
}

/** One for each sign-in that is under way, with the beginning of its state's hash: those of two tabs do not end each other. */
const COOKIE = 'sello_sign_in_';
/** Bounds a browser's cookies, which go with every request: when so many sign-ins are begun, the earlier ones are given up. */
const MOST_BEGUN = 5;
const OWN_NAME = /^sello_sign_in_[0-9a-f]{16}$/;
const VALID_MS = 10 * 60_000;

type Stored = (error: Error | null, state?: string) => void;
type Loaded = (error: Error | null, verifier?: string | false, state?: unknown) => void;

/**
 * Remembers a sign-in between the two visits of the browser, as the state store of passport's strategy: verifier, nonce
 * and target under the hash of a state that works once, for the browser alone that began it.
 */
@Injectable()
export class PendingSignIns {
  constructor(
    private readonly identities: IdentitiesRepository,
    private readonly address: PublicAddress,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CHANCE) private readonly chance: Chance,
  ) {}

  // Passport recognises the kind of store by this number of parameters.
  store(request: SignInRequest, verifier: string, _state: unknown, _meta: unknown, done: Stored): void {
    const [browser, state] = [drawToken(this.chance), drawToken(this.chance)];
    const now = this.clock.now();
    const detail = { verifier, nonce: request.nonce, return_to: request.returnTo ?? null, browser: browser.hash.toString('base64url') };
    const begun = cookieNames(request.headers.cookie, COOKIE).filter((name) => OWN_NAME.test(name));
    if (begun.length >= MOST_BEGUN) for (const name of begun) request.res?.clearCookie(name, this.cookie());
    request.res?.cookie(cookieOf(state.hash), browser.clear, { ...this.cookie(), maxAge: VALID_MS });
    this.identities.keepSignIn(state.hash, detail, new Date(now.getTime() + VALID_MS), now).then(
      () => done(null, state.clear),
      (error: unknown) => done(error as Error),
    );
  }

  /** Ends a sign-in that failed. Afterwards the request holds where the browser was to return to. */
  async end(request: SignInRequest, state: unknown): Promise<void> {
    await this.take(request, state);
  }

  verify(request: SignInRequest, state: unknown, _meta: unknown, done: Loaded): void {
    this.take(request, state).then(
      (verifier) => done(null, verifier ?? false),
      (error: unknown) => done(error as Error),
    );
  }

  /** The verifier of the sign-in that the state names, used up by this; null when there is none for this browser. */
  private async take(request: SignInRequest, state: unknown): Promise<string | null> {
    if (typeof state !== 'string' || !isTokenShaped(state)) return null;
    const hash = hashOfToken(state);
    const [browser, ...others] = cookieValues(request.headers.cookie, cookieOf(hash));
    request.res?.clearCookie(cookieOf(hash), this.cookie());
    const pending = await this.identities.takeSignIn(hash, this.clock.now());
    if (pending === null || browser === undefined || others.length > 0) return null;
    const [begun, here] = [Buffer.from(pending.browser, 'base64url'), hashOfToken(browser)];
    if (begun.length !== here.length || !timingSafeEqual(begun, here)) return null;
    request.nonce = pending.nonce;
    request.returnTo = pending.return_to;
    return pending.verifier;
  }

  private cookie() {
    return { httpOnly: true, secure: this.settings.APP_ENV !== 'local', sameSite: 'lax', path: `${this.address.path}/auth/google` } as const;
  }
}

const cookieOf = (stateHash: Buffer): string => COOKIE + stateHash.toString('hex', 0, 8);
