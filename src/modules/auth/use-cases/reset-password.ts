import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { RateLimits } from '../../../platform/http/rate-limits.js';
import type { RequestOrigin } from '../../../platform/http/service-request.js';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import { PasswordHasher } from '../passwords/password-hasher.js';
import { refuseWeak } from '../passwords/refuse-weak.js';
import { PeopleRepository } from '../persistence/people.repository.js';
import { hashOfToken } from '../sessions/secret-tokens.js';

/** Sets another password with the token of a mail, ends every session of the account, and lets it be tried again. */
export class ResetPassword extends Command<void> {
  constructor(
    readonly token: string,
    readonly password: string,
    readonly origin: RequestOrigin,
  ) {
    super();
  }
}

@CommandHandler(ResetPassword)
export class ResetPasswordHandler implements ICommandHandler<ResetPassword> {
  constructor(
    private readonly people: PeopleRepository,
    private readonly hasher: PasswordHasher,
    private readonly limits: RateLimits,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError UNAUTHENTICATED for a token that is unknown, used or too old */
  async execute({ token, password, origin }: ResetPassword): Promise<void> {
    const hash = hashOfToken(token);
    const email = await this.people.addressOfToken(hash, this.clock.now());
    refuseWeak(password, email === null ? [] : [email]);
    const passwordHash = await this.hasher.hash(password);
    if (email === null || !(await this.people.resetPassword(hash, passwordHash, this.clock.now(), origin))) throw new DomainError('UNAUTHENTICATED', { reason: 'token_invalid' });
    // Strangers may have used it up; the owner signs in next.
    await this.limits.forgetTries(email);
  }
}
