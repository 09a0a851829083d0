import { Day, OneOf } from '../../platform/http/fields.js';
import { CODE_TABLES } from '../../sri/tables/catalogue.js';

const TABLES = CODE_TABLES.map((table) => table.name);

export class ReferencePath {
  @OneOf(TABLES, { enumName: 'ReferenceTableName' }) table: string;
}

export class ReferenceQuery {
  @Day({ nullable: true, about: 'Day the rows must be in force; default today in Ecuador' }) as_of?: string | null;
}
