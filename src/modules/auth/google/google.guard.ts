import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { PublicAddress } from '../../../platform/http/public-address.js';
import { echo, ValidationFailure } from '../../../platform/http/validation-failure.js';
import { type Logger, LOGGER } from '../../../platform/observability/logger.js';
import { DomainError } from '../../../shared/domain-error.js';
import { type Chance, CHANCE, SLEEPER, type Sleeper } from '../../../shared/ports.js';
import { drawToken } from '../sessions/secret-tokens.js';
import { GOOGLE } from './google.strategy.js';
import { PendingSignIns, type SignInRequest } from './pending-sign-ins.js';

const CALLBACK_PATH = '/auth/google/callback';
/** A path of ours: nothing that a browser could take for another host. */
const LOCAL_PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]{0,500}$/;
const PATIENCE_MS = 15_000;

/** Sends browsers to Google, and takes them back. Every failure of a sign-in that is under way gets the same answer, whoever reports it. */
@Injectable()
export class GoogleGuard extends AuthGuard(GOOGLE) {
  constructor(
    private readonly address: PublicAddress,
    private readonly pending: PendingSignIns,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CHANCE) private readonly chance: Chance,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.settings.GOOGLE_CLIENT_ID === undefined) throw new DomainError('NOT_FOUND', { reason: 'google_sign_in_is_off' });
    const request = context.switchToHttp().getRequest<SignInRequest>();
    return request.path === CALLBACK_PATH ? this.comeBack(context, request) : this.setOut(context, request);
  }

  /** Never resolves: passport answers with a redirection. */
  private async setOut(context: ExecutionContext, request: SignInRequest): Promise<boolean> {
    const { return_to: returnTo } = request.query;
    if (returnTo !== undefined && (typeof returnTo !== 'string' || !LOCAL_PATH.test(returnTo))) {
      const type = Array.isArray(returnTo) ? 'repeated' : 'local_path';
      throw new ValidationFailure([{ loc: ['query', 'return_to'], type, input: echo(returnTo), ctx: {} }]);
    }
    request.returnTo = returnTo ?? null;
    request.nonce = drawToken(this.chance).clear;
    return (await super.canActivate(context)) as boolean;
  }

  private async comeBack(context: ExecutionContext, request: SignInRequest): Promise<boolean> {
    const { code, state, error, iss } = request.query;
    const isAnswer = typeof code === 'string' && code !== '' && code.length <= 2_048 && typeof state === 'string' && error === undefined;
    // Two providers that are mixed up show by the name they give themselves (RFC 9207).
    if (!isAnswer || (iss !== undefined && iss !== this.settings.GOOGLE_ISSUER)) {
      await this.pending.end(request, state);
      throw error === 'access_denied' ? new DomainError('UNAUTHENTICATED', { reason: 'cancelled' }) : refusalOf(request);
    }
    const ended = new AbortController();
    const tooLate = this.sleeper.sleep(PATIENCE_MS, ended.signal).then(() => {
      throw new DomainError('SERVICE_UNAVAILABLE');
    });
    try {
      return (await Promise.race([super.canActivate(context), tooLate])) as boolean;
    } catch (refusal) {
      throw refusal instanceof DomainError && refusal.code === 'UNAUTHENTICATED' ? refusalOf(request) : refusal;
    } finally {
      tooLate.catch(() => undefined);
      ended.abort();
    }
  }

  override getAuthenticateOptions(context: ExecutionContext) {
    const { nonce } = context.switchToHttp().getRequest<SignInRequest>();
    return { session: false, callbackURL: this.address.base + CALLBACK_PATH, nonce };
  }

  override handleRequest<T>(error: unknown, identity: T | false | null | undefined): T {
    if (error instanceof DomainError) throw error;
    if (error !== null && error !== undefined) {
      // What is no word of the provider or of the protocol is a fault of ours.
      if (!(error instanceof Error)) throw new TypeError('a sign-in threw what is no error');
      if (!PROTOCOL_ERRORS.includes(error.name)) throw error;
      this.logger.warn({ err: error }, 'a sign-in with Google failed');
      throw new DomainError(isOutage(error) ? 'SERVICE_UNAVAILABLE' : 'UNAUTHENTICATED');
    }
    if (identity === false || identity === null || identity === undefined) throw new DomainError('UNAUTHENTICATED');
    return identity;
  }
}

/** Gives a reason only for a sign-in that is over or another browser's: that one may be begun again. */
const refusalOf = ({ returnTo }: SignInRequest): DomainError => new DomainError('UNAUTHENTICATED', returnTo === undefined ? { reason: 'sign_in_expired' } : null);

/** Names of the errors with which passport reports a refusal of the provider. */
const PROTOCOL_ERRORS = ['TokenError', 'AuthorizationError', 'InternalOAuthError'];

/** True when the provider could not be asked; a refusal of its own is none. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'InternalOAuthError') return false;
  const { oauthError } = error as { oauthError?: { statusCode?: number } };
  return oauthError?.statusCode === undefined || oauthError.statusCode >= 500;
}
