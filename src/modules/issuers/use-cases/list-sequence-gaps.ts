import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { PageQuery } from '../../../platform/http/paging.dto.js';
import { found } from '../../../shared/found.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { SequenceGapPage } from '../issuers.responses.js';
import { type Sequence, SequencesRepository } from '../persistence/sequences.repository.js';

/** A page of the numbers of a counter that no authorized document carries, each with its reason. */
export class ListSequenceGaps extends Query<SequenceGapPage> {
  constructor(
    readonly tenant: TenantContext,
    readonly sequence: Sequence,
    readonly page: PageQuery,
  ) {
    super();
  }
}

@QueryHandler(ListSequenceGaps)
export class ListSequenceGapsHandler implements IQueryHandler<ListSequenceGaps> {
  constructor(private readonly sequences: SequencesRepository) {}

  async execute({ tenant, sequence, page: { page, page_size } }: ListSequenceGaps): Promise<SequenceGapPage> {
    const { rows, total } = found(await this.sequences.gaps(tenant, sequence, page_size, (page - 1) * page_size));
    return { items: rows, total, page, page_size };
  }
}
