import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Chance, CHANCE, type Clock, CLOCK, type Ids, IDS } from '../../../shared/ports.js';
import { drawInvitation, InvitationLetters } from '../../members/public.js';
import { type PlatformAdmin, PlatformRepository } from '../persistence/platform.repository.js';
import type { PlatformTenantRecord } from '../platform.responses.js';

/** Makes a tenant and invites its owner by mail. */
export class FoundTenant extends Command<PlatformTenantRecord> {
  /** @param ownerEmail lower case */
  constructor(
    readonly admin: PlatformAdmin,
    readonly name: string,
    readonly ownerEmail: string,
  ) {
    super();
  }
}

@CommandHandler(FoundTenant)
export class FoundTenantHandler implements ICommandHandler<FoundTenant> {
  constructor(
    private readonly platform: PlatformRepository,
    private readonly letters: InvitationLetters,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(CHANCE) private readonly chance: Chance,
  ) {}

  async execute({ admin, name, ownerEmail }: FoundTenant): Promise<PlatformTenantRecord> {
    const now = this.clock.now();
    const invitation = drawInvitation(this.chance, now);
    const tenant = { tenantId: this.ids.uuid(), memberId: this.ids.uuid(), name, ownerEmail, invitation };
    await this.platform.found(admin, tenant, now);
    this.letters.send({ email: tenant.ownerEmail, tenantName: name, token: invitation.token });
    return { id: tenant.tenantId, name, is_active: true, created_at: now };
  }
}
