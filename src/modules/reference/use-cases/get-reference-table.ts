import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import { guayaquilDay } from '../../../shared/guayaquil.js';
import { CLOCK, type Clock } from '../../../shared/ports.js';
import { codeTable } from '../../../sri/tables/catalogue.js';
import { rowsAsOf } from '../../../sri/tables/code-table.js';
import type { ReferenceTable } from '../reference.responses.js';

/** One code table as it stands on a day. */
export class GetReferenceTable extends Query<ReferenceTable> {
  constructor(
    readonly table: string,
    /** `YYYY-MM-DD`; null: today in Guayaquil. */
    readonly asOf: string | null,
  ) {
    super();
  }
}

@QueryHandler(GetReferenceTable)
export class GetReferenceTableHandler implements IQueryHandler<GetReferenceTable> {
  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  async execute({ table: name, asOf }: GetReferenceTable): Promise<ReferenceTable> {
    const table = found(codeTable(name));
    const day = asOf ?? guayaquilDay(this.clock.now());
    return {
      table: table.name,
      as_of: day,
      source: table.source,
      items: rowsAsOf(table, day).map(({ code, es, en, from, to, ...more }) => ({ code, es, en, valid_from: from, valid_to: to, ...more })),
    };
  }
}
