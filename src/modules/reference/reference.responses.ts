import { ApiProperty, ApiSchema } from '@nestjs/swagger';

@ApiSchema({ name: 'ReferenceTable' })
export class ReferenceTable {
  @ApiProperty({ type: String }) table: string;
  @ApiProperty({ type: String, format: 'date' }) as_of: string;
  @ApiProperty({ type: String, description: 'Where the rows come from' }) source: string;
  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'code, es, en, valid_from, valid_to (null: open), and what the table adds',
  })
  items: Record<string, unknown>[];
}
