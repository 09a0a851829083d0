import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { RequestOrigin } from '../../../platform/http/service-request.js';
import { laterRefusal } from '../../../platform/http/refused-later.js';
import type { SignedInPerson } from '../../../platform/security/person.js';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK, type Ids, IDS } from '../../../shared/ports.js';
import type { AcceptedInvitationRecord } from '../auth.responses.js';
import { PasswordHasher } from '../passwords/password-hasher.js';
import { refuseWeak, weakness } from '../passwords/refuse-weak.js';
import { PeopleRepository } from '../persistence/people.repository.js';
import { hashOfToken } from '../sessions/secret-tokens.js';

/** Makes whoever was invited a member: the signed-in person of that address, or a new one with name and password. */
export class AcceptInvitation extends Command<AcceptedInvitationRecord> {
  constructor(
    readonly input: { readonly token: string; readonly name?: string | undefined; readonly password?: string | undefined },
    readonly person: SignedInPerson | null,
    /** Whether the caller holds a refresh token, by which who is not signed in any more may be so again. */
    readonly mayRefresh: boolean,
    readonly origin: RequestOrigin,
  ) {
    super();
  }
}

@CommandHandler(AcceptInvitation)
export class AcceptInvitationHandler implements ICommandHandler<AcceptInvitation> {
  constructor(
    private readonly people: PeopleRepository,
    private readonly hasher: PasswordHasher,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  /**
   * @throws DomainError UNAUTHENTICATED for a token that proves nothing, and when the session has ended meanwhile, or may be refreshed;
   *   FORBIDDEN for who is signed in as another person; INVALID_STATE for a newcomer whose address has an account
   * @throws ValidationFailure for a newcomer without a name or a password, or with a weak one
   */
  async execute({ input, person, mayRefresh, origin }: AcceptInvitation): Promise<AcceptedInvitationRecord> {
    const hash = hashOfToken(input.token);
    const accepted = person === null
      ? await this.people.acceptAsNewcomer(hash, await this.newcomer(input, mayRefresh), this.clock.now(), origin)
      : await this.people.acceptInvitation(hash, person, this.clock.now(), origin);
    if (accepted === null) throw new DomainError('UNAUTHENTICATED');
    const { outcome, tenant_id, member_id } = accepted;
    if (outcome === 'other_person') throw new DomainError('FORBIDDEN', { reason: 'other_person' });
    if (outcome === 'sign_in_required') throw new DomainError('INVALID_STATE', { reason: 'sign_in_required' });
    // The token is the proof: one that is unknown, used or too old proves nothing.
    if (tenant_id === null || member_id === null) throw new DomainError('UNAUTHENTICATED', { reason: 'token_invalid' });
    return { tenant_id, member_id };
  }

  private async newcomer({ token, name, password }: AcceptInvitation['input'], mayRefresh: boolean): Promise<{ userId: string; name: string; passwordHash: string }> {
    if (name === undefined || password === undefined) {
      // No newcomer: somebody whose session has run out.
      const invitation = await this.people.lookAtInvitation(hashOfToken(token), this.clock.now());
      if (invitation?.has_account === true) throw mayRefresh ? new DomainError('UNAUTHENTICATED') : new DomainError('INVALID_STATE', { reason: 'sign_in_required' });
      const missing = [...(name === undefined ? ['name'] : []), ...(password === undefined ? ['password'] : [])].map((field) => ({ field, type: 'missing', ctx: {} }));
      throw laterRefusal('body', [...missing, ...weakness(password, [name])]);
    }
    const email = await this.people.addressOfToken(hashOfToken(token), this.clock.now());
    refuseWeak(password, email === null ? [name] : [name, email]);
    return { userId: this.ids.uuid(), name, passwordHash: await this.hasher.hash(password) };
  }
}
