import { ApiSchema } from '@nestjs/swagger';
import { SEPARATOR, type SeparatorName, SEPARATORS } from '../../platform/http/csv.js';
import { DecimalNumber, Flag, FreeObject, OneOf, Text } from '../../platform/http/fields.js';
import { PageQuery } from '../../platform/http/paging.dto.js';
import { RefusedLater } from '../../platform/http/refused-later.js';
import { productProblems } from './domain/product-rules.js';

/** Request bodies and queries of the catalogue (interface specification, section 4.9). Names are the wire's. */

const MAIN_CODE = { max: 25, about: 'Unique among the products that are not deleted', example: 'CONS-01' } as const;
const AUX_CODE = { max: 25, nullable: true, about: 'Auxiliary code; the SRI demands one of construction materials at 5 %' } as const;
const NAME = { max: 300, about: 'Description of the line', example: 'Servicio de consultoría' } as const;
const UNIT_PRICE = { fractionDigits: 6, asGiven: true, about: 'Price of one unit before discount and taxes', example: '100.00' } as const;
const DISCOUNT = { fractionDigits: 6, asGiven: true, about: 'Discount of a line that tells none, in dollars; rounded to cents there' } as const;
const TAX_CODE = { max: 10, about: 'SRI tax code of iva_rate_code: 2' } as const;
const IVA_RATE = { max: 10, about: 'Code of the table iva-rates', example: '4' } as const;
const TOURISM = { about: 'Taxed at the reduced rate on the days decreed for tourism' } as const;
const ICE = { about: 'Subject to ICE; needs ice_code' } as const;
const ICE_CODE = { max: 10, nullable: true, about: 'Code of ICE, four digits: of the table ice-rates, or one that it lacks' } as const;
const ADDITIONAL = {
  limits: { maxDepth: 5, maxValues: 100, maxBytes: 8_192 },
  about: "The caller's own data: at most 5 levels, 100 values, 8 KB; fractions to the precision of a double",
  example: { shelf: 'B-12' },
} as const;
const ACTIVE = { about: 'Offered; drafts take no defaults from a product that is not' } as const;

@ApiSchema({ name: 'ProductCreate' })
@RefusedLater<ProductCreateDto>((given) => productProblems({ ...given, ice_code: given.ice_code ?? null }))
export class ProductCreateDto {
  @Text(MAIN_CODE) main_code: string;
  @Text(AUX_CODE) aux_code?: string | null;
  @Text(NAME) name: string;
  @DecimalNumber(UNIT_PRICE) unit_price: string;
  @DecimalNumber({ ...DISCOUNT, default: '0.00' }) default_discount: string = '0.00';
  @Text({ ...TAX_CODE, default: '2' }) tax_code: string = '2';
  @Text(IVA_RATE) iva_rate_code: string;
  @Flag({ ...TOURISM, default: false }) applies_tourism_iva: boolean = false;
  @Flag({ ...ICE, default: false }) applies_ice: boolean = false;
  @Text(ICE_CODE) ice_code?: string | null;
  @FreeObject({ ...ADDITIONAL, default: {} }) additional_fields: Record<string, unknown> = {};
  @Flag({ ...ACTIVE, default: true }) is_active: boolean = true;
}

@ApiSchema({ name: 'ProductUpdate' })
@RefusedLater<ProductUpdateDto>(productProblems)
export class ProductUpdateDto {
  @Text({ ...MAIN_CODE, optional: true }) main_code?: string;
  @Text(AUX_CODE) aux_code?: string | null;
  @Text({ ...NAME, optional: true }) name?: string;
  @DecimalNumber({ ...UNIT_PRICE, optional: true }) unit_price?: string;
  @DecimalNumber({ ...DISCOUNT, optional: true }) default_discount?: string;
  @Text({ ...TAX_CODE, optional: true }) tax_code?: string;
  @Text({ ...IVA_RATE, optional: true }) iva_rate_code?: string;
  @Flag({ ...TOURISM, optional: true }) applies_tourism_iva?: boolean;
  @Flag({ ...ICE, optional: true }) applies_ice?: boolean;
  @Text(ICE_CODE) ice_code?: string | null;
  @FreeObject({ ...ADDITIONAL, optional: true }) additional_fields?: Record<string, unknown>;
  @Flag({ ...ACTIVE, optional: true }) is_active?: boolean;
}

const Q = { max: 300, optional: true, about: 'Part of name, main_code or aux_code; case and accents make no difference' } as const;
const IS_ACTIVE = { fromText: true, optional: true, about: 'Only active (true) or inactive (false) ones' } as const;

export class ProductListQuery extends PageQuery {
  @Text(Q) q?: string;
  @Flag(IS_ACTIVE) is_active?: boolean;
  @Flag({ fromText: true, default: false, about: 'Deleted ones too' }) include_deleted: boolean = false;
}

export class ProductExportQuery {
  @Text(Q) q?: string;
  @Flag(IS_ACTIVE) is_active?: boolean;
  @OneOf(Object.keys(SEPARATORS), SEPARATOR) separator: SeparatorName = 'comma';
  @Text({ optional: true, max: 40, about: 'The code of the last product that arrived, as the file has it: an export that broke off goes on behind it' }) cursor?: string;
}

export const CHARSETS = ['utf-8', 'windows-1252'] as const;
export type Charset = (typeof CHARSETS)[number];

const CHARSET =
  'windows-1252: as Excel saves a CSV file that it does not call UTF-8. One that is UTF-8 is refused then. Left out: what the Content-Type of a file that is the body names, else utf-8; ' +
  'where both are named they are the same';

export class ProductImportQuery {
  @Flag({ fromText: true, default: false, about: 'Only tell what would happen to the rows that have no fault; with one that has, the file itself is refused unless `skip_faulty`' }) dry_run: boolean = false;
  @Flag({ fromText: true, default: false, about: 'Take the sound rows although others are faulty' }) skip_faulty: boolean = false;
  @OneOf(CHARSETS, { optional: true, about: CHARSET }) charset?: Charset;
}
