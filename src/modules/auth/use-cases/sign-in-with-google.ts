import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { RequestOrigin } from '../../../platform/http/service-request.js';
import { DomainError } from '../../../shared/domain-error.js';
import { type Chance, CHANCE, type Clock, CLOCK, type Ids, IDS } from '../../../shared/ports.js';
import type { ProvenIdentity } from '../google/id-token-verifier.js';
import { IdentitiesRepository } from '../persistence/identities.repository.js';
import { PeopleRepository } from '../persistence/people.repository.js';
import { drawToken } from '../sessions/secret-tokens.js';
import { type OpenedSession, SessionOpener } from '../sessions/session-opener.js';

/** Signs in whom Google has identified. */
export class SignInWithGoogle extends Command<OpenedSession> {
  constructor(
    readonly identity: ProvenIdentity,
    readonly origin: RequestOrigin,
  ) {
    super();
  }
}

const LINK_MS = 10 * 60_000;

@CommandHandler(SignInWithGoogle)
export class SignInWithGoogleHandler implements ICommandHandler<SignInWithGoogle> {
  constructor(
    private readonly identities: IdentitiesRepository,
    private readonly people: PeopleRepository,
    private readonly sessions: SessionOpener,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(CHANCE) private readonly chance: Chance,
  ) {}

  /**
   * Accounts are known by issuer and subject. An address alone opens nothing: an account that has it must be linked by
   * its owner, signed in the way they used to.
   */
  async execute({ identity, origin }: SignInWithGoogle): Promise<OpenedSession> {
    const session =
      (await this.signInKnown(identity, origin)) ??
      (await this.signUp(identity, origin)) ??
      // What was taken meanwhile is known by now.
      (await this.signInKnown(identity, origin));
    if (session === null) throw new DomainError('UNAUTHENTICATED');
    return session;
  }

  /**
   * Null when neither the identity nor its address is known.
   * @throws DomainError UNAUTHENTICATED for an address that the provider has not verified and for a closed account; ALREADY_EXISTS, with a
   *   token to link it, for an account that only has the address
   */
  private async signInKnown(identity: ProvenIdentity, origin: RequestOrigin): Promise<OpenedSession | null> {
    const known = await this.identities.find(identity.issuer, identity.subject, identity.email);
    if (known?.is_linked === true) return this.sessions.open({ userId: known.user_id, tokenVersion: known.token_version }, 'google', origin);
    if (!identity.emailVerified) throw new DomainError('UNAUTHENTICATED', { reason: 'email_unverified' });
    if (known !== null) throw await this.offerLink(known.user_id, identity);
    return null;
  }

  private async offerLink(userId: string, { issuer, subject, email }: ProvenIdentity): Promise<DomainError> {
    const token = drawToken(this.chance);
    const now = this.clock.now();
    await this.people.keepLink(token.hash, userId, { issuer, subject, email }, new Date(now.getTime() + LINK_MS), now);
    return new DomainError('ALREADY_EXISTS', { reason: 'link_required', link_token: token.clear });
  }

  /** Null when the identity or its address was taken meanwhile. */
  private async signUp({ issuer, subject, email, name }: ProvenIdentity, origin: RequestOrigin): Promise<OpenedSession | null> {
    const person = { userId: this.ids.uuid(), email, name, tenantId: this.ids.uuid(), tenantName: name, memberId: this.ids.uuid() };
    if (!(await this.identities.signUp(person, issuer, subject, this.clock.now(), origin))) return null;
    return this.sessions.open({ userId: person.userId, tokenVersion: 1 }, 'google', origin);
  }
}
