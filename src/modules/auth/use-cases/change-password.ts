import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { RequestOrigin } from '../../../platform/http/service-request.js';
import { ValidationFailure } from '../../../platform/http/validation-failure.js';
import type { SignedInPerson } from '../../../platform/security/person.js';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import { FAILURES_BEFORE_LOCK, LOCK_MS } from '../domain/lock-out.js';
import { PasswordHasher } from '../passwords/password-hasher.js';
import { refuseWeak } from '../passwords/refuse-weak.js';
import { PeopleRepository } from '../persistence/people.repository.js';
import { SessionsRepository } from '../persistence/sessions.repository.js';

/** Sets another password for a signed-in person who gives the present one, and ends their other sessions. */
export class ChangePassword extends Command<void> {
  constructor(
    readonly person: SignedInPerson,
    readonly current: string,
    readonly password: string,
    readonly origin: RequestOrigin,
  ) {
    super();
  }
}

const RESET = 'POST /auth/password/forgot';

const wrongPassword = (): ValidationFailure => new ValidationFailure([{ loc: ['body', 'current_password'], type: 'wrong_password', input: null, ctx: {} }]);

@CommandHandler(ChangePassword)
export class ChangePasswordHandler implements ICommandHandler<ChangePassword> {
  constructor(
    private readonly people: PeopleRepository,
    private readonly sessions: SessionsRepository,
    private readonly hasher: PasswordHasher,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @throws DomainError INVALID_STATE for an account without a password, RATE_LIMITED while it is locked, UNAUTHENTICATED when
   *   the session has ended meanwhile
   * @throws ValidationFailure for a wrong or a weak password
   */
  async execute({ person, current, password, origin }: ChangePassword): Promise<void> {
    const { userId, sessionId, email, name } = person;
    const account = await this.people.find(email);
    if (account?.user_id !== userId) throw new DomainError('UNAUTHENTICATED');
    if (account.password_hash === null) throw new DomainError('INVALID_STATE', { reason: 'no_password', allowed_actions: [RESET] });
    this.refuseLocked(account.locked_until);
    refuseWeak(password, [email, name]);
    if (!(await this.hasher.matches(account.password_hash, current))) {
      await this.lookAgain(person, account.token_version);
      // Waited for, unlike at the sign-in: a signed-in person learns nothing from the time it takes.
      await this.people.recordFailure(userId, this.clock.now(), origin);
      throw wrongPassword();
    }
    const passwordHash = await this.hasher.hash(password);
    const known = { userId, sessionId, tokenVersion: account.token_version };
    if (await this.people.changePassword(known, passwordHash, this.clock.now(), origin)) return;
    await this.lookAgain(person, account.token_version);
    // This session itself set another password meanwhile. That is no guess, so it does not count.
    throw wrongPassword();
  }

  /**
   * What happened while the password was looked at: another session may have changed it and ended this one, or other tries may
   * have locked the account. Told for a right one as for a wrong one, so that of many tries at once none is confirmed.
   */
  private async lookAgain({ userId, sessionId, email }: SignedInPerson, tokenVersion: number): Promise<void> {
    if (!(await this.sessions.isOpen(userId, sessionId, tokenVersion, this.clock.now()))) throw new DomainError('UNAUTHENTICATED');
    this.refuseLocked((await this.people.find(email))?.locked_until ?? null);
  }

  /** While the account is locked no password is looked at, right or wrong. */
  private refuseLocked(until: Date | null): void {
    const left = until === null ? 0 : until.getTime() - this.clock.now().getTime();
    if (left <= 0) return;
    throw new DomainError('RATE_LIMITED', {
      limit: FAILURES_BEFORE_LOCK, limits: 'wrong_passwords', window_seconds: LOCK_MS / 1_000, reason: 'account_locked', lifted_by: RESET, retry_after_seconds: Math.ceil(left / 1_000),
    });
  }
}
