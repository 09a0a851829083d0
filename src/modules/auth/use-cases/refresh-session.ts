import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { RequestOrigin } from '../../../platform/http/service-request.js';
import { type OpenedSession, SessionOpener } from '../sessions/session-opener.js';

/** Changes a refresh token for new tokens. */
export class RefreshSession extends Command<OpenedSession> {
  constructor(
    readonly refreshToken: string,
    readonly origin: RequestOrigin,
  ) {
    super();
  }
}

@CommandHandler(RefreshSession)
export class RefreshSessionHandler implements ICommandHandler<RefreshSession> {
  constructor(private readonly sessions: SessionOpener) {}

  execute({ refreshToken, origin }: RefreshSession): Promise<OpenedSession> {
    return this.sessions.renew(refreshToken, origin);
  }
}
