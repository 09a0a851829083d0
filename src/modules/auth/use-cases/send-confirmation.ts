import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Language } from '../../../shared/language.js';
import { ConfirmationLetters } from '../letters/confirmation-letters.js';

/** Sends the mail that asks to confirm an address once more. */
export class SendConfirmation extends Command<void> {
  constructor(
    readonly userId: string,
    readonly language: Language,
  ) {
    super();
  }
}

@CommandHandler(SendConfirmation)
export class SendConfirmationHandler implements ICommandHandler<SendConfirmation> {
  constructor(private readonly letters: ConfirmationLetters) {}

  async execute({ userId, language }: SendConfirmation): Promise<void> {
    this.letters.send(userId, language);
  }
}
