import { Inject, Injectable } from '@nestjs/common';
import { type Logger, LOGGER } from '../../../platform/observability/logger.js';
import type { MemberRole } from '../../../shared/tenant-context.js';

/** What the invited person reads. */
export interface InvitationLetter {
  readonly email: string;
  readonly tenantName: string;
  readonly role: MemberRole;
  /** Proves that the letter was received; a secret. */
  readonly token: string;
  readonly expiresAt: Date;
}

/** Brings invitations to people. */
export interface InvitationPost {
  deliver(letter: InvitationLetter): Promise<void>;
}

export const INVITATION_POST = Symbol('InvitationPost');

/** Sends invitations after they are stored. The caller never waits for the mail; a lost one is sent anew by reinvite. */
@Injectable()
export class InvitationLetters {
  constructor(
    @Inject(INVITATION_POST) private readonly post: InvitationPost,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  send(memberId: string, letter: InvitationLetter): void {
    this.post.deliver(letter).catch((error: unknown) => this.logger.error({ err: error, member_id: memberId }, 'an invitation was not sent'));
  }
}
