import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { EmissionPointsRepository, type EstablishmentPath } from '../persistence/emission-points.repository.js';

/** Removes an emission point that holds no document. */
export class DeleteEmissionPoint extends Command<void> {
  constructor(
    readonly tenant: TenantContext,
    readonly path: EstablishmentPath,
    readonly emissionPointId: string,
  ) {
    super();
  }
}

@CommandHandler(DeleteEmissionPoint)
export class DeleteEmissionPointHandler implements ICommandHandler<DeleteEmissionPoint> {
  constructor(
    private readonly points: EmissionPointsRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, path, emissionPointId }: DeleteEmissionPoint): Promise<void> {
    if (!(await this.points.remove(tenant, path, emissionPointId, this.clock.now()))) throw new DomainError('NOT_FOUND');
  }
}
