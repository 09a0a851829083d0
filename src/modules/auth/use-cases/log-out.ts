import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { RequestOrigin } from '../../../platform/http/service-request.js';
import type { SignedInPerson } from '../../../platform/security/person.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import { SessionsRepository } from '../persistence/sessions.repository.js';
import { hashOfToken, isTokenShaped } from '../sessions/secret-tokens.js';

/** Ends the session of the caller, known by its access token or its refresh token: neither is good for anything afterwards. */
export class LogOut extends Command<void> {
  constructor(
    readonly person: SignedInPerson | null,
    readonly refreshToken: string | null,
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

  async execute({ person, refreshToken, origin }: LogOut): Promise<void> {
    const now = this.clock.now();
    if (person !== null) await this.sessions.end(person.userId, person.sessionId, now, origin);
    if (refreshToken !== null && isTokenShaped(refreshToken)) await this.sessions.endOf(hashOfToken(refreshToken), now, origin);
  }
}
