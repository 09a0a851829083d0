import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import { type Clock, CLOCK, type Ids, IDS } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { EmissionPointCreateDto } from '../issuers.dto.js';
import type { EmissionPointRecord } from '../issuers.responses.js';
import { EmissionPointsRepository, type EstablishmentPath } from '../persistence/emission-points.repository.js';

/** Adds an emission point to an establishment; each document type numbers from `initial_sequential`. */
export class CreateEmissionPoint extends Command<EmissionPointRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly path: EstablishmentPath,
    readonly input: EmissionPointCreateDto,
  ) {
    super();
  }
}

@CommandHandler(CreateEmissionPoint)
export class CreateEmissionPointHandler implements ICommandHandler<CreateEmissionPoint> {
  constructor(
    private readonly points: EmissionPointsRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  async execute({ tenant, path, input }: CreateEmissionPoint): Promise<EmissionPointRecord> {
    const point = { id: this.ids.uuid(), code: input.code, initialSequential: input.initial_sequential };
    return found(await this.points.insert(tenant, path, point, this.clock.now()));
  }
}
