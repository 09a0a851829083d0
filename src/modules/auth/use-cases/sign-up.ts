import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Language } from '../../../platform/http/field-messages.js';
import { PublicAddress } from '../../../platform/http/public-address.js';
import type { RequestOrigin } from '../../../platform/http/service-request.js';
import { letterOf } from '../../../platform/mail/letters.js';
import { Mailer } from '../../../platform/mail/mailer.js';
import { DomainError } from '../../../shared/domain-error.js';
import { type Chance, CHANCE, type Clock, CLOCK, type Ids, IDS } from '../../../shared/ports.js';
import { PasswordHasher } from '../passwords/password-hasher.js';
import { refuseWeak } from '../passwords/refuse-weak.js';
import { PeopleRepository } from '../persistence/people.repository.js';
import { drawToken } from '../sessions/secret-tokens.js';
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

const VERIFY_MS = 3 * 86_400_000;

@CommandHandler(SignUp)
export class SignUpHandler implements ICommandHandler<SignUp> {
  constructor(
    private readonly people: PeopleRepository,
    private readonly hasher: PasswordHasher,
    private readonly sessions: SessionOpener,
    private readonly mailer: Mailer,
    private readonly address: PublicAddress,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(CHANCE) private readonly chance: Chance,
  ) {}

  async execute({ input, language, origin }: SignUp): Promise<OpenedSession> {
    const email = input.email.toLowerCase();
    refuseWeak('password', input.password, [email, input.name, input.tenantName]);
    const now = this.clock.now();
    const userId = this.ids.uuid();
    const person = { userId, email, name: input.name, tenantId: this.ids.uuid(), tenantName: input.tenantName, memberId: this.ids.uuid() };
    if (!(await this.people.signUp(person, await this.hasher.hash(input.password), now, origin))) {
      throw new DomainError('ALREADY_EXISTS', { field: 'email' });
    }
    this.mailer.inBackground('verify_email', () => this.askToVerify(userId, email, input.name, language, now));
    return this.sessions.open({ userId, tokenVersion: 1 }, 'sign_up', origin);
  }

  private async askToVerify(userId: string, email: string, name: string, language: Language, now: Date): Promise<void> {
    const token = drawToken(this.chance);
    await this.people.keepToken(token.hash, 'verify_email', userId, {}, new Date(now.getTime() + VERIFY_MS), now);
    const link = `${this.address.panel}/verify-email#token=${token.clear}`;
    await this.mailer.send({ name, address: email }, letterOf('verifyEmail', { name, link, token: token.clear }, language));
  }
}
