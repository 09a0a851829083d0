import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { RequestOrigin } from '../../../platform/http/service-request.js';
import type { SignedInPerson } from '../../../platform/security/person.js';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import { PeopleRepository } from '../persistence/people.repository.js';

/** Names a signed-in person anew, in all of their tenants. */
export class RenameMe extends Command<void> {
  constructor(
    readonly person: SignedInPerson,
    readonly name: string,
    readonly origin: RequestOrigin,
  ) {
    super();
  }
}

@CommandHandler(RenameMe)
export class RenameMeHandler implements ICommandHandler<RenameMe> {
  constructor(
    private readonly people: PeopleRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError UNAUTHENTICATED when the session has ended meanwhile */
  async execute({ person, name, origin }: RenameMe): Promise<void> {
    if (!(await this.people.rename(person, name, this.clock.now(), origin))) throw new DomainError('UNAUTHENTICATED');
  }
}
