import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { EmissionPointUpdateDto } from '../issuers.dto.js';
import type { EmissionPointRecord } from '../issuers.responses.js';
import { EmissionPointsRepository, type EstablishmentPath } from '../persistence/emission-points.repository.js';

/** Opens or closes an emission point; its code stays, for it stands in access keys. */
export class UpdateEmissionPoint extends Command<EmissionPointRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly path: EstablishmentPath,
    readonly emissionPointId: string,
    readonly input: EmissionPointUpdateDto,
  ) {
    super();
  }
}

@CommandHandler(UpdateEmissionPoint)
export class UpdateEmissionPointHandler implements ICommandHandler<UpdateEmissionPoint> {
  constructor(
    private readonly points: EmissionPointsRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, path, emissionPointId, input }: UpdateEmissionPoint): Promise<EmissionPointRecord> {
    return found(await this.points.update(tenant, path, emissionPointId, input.is_active, this.clock.now()));
  }
}
