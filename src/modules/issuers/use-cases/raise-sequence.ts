import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import { type Clock, CLOCK, type Ids, IDS } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { SequenceRaiseDto } from '../issuers.dto.js';
import type { SequenceRecord } from '../issuers.responses.js';
import { type Sequence, SequencesRepository } from '../persistence/sequences.repository.js';

/** Skips numbers of a counter on purpose; the reason stays with them. */
export class RaiseSequence extends Command<SequenceRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly sequence: Sequence,
    readonly input: SequenceRaiseDto,
  ) {
    super();
  }
}

@CommandHandler(RaiseSequence)
export class RaiseSequenceHandler implements ICommandHandler<RaiseSequence> {
  constructor(
    private readonly sequences: SequencesRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  async execute({ tenant, sequence, input }: RaiseSequence): Promise<SequenceRecord> {
    const raise = { id: this.ids.uuid(), nextNumber: input.next_number, reason: input.reason };
    return found(await this.sequences.raise(tenant, sequence, raise, this.clock.now()));
  }
}
