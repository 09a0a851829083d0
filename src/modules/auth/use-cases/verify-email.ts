import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { RequestOrigin } from '../../../platform/http/service-request.js';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import { PeopleRepository } from '../persistence/people.repository.js';
import { hashOfToken } from '../sessions/secret-tokens.js';

/** Proves with the token of a mail that the address is the person's. */
export class VerifyEmail extends Command<void> {
  constructor(
    readonly token: string,
    readonly origin: RequestOrigin,
  ) {
    super();
  }
}

@CommandHandler(VerifyEmail)
export class VerifyEmailHandler implements ICommandHandler<VerifyEmail> {
  constructor(
    private readonly people: PeopleRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError UNAUTHENTICATED for a token that is unknown, used or too old */
  async execute({ token, origin }: VerifyEmail): Promise<void> {
    if (!(await this.people.verifyEmail(hashOfToken(token), this.clock.now(), origin))) throw new DomainError('UNAUTHENTICATED', { reason: 'token_invalid' });
  }
}
