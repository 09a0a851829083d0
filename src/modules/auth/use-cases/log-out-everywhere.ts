import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { RequestOrigin } from '../../../platform/http/service-request.js';
import type { SignedInPerson } from '../../../platform/security/person.js';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import { SessionsRepository } from '../persistence/sessions.repository.js';

/** Ends every session of a person, the caller's own included. */
export class LogOutEverywhere extends Command<void> {
  constructor(
    readonly person: SignedInPerson,
    readonly origin: RequestOrigin,
  ) {
    super();
  }
}

@CommandHandler(LogOutEverywhere)
export class LogOutEverywhereHandler implements ICommandHandler<LogOutEverywhere> {
  constructor(
    private readonly sessions: SessionsRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError UNAUTHENTICATED when the caller's own session has ended meanwhile: it ends no later ones */
  async execute({ person: { userId, sessionId }, origin }: LogOutEverywhere): Promise<void> {
    if (!(await this.sessions.endAll(userId, sessionId, this.clock.now(), origin))) throw new DomainError('UNAUTHENTICATED');
  }
}
