import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { InvitationRecord } from '../auth.responses.js';
import { PeopleRepository } from '../persistence/people.repository.js';
import { hashOfToken } from '../sessions/secret-tokens.js';

/** What an invitation offers, to whoever holds the token of its mail; it stays as good as it was. */
export class LookAtInvitation extends Query<InvitationRecord> {
  constructor(readonly token: string) {
    super();
  }
}

@QueryHandler(LookAtInvitation)
export class LookAtInvitationHandler implements IQueryHandler<LookAtInvitation> {
  constructor(
    private readonly people: PeopleRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError UNAUTHENTICATED for a token with which nothing could be accepted */
  async execute({ token }: LookAtInvitation): Promise<InvitationRecord> {
    const invitation = await this.people.lookAtInvitation(hashOfToken(token), this.clock.now());
    if (invitation === null) throw new DomainError('UNAUTHENTICATED', { reason: 'token_invalid' });
    return invitation;
  }
}
