import { ApiProperty, ApiSchema } from '@nestjs/swagger';

@ApiSchema({ name: 'ReferenceTable' })
export class ReferenceTable {
  @ApiProperty({ type: String, example: 'iva-rates' }) table: string;
  @ApiProperty({ type: String, format: 'date' }) as_of: string;
  @ApiProperty({ type: String, description: 'Where the rows come from', example: 'Ficha técnica, tabla 17' }) source: string;
  @ApiProperty({
    type: 'array',
    items: {
      type: 'object',
      required: ['code', 'es', 'en', 'valid_from', 'valid_to'],
      properties: {
        code: { type: 'string', example: '4' },
        es: { type: 'string', example: '15%' },
        en: { type: 'string', example: '15%' },
        valid_from: { type: 'string', format: 'date', nullable: true, example: '2024-04-01' },
        valid_to: { type: 'string', format: 'date', nullable: true, description: 'Null: in force', example: null },
      },
      additionalProperties: true,
    },
    description: 'Rows in force, with what the table adds to code and names',
  })
  items: Record<string, unknown>[];
}
