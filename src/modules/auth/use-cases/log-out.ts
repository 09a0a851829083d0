import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { RequestOrigin } from '../../../platform/http/service-request.js';
import type { SignedInPerson } from '../../../platform/security/person.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import { SessionsRepository } from '../persistence/sessions.repository.js';

/** Ends the session of the caller: its access tokens act no more, its refresh token is void. */
export class LogOut extends Command<void> {
  constructor(
    readonly person: SignedInPerson,
    readonly origin: RequestOrigin,
  ) {
    super();
  }
}

@CommandHandler(LogOut)
export class LogOutHandler implements ICommandHandler<LogOut> {
  constructor(
    private readonly sessions: SessionsRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute({ person, origin }: LogOut): Promise<void> {
    return this.sessions.end(person.userId, person.sessionId, this.clock.now(), origin);
  }
}
