import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Language } from '../../../shared/language.js';
import type { RequestOrigin } from '../../../platform/http/service-request.js';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK, type Ids, IDS } from '../../../shared/ports.js';
import { ConfirmationLetters } from '../letters/confirmation-letters.js';
import { PasswordHasher } from '../passwords/password-hasher.js';
import { refuseWeak } from '../passwords/refuse-weak.js';
import { PeopleRepository } from '../persistence/people.repository.js';
import { type OpenedSession, SessionOpener } from '../sessions/session-opener.js';

/** A new person founds a tenant, and owns it. */
export class SignUp extends Command<OpenedSession> {
  constructor(
    readonly input: { readonly email: string; readonly password: string; readonly name: string; readonly tenantName: string },
    readonly language: Language,
    readonly origin: RequestOrigin,
  ) {
    super();
  }
}

@CommandHandler(SignUp)
export class SignUpHandler implements ICommandHandler<SignUp> {
  constructor(
    private readonly people: PeopleRepository,
    private readonly hasher: PasswordHasher,
    private readonly sessions: SessionOpener,
    private readonly letters: ConfirmationLetters,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  async execute({ input, language, origin }: SignUp): Promise<OpenedSession> {
    const email = input.email.toLowerCase();
    refuseWeak(input.password, [email, input.name, input.tenantName]);
    const now = this.clock.now();
    const userId = this.ids.uuid();
    const person = { userId, email, name: input.name, tenantId: this.ids.uuid(), tenantName: input.tenantName, memberId: this.ids.uuid() };
    if (!(await this.people.signUp(person, await this.hasher.hash(input.password), now, origin))) {
      throw new DomainError('ALREADY_EXISTS', { reason: 'has_account', field: 'email' });
    }
    this.letters.send(userId, language);
    return this.sessions.open({ userId, tokenVersion: 1 }, 'sign_up', origin);
  }
}
