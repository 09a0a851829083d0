import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { RequestOrigin } from '../../../platform/http/service-request.js';
import type { SignedInPerson } from '../../../platform/security/person.js';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import { IdentitiesRepository } from '../persistence/identities.repository.js';
import { hashOfToken } from '../sessions/secret-tokens.js';

/** Lets a signed-in person sign in with Google from now on. */
export class LinkIdentity extends Command<void> {
  constructor(
    readonly person: SignedInPerson,
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

  /** @throws DomainError NOT_FOUND for a token that is unknown, used, too old, or another person's, UNAUTHENTICATED when the session has ended meanwhile */
  async execute({ person, linkToken, origin }: LinkIdentity): Promise<void> {
    const isLinked = await this.identities.link(hashOfToken(linkToken), person, this.clock.now(), origin);
    if (isLinked === null) throw new DomainError('UNAUTHENTICATED');
    if (!isLinked) throw new DomainError('NOT_FOUND', { reason: 'link_expired', field: 'link_token' });
  }
}
