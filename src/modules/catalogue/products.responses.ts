import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Page } from '../../platform/openapi/page.js';
import { count, flag, instant, orNull, text, uuid } from '../../platform/openapi/property-types.js';

/** Response shapes of the catalogue (interface specification, section 2.7). */

@ApiSchema({ name: 'Product' })
export class ProductRecord {
  @ApiProperty(uuid) id: string;
  @ApiProperty(uuid) tenant_id: string;
  @ApiProperty(text) main_code: string;
  @ApiProperty({ ...text, ...orNull }) aux_code: string | null;
  @ApiProperty(text) name: string;
  @ApiProperty({ ...text, description: 'Decimal with the fractional digits that were given' }) unit_price: string;
  @ApiProperty({ ...text, description: 'Decimal with the fractional digits that were given' }) default_discount: string;
  @ApiProperty(text) tax_code: string;
  @ApiProperty(text) iva_rate_code: string;
  @ApiProperty(flag) applies_tourism_iva: boolean;
  @ApiProperty(flag) applies_ice: boolean;
  @ApiProperty({ ...text, ...orNull }) ice_code: string | null;
  @ApiProperty({ type: 'object', additionalProperties: true }) additional_fields: Record<string, unknown>;
  @ApiProperty(flag) is_active: boolean;
  @ApiProperty({ ...instant, ...orNull }) deleted_at: Date | null;
  @ApiProperty(instant) created_at: Date;
  @ApiProperty(instant) updated_at: Date;
}

@ApiSchema({ name: 'ProductPage' })
export class ProductPage extends Page {
  @ApiProperty({ type: [ProductRecord] }) items: ProductRecord[];
}

@ApiSchema({ name: 'ProductImportError' })
export class ProductImportError {
  @ApiProperty({ ...count, description: 'Line of the file, from 1' }) line: number;
  @ApiProperty({ ...text, ...orNull, description: 'Column; null where the row as a whole is at fault', example: 'unit_price' }) field: string | null;
  @ApiProperty({ ...text, description: 'Stable, e.g. missing, decimal_parsing', example: 'decimal_parsing' }) type: string;
  @ApiProperty({ ...text, example: 'Must be a decimal number' }) message: string;
  @ApiProperty({ ...text, ...orNull, description: 'What stands there, cut at 64 characters', example: 'doce' }) input: string | null;
}

@ApiSchema({ name: 'ProductImport' })
export class ProductImportResult {
  @ApiProperty(flag) dry_run: boolean;
  @ApiProperty(count) created: number;
  @ApiProperty(count) updated: number;
  @ApiProperty(count) unchanged: number;
  @ApiProperty({ ...count, description: 'Rows that are not taken' }) faulty: number;
  @ApiProperty({ type: [ProductImportError], description: 'At most 500' }) errors: ProductImportError[];
}
