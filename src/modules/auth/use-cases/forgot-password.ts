import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Language } from '../../../shared/language.js';
import { PublicAddress } from '../../../platform/http/public-address.js';
import { letterOf } from '../../../platform/mail/letters.js';
import { Mailer, type PersonalLetter } from '../../../platform/mail/mailer.js';
import { type Logger, LOGGER } from '../../../platform/observability/logger.js';
import { type Chance, CHANCE, type Clock, CLOCK } from '../../../shared/ports.js';
import { LetterTurns } from '../letters/letter-turns.js';
import { PeopleRepository } from '../persistence/people.repository.js';
import { drawToken } from '../sessions/secret-tokens.js';

/** Sends whoever has an account at the address a link to set another password. */
export class ForgotPassword extends Command<void> {
  constructor(
    readonly email: string,
    readonly language: Language,
    /** Who asks, as calls are counted. */
    readonly asker: string,
  ) {
    super();
  }
}

const RESET_MS = 30 * 60_000;

@CommandHandler(ForgotPassword)
export class ForgotPasswordHandler implements ICommandHandler<ForgotPassword> {
  constructor(
    private readonly people: PeopleRepository,
    private readonly mailer: Mailer,
    private readonly turns: LetterTurns,
    private readonly address: PublicAddress,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CHANCE) private readonly chance: Chance,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Answers before it looks: neither the answer nor its time shows whether there is an account. */
  async execute({ email, language, asker }: ForgotPassword): Promise<void> {
    this.mailer.inBackground('reset_password', () => this.turns.take(asker, () => this.write(email.toLowerCase(), language)));
  }

  private async write(email: string, language: Language): Promise<PersonalLetter | null> {
    const token = drawToken(this.chance);
    const now = this.clock.now();
    const person = await this.people.beginReset(email, token.hash, new Date(now.getTime() + RESET_MS), now);
    if (person === null) {
      // For support: to the person it looks as if mails were lost.
      const account = await this.people.find(email);
      if (account?.disabled_at === null) this.logger.info({ user_id: account.user_id }, 'enough links of a reset were sent');
      return null;
    }
    const link = `${this.address.panel}/reset-password#token=${token.clear}`;
    return { to: { name: person.name, address: person.email }, letter: letterOf('resetPassword', { name: person.name, link, token: token.clear }, language) };
  }
}
