import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { flag, orNull, text } from '../../platform/openapi/property-types.js';

@ApiSchema({ name: 'ReferenceSpecificRate' })
export class ReferenceSpecificRate {
  @ApiProperty({ ...text, ...orNull, description: 'US dollars for each unit; null: the table names the part but not its amount', example: '0.08' }) amount: string | null;
  @ApiProperty({ ...text, example: 'unit' }) unit: string;
  @ApiProperty({ ...flag, description: 'The units are pieces, never parts of one', example: true }) is_counted: boolean;
}

@ApiSchema({ name: 'ReferenceRow' })
export class ReferenceRow {
  @ApiProperty({ ...text, example: '4' }) code: string;
  @ApiProperty({ ...text, example: '15 %' }) es: string;
  @ApiProperty({ ...text, example: '15 %' }) en: string;
  @ApiProperty({ ...text, ...orNull, format: 'date', example: '2024-04-01' }) valid_from: string | null;
  @ApiProperty({ ...text, ...orNull, format: 'date', description: 'Null: in force', example: null }) valid_to: string | null;
  @ApiProperty({ ...text, required: false, description: 'Name that may be sent instead of the code; of identification-types', example: 'RUC' }) alias?: string;
  @ApiProperty({ ...text, ...orNull, required: false, description: 'Percentage; null: the code has none of its own. Of iva-rates, ice-rates, irbpnr-rates and withholdings', example: '15.00' }) percent?: string | null;
  @ApiProperty({ type: ReferenceSpecificRate, ...orNull, required: false, description: 'What is due for each unit; null: nothing. Of ice-rates and irbpnr-rates', example: { amount: '0.08', unit: 'unit', is_counted: true } }) specific?: ReferenceSpecificRate | null;
  @ApiProperty({ ...text, required: false, description: '`tarifa` as the XML writes it; of invoice-withholding', example: '1.00' }) tariff?: string;
  @ApiProperty({ ...text, required: false, description: 'US dollars; of amount-limits', example: '50.00' }) amount?: string;
}

@ApiSchema({ name: 'ReferenceTable' })
export class ReferenceTable {
  @ApiProperty({ ...text, example: 'iva-rates' }) table: string;
  @ApiProperty({ ...text, format: 'date' }) as_of: string;
  @ApiProperty({ ...text, description: 'Where the rows come from', example: 'Ficha técnica, tabla 17' }) source: string;
  @ApiProperty({
    type: [ReferenceRow],
    description: 'Rows in force, with what the table adds to code and names',
    example: [{ code: '4', es: '15 %', en: '15 %', valid_from: '2024-04-01', valid_to: null, percent: '15.00' }],
  })
  items: ReferenceRow[];
}
