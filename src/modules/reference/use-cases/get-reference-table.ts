import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import { guayaquilDay } from '../../../shared/guayaquil.js';
import { CLOCK, type Clock } from '../../../shared/ports.js';
import type { InvoiceWithholding } from '../../../sri/tables/activities.js';
import { codeTable } from '../../../sri/tables/catalogue.js';
import { type CodeRow, rowsAsOf } from '../../../sri/tables/code-table.js';
import type { IdentificationType } from '../../../sri/tables/documents.js';
import type { Limit } from '../../../sri/tables/limits.js';
import type { ExciseRate, SpecificRate } from '../../../sri/tables/taxes.js';
import type { ReferenceRow, ReferenceSpecificRate, ReferenceTable } from '../reference.responses.js';

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
    return { table: table.name, as_of: day, source: table.source, items: rowsAsOf(table, day).map(published) };
  }
}

/** A row with what any of the tables adds to it. */
type AnyRow = CodeRow & Partial<IdentificationType & ExciseRate & InvoiceWithholding & Limit>;

/** Field by field: what a row tells the service alone is not for callers. */
function published({ code, es, en, from, to, alias, percent, specific, tariff, amount }: AnyRow): ReferenceRow {
  return {
    code, es, en, valid_from: from, valid_to: to,
    ...(alias === undefined ? {} : { alias }),
    ...(percent === undefined ? {} : { percent }),
    ...(specific === undefined ? {} : { specific: specific === null ? null : specificRate(specific) }),
    ...(tariff === undefined ? {} : { tariff }),
    ...(amount === undefined ? {} : { amount }),
  };
}

const specificRate = ({ amount, unit, isCounted }: SpecificRate): ReferenceSpecificRate => ({ amount, unit, is_counted: isCounted ?? false });
