import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { RequestOrigin } from '../../../platform/http/service-request.js';
import { type Logger, LOGGER } from '../../../platform/observability/logger.js';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import { PasswordHasher } from '../passwords/password-hasher.js';
import { type Account, PeopleRepository } from '../persistence/people.repository.js';
import { type OpenedSession, SessionOpener } from '../sessions/session-opener.js';

/** Signs a person in by e-mail address and password. */
export class LogIn extends Command<OpenedSession> {
  constructor(
    readonly email: string,
    readonly password: string,
    readonly origin: RequestOrigin,
  ) {
    super();
  }
}

@CommandHandler(LogIn)
export class LogInHandler implements ICommandHandler<LogIn> {
  constructor(
    private readonly people: PeopleRepository,
    private readonly hasher: PasswordHasher,
    private readonly sessions: SessionOpener,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Whatever is wrong, the answer and the time it takes are the same: nobody learns which addresses have an account, nor, of one
   * that is locked or closed, which password was right.
   * @throws DomainError UNAUTHENTICATED
   */
  async execute({ email, password, origin }: LogIn): Promise<OpenedSession> {
    const account = await this.people.find(email.toLowerCase());
    const matches = await this.hasher.matches(account?.password_hash ?? null, password);
    if (account === null) throw wrongLogin();
    const now = this.clock.now();
    const isLocked = account.locked_until !== null && account.locked_until > now;
    if (matches && !isLocked && account.disabled_at === null) return this.open(account, origin);
    // Not waited for: a known address would show by the time it takes.
    this.people.recordFailure(account.user_id, now, origin).catch((error: unknown) => this.logger.error({ err: error }, 'a failed login was not recorded'));
    throw wrongLogin();
  }

  /** An account that was locked, closed or changed since it was looked up refuses with the words for a wrong password. */
  private async open(account: Account, origin: RequestOrigin): Promise<OpenedSession> {
    try {
      return await this.sessions.open({ userId: account.user_id, tokenVersion: account.token_version }, 'password', origin);
    } catch (error) {
      throw error instanceof DomainError && error.code === 'UNAUTHENTICATED' ? wrongLogin() : error;
    }
  }
}

const wrongLogin = (): DomainError => new DomainError('UNAUTHENTICATED', { reason: 'email_or_password' });
