import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { RequestOrigin } from '../../../platform/http/service-request.js';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import { IdentitiesRepository } from '../persistence/identities.repository.js';
import { hashOfToken } from '../sessions/secret-tokens.js';

/** Lets a signed-in person sign in with Google from now on. */
export class LinkIdentity extends Command<void> {
  constructor(
    readonly userId: string,
    readonly linkToken: string,
    readonly origin: RequestOrigin,
  ) {
    super();
  }
}

@CommandHandler(LinkIdentity)
export class LinkIdentityHandler implements ICommandHandler<LinkIdentity> {
  constructor(
    private readonly identities: IdentitiesRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError NOT_FOUND for a token that is unknown, used, too old, or another person's */
  async execute({ userId, linkToken, origin }: LinkIdentity): Promise<void> {
    if (!(await this.identities.link(hashOfToken(linkToken), userId, this.clock.now(), origin))) throw new DomainError('NOT_FOUND');
  }
}
