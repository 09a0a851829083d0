import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { documentTypes } from '../../../sri/document-types/registry.js';
import type { SequenceList } from '../issuers.responses.js';
import { SequencesRepository } from '../persistence/sequences.repository.js';

/** The next number of each document type on an emission point, in the environment of the service. */
export class ListSequences extends Query<SequenceList> {
  constructor(
    readonly tenant: TenantContext,
    readonly emissionPointId: string,
  ) {
    super();
  }
}

@QueryHandler(ListSequences)
export class ListSequencesHandler implements IQueryHandler<ListSequences> {
  constructor(private readonly sequences: SequencesRepository) {}

  async execute({ tenant, emissionPointId }: ListSequences): Promise<SequenceList> {
    const items = found(await this.sequences.list(tenant, emissionPointId, documentTypes.map(({ code }) => code)));
    return { items, total: items.length };
  }
}
