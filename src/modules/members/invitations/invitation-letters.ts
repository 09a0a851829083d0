import { Injectable } from '@nestjs/common';
import { PublicAddress } from '../../../platform/http/public-address.js';
import { invitationLetter } from '../../../platform/mail/letters.js';
import { Mailer } from '../../../platform/mail/mailer.js';

export interface InvitedGuest {
  readonly email: string;
  readonly tenantName: string;
  /** Proves that the letter was received; a secret. */
  readonly token: string;
}

/** Sends invitations once they are stored. The caller never waits for the mail; a lost one is sent anew by reinvite. */
@Injectable()
export class InvitationLetters {
  constructor(
    private readonly mailer: Mailer,
    private readonly address: PublicAddress,
  ) {}

  send({ email, tenantName, token }: InvitedGuest): void {
    const link = `${this.address.panel}/accept-invitation#token=${token}`;
    const mail = { to: { address: email }, letter: invitationLetter(tenantName, { link, token }) };
    this.mailer.inBackground('invitation', () => Promise.resolve(mail));
  }
}
