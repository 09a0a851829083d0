import { Inject, Injectable } from '@nestjs/common';
import type { Language } from '../../../shared/language.js';
import { PublicAddress } from '../../../platform/http/public-address.js';
import { letterOf } from '../../../platform/mail/letters.js';
import { Mailer, type PersonalLetter } from '../../../platform/mail/mailer.js';
import { type Chance, CHANCE, type Clock, CLOCK } from '../../../shared/ports.js';
import { PeopleRepository } from '../persistence/people.repository.js';
import { drawToken } from '../sessions/secret-tokens.js';
import { LetterTurns } from './letter-turns.js';

const VERIFY_MS = 3 * 86_400_000;

/** Asks people to confirm their address. */
@Injectable()
export class ConfirmationLetters {
  constructor(
    private readonly people: PeopleRepository,
    private readonly mailer: Mailer,
    private readonly turns: LetterTurns,
    private readonly address: PublicAddress,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CHANCE) private readonly chance: Chance,
  ) {}

  /** Sends the letter while the caller is answered; links of earlier ones end. Whoever has confirmed gets none. */
  send(userId: string, language: Language): void {
    this.mailer.inBackground('verify_email', () => this.turns.take(userId, () => this.write(userId, language)));
  }

  private async write(userId: string, language: Language): Promise<PersonalLetter | null> {
    const token = drawToken(this.chance);
    const now = this.clock.now();
    const person = await this.people.beginVerification(userId, token.hash, new Date(now.getTime() + VERIFY_MS), now);
    if (person === null) return null;
    const link = `${this.address.panel}/verify-email#token=${token.clear}`;
    return { to: { name: person.name, address: person.email }, letter: letterOf('verifyEmail', { name: person.name, link, token: token.clear }, language) };
  }
}
